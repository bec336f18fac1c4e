/** Handlers: product writes and their status. */
import { type Caller, type Forbidden, type Integration, mayWriteCatalog } from "@crossdock/access"
import { type CatalogWrite, CatalogWrites, type ProductShapeCheck } from "@crossdock/catalog"
import { Bulk, type StorageError, Text, type Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"
import { Seller } from "../Authentication.ts"
import { Failure, sentence, validationFailed } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import { recordsIn } from "../internal/BulkOperation.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { iso } from "../internal/Fields.ts"
import { Limits } from "../Limits.ts"
import { Reply } from "../Reply.ts"
import { ProductsGroup, type StatusResult, type WriteResult } from "./ProductsApi.ts"

/** The route below `/v3/catalog` that lists the valid values of a field. */
const lists: Readonly<Record<string, string>> = {
  brand: "company-brand",
  category: "category?level=3",
  departments: "departments",
  hs_code: "taxes/hscodes?search=…",
  tax_rule_id: "taxes/rules",
  template: "product/template"
}

/** A violation as a sentence. Unless the violation suggests a value, the sentence names the route that lists the values. */
const advised = (one: Violation): Violation => {
  const list = lists[one.path.split("/").findLast((name) => !/^\d+$/.test(name)) ?? ""]
  const isWrong = /^(UNKNOWN_|INVALID_|REQUIRED)/.test(one.code)
  const route = list === undefined || !isWrong ? "" : ` GET /v3/catalog/${list} lists them.`
  const advice = one.code.endsWith("_TAKEN") ? " To change that product, use PUT." : route
  return { ...one, message: `${sentence(one.message)}${one.suggestion === undefined ? advice : ""}` }
}

/** Reads the envelope of a product write. Its list is checked like any bulk's. */
export const submission = (
  operation: ProductShapeCheck.Operation,
  body: Pick<Body.Body, "json"> | undefined
): Effect.Effect<ProductShapeCheck.Submission, Failure> => {
  if (body !== undefined && !Predicate.isObject(body.json)) {
    const message = `must be an object with template and products; this is ${Text.jsonKind(body.json)}`
    return Effect.fail(validationFailed([{ path: "", code: "INVALID_TYPE", message }]))
  }
  const { products, template } = Predicate.isObject(body?.json) ? body.json : {}
  if (body !== undefined && !Array.isArray(products)) {
    const [code, message] =
      products === undefined
        ? ["REQUIRED", "is required: a list of products"]
        : ["INVALID_TYPE", `must be an array of products; this is ${Text.jsonKind(products)}`]
    const lacksTemplate = operation !== "delete" && (template ?? null) === null
    return Effect.fail(
      validationFailed([
        { path: "/products", code, message },
        ...(lacksTemplate ? [advised({ path: "/template", code: "REQUIRED", message: "is required" })] : [])
      ])
    )
  }
  const list = body === undefined ? undefined : { ...body, json: products }
  return Effect.map(recordsIn(list, Limits.catalogRecords), (products) => ({ operation, template, products }))
}

/** The entry of a product, whose message is that of its first fault. */
const entryOf = ({ details, message, ...failure }: Bulk.Failure) => {
  const { code, path = "" } = failure
  const several: ReadonlyArray<Violation> | undefined = Array.isArray(details?.errors) ? details.errors : undefined
  const errors = several?.map(advised) ?? [advised({ path, code, message, ...details })]
  const more = errors.length > 1 ? ` See errors for ${errors.length - 1} more.` : ""
  return { ...failure, message: `${errors[0]?.message}${more}`, ...details, ...(several && { errors }) }
}

const failureOf = (error: Forbidden | CatalogWrites.ProductsInvalid | StorageError) =>
  error._tag === "ProductsInvalid" ? validationFailed(error.violations.map(advised)) : error

const countsOf = (write: CatalogWrites.Validated) => ({
  total: write.total,
  success: write.total - write.failures.length,
  failed: write.failures.length,
  errors: Object.fromEntries(write.failures.map((failure) => [String(failure.index), entryOf(failure)])),
  company_id: write.companyId,
  status: Bulk.statusOf(write)
})

const writeResult = (write: CatalogWrite): typeof WriteResult.Type => ({
  trace_id: write.traceId,
  ...countsOf(write),
  stage: CatalogWrites.stageOf(write)
})

const messages: { readonly [S in Bulk.Status]: string } = {
  SUCCESS: "All products were processed",
  PARTIAL_SUCCESS: "Some products were processed, the others failed",
  FAILED: "No product was processed"
}

const statusResult = (write: CatalogWrite): typeof StatusResult.Type => ({
  trace_id: write.traceId,
  ...countsOf(write),
  stage: "COMPLETED",
  message: messages[Bulk.statusOf(write)],
  last_updated_on: iso(write.at)
})

export const layer = Endpoints.group(ProductsGroup, function* (handlers) {
  const writes = yield* CatalogWrites.CatalogWrites
  const reply = yield* Reply

  const work = (operation: ProductShapeCheck.Operation, caller: Caller<Integration>) => (body: Body.Body | undefined) =>
    Effect.gen(function* () {
      return writeResult(yield* Effect.mapError(writes.apply(caller, yield* submission(operation, body)), failureOf))
    })

  // A dry run changes nothing, so it ignores an Idempotency-Key.
  const dryRun = Effect.fnUntraced(function* (operation: ProductShapeCheck.Operation, caller: Caller<Integration>) {
    const body = yield* Body.read(yield* HttpServerRequest.HttpServerRequest, Limits.catalogBodyBytes)
    const validated = yield* Effect.mapError(writes.validate(caller, yield* submission(operation, body)), failureOf)
    const result: typeof WriteResult.Type = { ...countsOf(validated), stage: "COMPLETED" }
    return HttpServerResponse.jsonUnsafe(result)
  })

  const write = (operation: ProductShapeCheck.Operation) =>
    Effect.fnUntraced(function* ({ query }: { readonly query: { readonly dry_run: boolean } }) {
      const caller = yield* Seller
      // This is checked before the body is read.
      yield* mayWriteCatalog(caller.principal)
      return query.dry_run
        ? yield* dryRun(operation, caller)
        : yield* reply.write({ caller, limit: Limits.catalogBodyBytes }, work(operation, caller))
    })

  return handlers({
    create: write("create"),
    update: write("update"),
    delete: write("delete"),
    status: Effect.fnUntraced(function* ({ query }) {
      const found = yield* writes.find(yield* Seller, query.trace_id)
      if (found !== undefined) return statusResult(found)
      const message = "There is no catalog write with this trace_id. Check it. Hosts may delete old ones."
      return yield* new Failure({ code: "NOT_FOUND", message })
    })
  })
})
