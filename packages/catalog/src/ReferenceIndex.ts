/**
 * An index of reference data. It is made once for each version of the data.
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

/** The attributes of one category, and the checks of the shape of its products. */
export interface CategoryRules {
  readonly attributes: ReadonlyArray<Attribute>
  readonly create: Check
  readonly update: Check
  /** Checks only the attributes. */
  readonly kept: Check
}

export interface ReferenceIndex {
  readonly data: ReferenceData
  readonly departments: ReadonlyMap<number, Department>
  /** The level 3 categories by name. */
  readonly categories: ReadonlyMap<string, Category>
  readonly templates: ReadonlyMap<string, Template>
  readonly taxRules: ReadonlySet<string>
  readonly hsCodes: ReadonlySet<string>
  /** The rules for the products of a category. For an unknown category, only the attributes that every category has apply. */
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

/** The brands of a company, by name and by uid. */
export interface BrandIndex {
  readonly byName: ReadonlyMap<string, Brand>
  readonly byUid: ReadonlyMap<string, Brand>
}

/** The index of a company's brands. */
export const brandsOf = (brands: ReadonlyArray<Brand>): BrandIndex => ({
  byName: new Map(brands.map((brand) => [brand.name, brand])),
  byUid: new Map(brands.map((brand) => [String(brand.uid), brand]))
})
