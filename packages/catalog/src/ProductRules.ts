/**
 * Judges a product's shape: what makes a whole request invalid (contract, Catalog).
 */
import type { Violation } from "@crossdock/kernel"
import * as ProductShape from "./ProductShape.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import { judgeOf } from "./ShapeVerdict.ts"

export type Operation = "create" | "update" | "delete"

type Loose = Readonly<Record<string, unknown>>

const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * A size sells for its price at most.
 */
const judgePrices = (product: Loose, path: string, found: Array<Violation>): void => {
  if (!Array.isArray(product.sizes)) return
  product.sizes.forEach((size: unknown, index) => {
    if (!isLoose(size) || typeof size.price !== "number" || typeof size.price_effective !== "number") return
    if (size.price >= 0 && size.price_effective > size.price) {
      found.push({
        path: `${path}/sizes/${index}/price_effective`,
        code: "PRICE_EFFECTIVE_ABOVE_PRICE",
        message: `must be at most the price, ${size.price}`
      })
    }
  })
}

/**
 * The template belongs to one of the named departments; of departments that there are not the data's judgement tells.
 */
const judgeTemplate = (
  index: ReferenceIndex,
  template: string,
  product: Loose,
  path: string,
  found: Array<Violation>
): void => {
  if (!Array.isArray(product.departments)) return
  const known = product.departments.flatMap((uid: unknown) => index.departments.get(Number(uid)) ?? [])
  const own = index.templates.get(template)?.departments ?? []
  if (known.length === 0 || own.length === 0 || known.some(({ slug }) => own.includes(slug))) return
  found.push({
    path: `${path}/departments`,
    code: "TEMPLATE_MISMATCH",
    message: `must name a department of the template ${template}: ${own.join(", ")}`
  })
}

/**
 * What finds a product to delete.
 */
const judgeKeys = (product: Loose, path: string, found: Array<Violation>): void => {
  const says = (name: string) => product[name] !== undefined && product[name] !== null
  if (says("item_code") || (says("slug") && (says("brand") || says("brand_uid")))) return
  found.push({ path: `${path}/item_code`, code: "REQUIRED", message: "is required, or slug with brand" })
}

const judgeDelete = judgeOf(ProductShape.remove)

/**
 * Everything that is wrong with the shape of one product, `path` being its place. `template` is undefined when it is
 * unknown or not said; the envelope's judgement tells of that.
 */
export const judge = (
  index: ReferenceIndex,
  operation: Operation,
  template: string | undefined,
  product: unknown,
  path = ""
): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  if (operation === "delete") {
    judgeDelete(product, path, found)
    if (isLoose(product)) judgeKeys(product, path, found)
    return found
  }
  const category = isLoose(product) && typeof product.category === "string" ? product.category : ""
  index.rulesOf(category)[operation](product, path, found)
  if (isLoose(product)) {
    judgePrices(product, path, found)
    if (template !== undefined) judgeTemplate(index, template, product, path, found)
  }
  return found
}

/**
 * Whether a broken shape fails the whole request. Deletes are judged product by product; but a list of no sizes could mean
 * none of them or all, so nothing is done (contract, Bulk writes and Catalog).
 */
export const failsAll = (operation: Operation, product: unknown): boolean =>
  operation !== "delete" || (isLoose(product) && Array.isArray(product.sizes) && product.sizes.length === 0)

/**
 * The same for the template of the envelope; a delete may leave it out.
 */
export const judgeTemplateSlug = (
  index: ReferenceIndex,
  operation: Operation,
  template: unknown
): ReadonlyArray<Violation> => {
  const path = "/template"
  if (template === undefined || template === null) {
    return operation === "delete" ? [] : [{ path, code: "REQUIRED", message: "is required" }]
  }
  if (typeof template !== "string") return [{ path, code: "INVALID_TYPE", message: "must be text" }]
  if (index.templates.has(template)) return []
  const suggestion = template.length <= 2000 ? template.trim().toLowerCase() : ""
  return [
    {
      path,
      code: "UNKNOWN_TEMPLATE",
      message: "must be the slug of a template",
      ...(index.templates.has(suggestion) ? { suggestion } : {})
    }
  ]
}
