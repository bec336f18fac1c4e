/** Checks a product that is sent as JSON: first its shape, then its references. */
import { ProductChanges, type ProductMapping, ProductShapeCheck } from "@crossdock/catalog"
import type { Bulk, Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { brands, company, index, template } from "./Sample.ts"

const parsed = (text: string): Result.Result<unknown, Violation> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return Result.fail({ code: "MALFORMED_JSON", path: "", message })
  }
}

/** The violations of a rejection. If there are several, they are in its details. */
const violationsOf = ({ code, details, message, path = "" }: Bulk.Rejection): ReadonlyArray<Violation> => {
  const suggestion = details?.suggestion
  return (
    (details?.errors as ReadonlyArray<Violation> | undefined) ?? [
      { code, message, path, ...(typeof suggestion === "string" ? { suggestion } : {}) }
    ]
  )
}

const place = "/products/0"

const faultsOfData = (input: ProductMapping.CreateInput): ReadonlyArray<Violation> => {
  const known = { companyId: company, template, index, brands, products: [] }
  return ProductChanges.creations(known, [{ index: 0, input }]).flatMap((outcome) =>
    Result.isFailure(outcome)
      ? violationsOf(outcome.failure).map((one) => ({ ...one, path: one.path.slice(place.length) }))
      : []
  )
}

/**
 * All faults of a product to create, each with its path in the product. If the shape is wrong, the product isn't compared with
 * reference data.
 */
export const violationsIn = (text: string): ReadonlyArray<Violation> => {
  const read = parsed(text)
  if (Result.isFailure(read)) return [read.failure]
  const faults = ProductShapeCheck.violationsOf(index, "create", template, read.success)
  // If the shape has no faults, the value is a product.
  return faults.length > 0 ? faults : faultsOfData(read.success as ProductMapping.CreateInput)
}
