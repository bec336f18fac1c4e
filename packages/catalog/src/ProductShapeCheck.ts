/**
 * Checks products' shapes. A fault of a create or update rejects the request. Source: docs/reference/catalog.md#shape-faults.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductShapeCheck } from "@crossdock/catalog"
 * import { referenceIndex } from "@crossdock/catalog/testing"
 *
 * const [violation] = ProductShapeCheck.violationsOf(referenceIndex, "delete", undefined, { slug: "plain-tee" })
 * deepStrictEqual(violation, { path: "/item_code", code: "REQUIRED", message: "is required unless slug and brand are sent" })
 * ```
 */
import type { Bulk, Violation } from "@crossdock/kernel"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { rejectionOf } from "./ProductRules.ts"
import * as ProductShape from "./ProductShape.ts"
import type { BrandIndex, ReferenceIndex } from "./ReferenceIndex.ts"
import * as References from "./References.ts"
import { checkOf } from "./ShapeCheck.ts"

/** The operation of a write. */
export type Operation = "create" | "update" | "delete"

type Loose = Readonly<Record<string, unknown>>

const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value)

const checkPrices = (product: Loose, path: string, found: Array<Violation>): void => {
  if (!Array.isArray(product.sizes)) return
  product.sizes.forEach((size: unknown, index) => {
    if (!isLoose(size) || typeof size.price !== "number" || typeof size.price_effective !== "number") return
    if (size.price >= 0 && size.price_effective > size.price)
      found.push({
        path: `${path}/sizes/${index}/price_effective`,
        code: "PRICE_EFFECTIVE_ABOVE_PRICE",
        message: `must be at most the price, ${size.price}`
      })
  })
}

const nameAt = (list: unknown, at: string | undefined): unknown => (Array.isArray(list) ? list[Number(at)] : undefined)

const checkReferences = (index: ReferenceIndex, product: Loose, path: string, found: Array<Violation>): void => {
  const { category, departments, hs_code, tax_identifier } = product
  for (const [at, one] of found.entries()) {
    const sent = one.path.startsWith(`${path}/departments/`) ? nameAt(departments, one.path.split("/").at(-1)) : ""
    const uid = [...index.departments].find(([, { name, slug }]) => name === sent || slug === sent)?.[0]
    if (uid !== undefined) found[at] = { ...one, message: `must be the uid ${uid}, not ${sent}`, suggestion: `${uid}` }
  }
  const valid = Record.filter({ category, departments, hs_code, tax_identifier }, (_, name) => {
    const at = `${path}/${name}`
    return !found.some((one) => one.path === at || one.path.startsWith(`${at}/`))
  })
  found.push(...References.ofProduct(index, valid, path))
}

const checkKeys = (product: Loose, path: string, found: Array<Violation>): void => {
  const has = (name: string) => product[name] !== undefined && product[name] !== null
  if (has("item_code") || (has("slug") && (has("brand") || has("brand_uid")))) return
  found.push({ path: `${path}/item_code`, code: "REQUIRED", message: "is required unless slug and brand are sent" })
}

const checkDelete = checkOf(ProductShape.remove)

/** All faults of the shape of the product at `path`. An undefined `template` is reported by `References.template`. */
export const violationsOf = (
  index: ReferenceIndex,
  operation: Operation,
  template: string | undefined,
  product: unknown,
  path = ""
): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  if (operation === "delete") {
    checkDelete(product, path, found)
    if (isLoose(product)) checkKeys(product, path, found)
    return found
  }
  const category = isLoose(product) && typeof product.category === "string" ? product.category : ""
  index.rulesOf(category)[operation](product, path, found)
  if (isLoose(product)) {
    checkPrices(product, path, found)
    if (template !== undefined)
      found.push(...References.templateOfDepartments(index, template, product.departments, path))
    // Later checks find these faults only in well-formed products, but the caller needs all faults at once.
    if (found.length > 0) checkReferences(index, product, path, found)
  }
  return found
}

/**
 * Whether a malformed product rejects the whole request. A malformed delete rejects only itself, unless its list of sizes is
 * empty, since that could mean no sizes or all. Source: docs/reference/catalog.md#delete.
 */
export const failsWholeRequest = (operation: Operation, product: unknown): boolean =>
  operation !== "delete" || (isLoose(product) && Array.isArray(product.sizes) && product.sizes.length === 0)

/** A write as it was sent: the slug of a template, and products of any shape. */
export interface Submission {
  readonly operation: Operation
  readonly template: unknown
  readonly products: ReadonlyArray<unknown>
}

/** The item code as it was sent, by which the caller recognizes the product, or an empty object. */
export const ownKeyOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null && "item_code" in input ? { item_code: input.item_code } : {}

/** Returns the well-formed products, and a failure for each of the others. Fails if a fault rejects the whole request. */
export const checkShapes = (index: ReferenceIndex, { operation, products, template }: Submission) => {
  const ofTemplate = References.template(index, template, operation !== "delete")
  const slug = typeof template === "string" && ofTemplate.length === 0 ? template : undefined
  const checked = products.map((input, at) => ({
    index: at,
    input,
    violations: violationsOf(index, operation, slug, input, `/products/${at}`)
  }))
  const violations = [
    ...ofTemplate,
    ...checked.flatMap((one) => (failsWholeRequest(operation, one.input) ? one.violations : []))
  ]
  if (violations.length > 0) return Result.fail(violations)
  const valid = checked.filter((one) => one.violations.length === 0)
  return Result.succeed({
    operation,
    template: slug,
    total: products.length,
    accepted: valid.map(({ index, input }) => ({ index, input })),
    failures: checked.flatMap(({ index, input, violations: [first, ...others] }): ReadonlyArray<Bulk.Failure> => {
      if (first === undefined) return []
      const { details, ...rejected } = rejectionOf([first, ...others])
      return [{ index, ...rejected, code: "INVALID_RECORD", details: { ...ownKeyOf(input), ...details } }]
    })
  })
}

/** Adds unknown brands of new products that have other faults. For other products, `ProductChanges` finds unknown brands. */
export const withUnknownBrands = (
  { byName }: BrandIndex,
  { operation, products }: Submission,
  violations: ReadonlyArray<Violation>
): ReadonlyArray<Violation> => {
  if (operation !== "create") return violations
  const paths = new Set(violations.map(({ path }) => path))
  const faulty = new Set(violations.map(({ path }) => path.split("/", 3).join("/")))
  const unknownBrands = products.flatMap((product, at) => {
    const path = `/products/${at}/brand`
    return isLoose(product) && faulty.has(`/products/${at}`) && !paths.has(path)
      ? References.unknown(path, "UNKNOWN_BRAND", product.brand, byName)
      : []
  })
  return [...violations, ...unknownBrands]
}
