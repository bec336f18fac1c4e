/**
 * Handlers: product writes and their status.
 */
import { Forbidden } from "@crossdock/access"
import { CatalogWrites, type ProductRules } from "@crossdock/catalog"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Seller } from "../Authentication.ts"
import { Failure } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { Limits } from "../Limits.ts"
import { Reply } from "../Reply.ts"
import { dryRunResult, status, submission, writeResult } from "./ProductsBody.ts"
import { SellerApi } from "./SellerApi.ts"

/**
 * The caller, if it may change the catalog. The catalog belongs to the whole company, so location-level tokens only read
 * it. Source: docs/reference/authentication.md#modes.
 */
const writer = Effect.filterOrFail(
  Seller,
  ({ principal }) => principal.locations === null,
  () =>
    new Forbidden({
      reason: "A location-level token can't change the catalog. Sign in with a company-level integration."
    })
)

type Writer = Effect.Success<typeof writer>

export const layer = Endpoints.group(SellerApi, "products", (handlers) =>
  Effect.gen(function* () {
    const writes = yield* CatalogWrites.CatalogWrites
    const reply = yield* Reply

    const work = (operation: ProductRules.Operation, caller: Writer) => (body: Body.Body | undefined) =>
      Effect.gen(function* () {
        return writeResult(yield* writes.apply(caller, yield* submission(operation, body)))
      })

    // A dry run changes nothing, so it ignores an Idempotency-Key.
    const dryRun = (operation: ProductRules.Operation, caller: Writer) =>
      Effect.gen(function* () {
        const body = yield* Body.read(yield* HttpServerRequest.HttpServerRequest, Limits.catalogBodyBytes)
        const validated = yield* writes.validate(caller, yield* submission(operation, body))
        return HttpServerResponse.jsonUnsafe(dryRunResult(validated))
      })

    const write =
      (operation: ProductRules.Operation) =>
      ({ query }: { readonly query: { readonly dry_run: boolean } }) =>
        Effect.gen(function* () {
          const caller = yield* writer
          return query.dry_run
            ? yield* dryRun(operation, caller)
            : yield* reply.write({ caller, limit: Limits.catalogBodyBytes }, work(operation, caller))
        })

    return handlers({
      create: write("create"),
      update: write("update"),
      delete: write("delete"),
      status: ({ query }) =>
        Effect.gen(function* () {
          const found = yield* writes.find(yield* Seller, query.trace_id)
          if (found !== undefined) return status(found)
          return yield* new Failure({
            code: "NOT_FOUND",
            message: "There is no catalog write with this trace_id. Check it. Hosts may delete old ones."
          })
        })
    })
  })
)
