/**
 * A write as it was sent, and the check of its shape.
 */
import type { Bulk } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { Accepted } from "../ProductChanges.ts"
import * as ProductRules from "../ProductRules.ts"
import { ProductsInvalid } from "../ProductsInvalid.ts"
import type { ReferenceIndex } from "../ReferenceIndex.ts"
import { invalidShape } from "./WriteFailures.ts"

/**
 * A write as it was sent: a template's slug and products, of any shape.
 */
export interface Submission {
  readonly operation: ProductRules.Operation
  readonly template: unknown
  readonly products: ReadonlyArray<unknown>
}

/**
 * A write whose shape was checked: the products of valid shape, and the failures of the others.
 */
export interface CheckedSubmission {
  readonly operation: ProductRules.Operation
  readonly template: string | undefined
  readonly total: number
  readonly accepted: Accepted
  readonly failures: ReadonlyArray<Bulk.Failure>
}

/**
 * Checks the shape of a write. Some faults fail the whole request, others only their product.
 */
export const checkShapes = (
  index: ReferenceIndex,
  { operation, products, template }: Submission
): Result.Result<CheckedSubmission, ProductsInvalid> => {
  const ofTemplate = ProductRules.templateViolations(index, operation, template)
  const slug = typeof template === "string" && ofTemplate.length === 0 ? template : undefined
  const checked = products.map((input, at) => ({
    index: at,
    input,
    violations: ProductRules.violationsOf(index, operation, slug, input, `/products/${at}`)
  }))
  const violations = [
    ...ofTemplate,
    ...checked.flatMap((one) => (ProductRules.failsWholeRequest(operation, one.input) ? one.violations : []))
  ]
  if (violations.length > 0) return Result.fail(new ProductsInvalid({ violations }))
  const valid = checked.filter((one) => one.violations.length === 0)
  return Result.succeed({
    operation,
    template: slug,
    total: products.length,
    accepted: valid.map(({ index, input }) => ({ index, input })),
    failures: checked.flatMap(({ index, input, violations: [first, ...others] }) =>
      first === undefined ? [] : [invalidShape(index, input, [first, ...others])]
    )
  })
}
