/**
 * Reference data, ready to look things up in: made once for each version of the data.
 */
import * as AttributeShape from "./AttributeShape.ts"
import * as ProductShape from "./ProductShape.ts"
import type { Attribute, Brand, Category, Department, ReferenceData, Template } from "./ReferenceData.ts"
import { type Judge, judgeOf } from "./ShapeVerdict.ts"

/**
 * What judges the products of one category.
 */
export interface CategoryRules {
  readonly attributes: ReadonlyArray<Attribute>
  readonly create: Judge
  readonly update: Judge
}

export interface ReferenceIndex {
  readonly data: ReferenceData
  readonly departments: ReadonlyMap<number, Department>
  /** Level 3, by name. */
  readonly categories: ReadonlyMap<string, Category>
  readonly templates: ReadonlyMap<string, Template>
  readonly taxRules: ReadonlySet<string>
  readonly hsCodes: ReadonlySet<string>
  /** The rules of an unknown category are those that hold for all. */
  readonly rulesOf: (category: string) => CategoryRules
}

const holdsFor = (category: string) => (attribute: Attribute) =>
  attribute.categories === "*" || attribute.categories.includes(category)

/**
 * The attributes of a category; an unknown one has those that all have.
 */
export const attributesOf = (data: Pick<ReferenceData, "attributes">, category: string): ReadonlyArray<Attribute> =>
  data.attributes.filter(holdsFor(category))

const rulesFor = (attributes: ReadonlyArray<Attribute>): CategoryRules => {
  const fields = AttributeShape.fieldsOf(attributes)
  return {
    attributes,
    create: judgeOf(ProductShape.create(fields)),
    update: judgeOf(ProductShape.update(fields))
  }
}

export const make = (data: ReferenceData): ReferenceIndex => {
  const common = rulesFor(data.attributes.filter((attribute) => attribute.categories === "*"))
  const bySlugs = new Map<string, CategoryRules>([["", common]])
  const named = new Set(data.attributes.flatMap(({ categories }) => (categories === "*" ? [] : categories)))
  const rules = new Map(
    [...named].map((category) => {
      const attributes = attributesOf(data, category)
      const key = attributes.map(({ slug }) => slug).join("\n")
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

/**
 * A company's brands, by name and by uid.
 */
export interface BrandIndex {
  readonly byName: ReadonlyMap<string, Brand>
  readonly byUid: ReadonlyMap<string, Brand>
}

export const brandsOf = (brands: ReadonlyArray<Brand>): BrandIndex => ({
  byName: new Map(brands.map((brand) => [brand.name, brand])),
  byUid: new Map(brands.map((brand) => [String(brand.uid), brand]))
})
