/**
 * Reference data indexed for look-ups, made once per version of the data.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceIndex } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * // Only level 3 categories can be a product's.
 * const index = ReferenceIndex.make(referenceData)
 * deepStrictEqual([...index.categories.keys()], ["T-Shirts", "Hats"])
 * ```
 */
import * as CategoryAttributes from "./CategoryAttributes.ts"
import * as ProductShape from "./ProductShape.ts"
import type { Attribute, Brand, Category, Department, ReferenceData, Template } from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"
import { type Check, checkOf } from "./ShapeCheck.ts"

/** The attributes of one category, and the checks of its products' shape. */
export interface CategoryRules {
  readonly attributes: ReadonlyArray<Attribute>
  readonly create: Check
  readonly update: Check
  /** The check of the attributes alone. */
  readonly kept: Check
}

export interface ReferenceIndex {
  readonly data: ReferenceData
  readonly departments: ReadonlyMap<number, Department>
  /** By the name of a level 3 category. */
  readonly categories: ReadonlyMap<string, Category>
  readonly templates: ReadonlyMap<string, Template>
  readonly taxRules: ReadonlySet<string>
  readonly hsCodes: ReadonlySet<string>
  /** The rules of a category; for an unknown one those of the attributes of all categories. */
  readonly rulesOf: (category: string) => CategoryRules
}

const rulesFor = (attributes: ReadonlyArray<Attribute>): CategoryRules => {
  const fields = CategoryAttributes.fieldsOf(attributes)
  return {
    attributes,
    create: checkOf(ProductShape.create(fields)),
    update: checkOf(ProductShape.update(fields)),
    kept: checkOf(Shape.free(fields))
  }
}

export const make = (data: ReferenceData): ReferenceIndex => {
  const common = rulesFor(data.attributes.filter((attribute) => attribute.categories === "*"))
  const bySlugs = new Map<string, CategoryRules>([["[]", common]])
  const named = new Set(data.attributes.flatMap(({ categories }) => (categories === "*" ? [] : categories)))
  const rules = new Map(
    [...named].map((category) => {
      const attributes = CategoryAttributes.of(data, category)
      const key = JSON.stringify(attributes.map(({ slug }) => slug))
      const known = bySlugs.get(key) ?? rulesFor(attributes)
      bySlugs.set(key, known)
      return [category, known]
    })
  )
  return {
    data,
    departments: new Map(data.departments.map((one) => [one.uid, one])),
    categories: new Map(data.categories.filter(({ level }) => level === 3).map((one) => [one.name, one])),
    templates: new Map(data.templates.map((one) => [one.slug, one])),
    taxRules: new Set(data.taxRules.map(({ id }) => id)),
    hsCodes: new Set(data.hsCodes.map(({ code }) => code)),
    rulesOf: (category) => rules.get(category) ?? common
  }
}

/** A company's brands by name and by uid. */
export interface BrandIndex {
  readonly byName: ReadonlyMap<string, Brand>
  readonly byUid: ReadonlyMap<string, Brand>
}

/** The index of a company's brands. */
export const brandsOf = (brands: ReadonlyArray<Brand>): BrandIndex => ({
  byName: new Map(brands.map((brand) => [brand.name, brand])),
  byUid: new Map(brands.map((brand) => [String(brand.uid), brand]))
})
