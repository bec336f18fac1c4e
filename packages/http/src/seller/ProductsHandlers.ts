/**
 * Handlers: writes of products and what came of them.
 */
import { Forbidden } from "@crossdock/access"
import { CatalogWrites, type ProductRules } from "@crossdock/catalog"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { Seller } from "../Authentication.ts"
import * as Body from "../Body.ts"
import { answering, Failure } from "../Failure.ts"
import { Reply } from "../Reply.ts"
import { bodyLimit } from "./ProductsApi.ts"
import { rehearsal, status, submission, writeResult } from "./ProductsBody.ts"
import { SellerApi } from "./SellerApi.ts"

/**
 * Location-level tokens read the catalog, which is the company's, and don't write it.
 */
const writer = Effect.filterOrFail(
  Seller,
  ({ principal }) => principal.locations === null,
  () => new Forbidden({ reason: "A location-level token does not write the catalog" })
)

export const layer = HttpApiBuilder.group(SellerApi, "products", (handlers) =>
  Effect.gen(function* () {
    const writes = yield* CatalogWrites.CatalogWrites
    const reply = yield* Reply

    // A dry run changes nothing, so there is nothing for an Idempotency-Key to do.
    const write =
      (operation: ProductRules.Operation) =>
      ({ urlParams }: { readonly urlParams: { readonly dry_run: boolean } }) =>
        Effect.gen(function* () {
          const caller = yield* answering(writer)
          const work = (body: Body.Body | undefined) =>
            Effect.gen(function* () {
              const sent = yield* submission(operation, body)
              if (urlParams.dry_run) return rehearsal(yield* answering(writes.rehearse(caller, sent)))
              return writeResult(yield* answering(writes.accept(caller, sent)))
            })
          if (!urlParams.dry_run) return yield* reply.write({ caller, limit: bodyLimit }, work)
          const request = yield* HttpServerRequest.HttpServerRequest
          return HttpServerResponse.unsafeJson(yield* work(yield* Body.read(request, bodyLimit)))
        })

    return handlers
      .handleRaw("create", write("create"))
      .handleRaw("update", write("update"))
      .handleRaw("delete", write("delete"))
      .handle("status", ({ urlParams }) =>
        Effect.gen(function* () {
          const { principal } = yield* Seller
          const found = yield* writes.find(principal.companyId, urlParams.trace_id)
          if (found !== undefined) return status(found)
          return yield* new Failure({ status: 404, code: "NOT_FOUND", message: "There is no write with this trace_id" })
        }).pipe(answering)
      )
  })
)
