/**
 * The body of a product write, and its answers.
 */
import { CatalogWrite, type CatalogWrites, Limits, type ProductRules } from "@crossdock/catalog"
import { type Bulk, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { asSentences, type Failure, validationFailed } from "../Failure.ts"
import type { Body } from "../internal/Body.ts"
import { iso } from "../internal/IsoTime.ts"
import * as Records from "../internal/Records.ts"
import { sentence } from "../internal/Sentence.ts"
import type { StatusResult, WriteResult } from "./ProductsApi.ts"

/**
 * Reads the envelope of a product write. Its list is checked like that of any bulk.
 */
export const submission = (
  operation: ProductRules.Operation,
  body: Body | undefined
): Effect.Effect<CatalogWrites.Submission, Failure> => {
  if (body !== undefined && !Predicate.isObject(body.json)) {
    const message = `must be an object with template and products; this is ${Text.jsonKind(body.json)}`
    return Effect.fail(validationFailed([{ path: "", code: "INVALID_TYPE", message }]))
  }
  const { products, template } = Predicate.isObject(body?.json) ? body.json : {}
  if (body !== undefined && !Array.isArray(products)) {
    const [code, message] =
      products === undefined
        ? ["REQUIRED", "is required"]
        : ["INVALID_TYPE", `must be an array of products; this is ${Text.jsonKind(products)}`]
    const lacksTemplate = operation !== "delete" && (template ?? null) === null
    return Effect.fail(
      validationFailed([
        { path: "/products", code, message },
        ...(lacksTemplate ? [{ path: "/template", code: "REQUIRED", message: "is required" }] : [])
      ])
    )
  }
  const list = body === undefined ? undefined : { ...body, json: products }
  return Effect.map(Records.envelope(list, Limits.productsPerRequest), (products) => ({
    operation,
    template,
    products
  }))
}

/** All faults of a product that has several. */
const faultsOf = (details: Bulk.Failure["details"]) =>
  Array.isArray(details?.errors) ? { errors: asSentences(details.errors) } : {}

const errorsOf = (failures: ReadonlyArray<Bulk.Failure>) =>
  Object.fromEntries(
    failures.map(({ details, message, ...failure }) => [
      String(failure.index),
      { ...failure, message: sentence(message), ...details, ...faultsOf(details) }
    ])
  )

const countsOf = (write: CatalogWrites.Validated) => ({
  total: write.total,
  success: CatalogWrite.succeeded(write),
  failed: write.failures.length,
  errors: errorsOf(write.failures),
  company_id: write.companyId
})

export const dryRunResult = (validated: CatalogWrites.Validated): typeof WriteResult.Type => ({
  ...countsOf(validated),
  status: CatalogWrite.status(validated),
  stage: "COMPLETED"
})

/**
 * The answer to a write. Its stage sends clients to the status, as the documents describe, although the products are already
 * stored.
 */
export const writeResult = (write: CatalogWrite.CatalogWrite): typeof WriteResult.Type => ({
  trace_id: write.traceId,
  ...countsOf(write),
  status: CatalogWrite.status(write),
  stage: CatalogWrite.succeeded(write) === 0 ? "COMPLETED" : "RUNNING"
})

const messages: { readonly [S in ReturnType<typeof CatalogWrite.status>]: string } = {
  SUCCESS: "All products were processed",
  PARTIAL_SUCCESS: "Some products were processed, the others failed",
  FAILED: "No product was processed"
}

export const status = (write: CatalogWrite.CatalogWrite): typeof StatusResult.Type => {
  const status = CatalogWrite.status(write)
  return {
    trace_id: write.traceId,
    ...countsOf(write),
    status,
    stage: "COMPLETED",
    message: messages[status],
    last_updated_on: iso(write.at)
  }
}
