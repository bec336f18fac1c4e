/**
 * Handlers: writes of products and what came of them.
 */
import { Forbidden } from "@crossdock/access"
import { CatalogWrites, type ProductRules } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Seller } from "../Authentication.ts"
import * as Body from "../Body.ts"
import { Failure } from "../Failure.ts"
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
      ({ query }: { readonly query: { readonly dry_run: boolean } }) =>
        Effect.gen(function* () {
          const caller = yield* writer
          const work = (body: Body.Body | undefined) =>
            Effect.gen(function* () {
              const sent = yield* submission(operation, body)
              if (query.dry_run) return rehearsal(yield* writes.rehearse(caller, sent))
              return writeResult(yield* writes.accept(caller, sent))
            })
          if (!query.dry_run) return yield* reply.write({ caller, limit: bodyLimit }, work)
          const request = yield* HttpServerRequest.HttpServerRequest
          return HttpServerResponse.jsonUnsafe(yield* work(yield* Body.read(request, bodyLimit)))
        })

    return handlers
      .handleRaw("create", write("create"))
      .handleRaw("update", write("update"))
      .handleRaw("delete", write("delete"))
      .handle("status", ({ query }) =>
        Effect.gen(function* () {
          const found = yield* writes.find(yield* Seller, query.trace_id)
          if (found !== undefined) return status(found)
          return yield* new Failure({ status: 404, code: "NOT_FOUND", message: "There is no write with this trace_id" })
        })
      )
  })
)
