/**
 * Filters and pages of reference data. Texts match any part, ignoring case, unless stated otherwise; a filter that is left out
 * matches everything. Source: docs/reference/catalog.md#reads.
 */
import { Page, Text } from "@crossdock/kernel"
import type {
  Attribute,
  Brand,
  Category,
  Department,
  HsCode,
  ReferenceData,
  TaxRule,
  Template
} from "./ReferenceData.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"

/** Whether a text contains what was asked for, ignoring case. */
const contains = (asked: string | undefined) => {
  const part = asked === undefined ? "" : Text.folded(asked)
  return (text: string): boolean => Text.folded(text).includes(part)
}

const isOrAny = <A>(asked: A | undefined, value: A): boolean => asked === undefined || asked === value

const paged = <A>(items: ReadonlyArray<A>, page: Page.Page): Page.Paged<A> => ({
  items: items.slice(Page.offset(page), Page.offset(page) + page.size),
  total: items.length
})

/**
 * Departments by name, exact slug and activity.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * const { items, total } = ReferenceQuery.departments(referenceData, { name: "APP" }, { number: 1, size: 10 })
 * deepStrictEqual([items.map(({ name }) => name), total], [["Apparel"], 1])
 * ```
 */
export const departments = (
  { departments }: Pick<ReferenceData, "departments">,
  asked: { readonly name?: string; readonly slug?: string; readonly isActive?: boolean },
  page: Page.Page
): Page.Paged<Department> => {
  const named = contains(asked.name)
  return paged(
    departments.filter(
      (one) => named(one.name) && isOrAny(asked.slug, one.slug) && isOrAny(asked.isActive, one.isActive)
    ),
    page
  )
}

/**
 * Categories by exact values; `level3` are uids of level 3 categories, and an empty one means all categories.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * // 10 is the uid of a level 2 category.
 * const page = { number: 1, size: 10 }
 * const { items } = ReferenceQuery.categories(referenceData, { level3: [10, 11] }, page)
 * deepStrictEqual(
 *   items.map(({ name }) => name),
 *   ["T-Shirts"]
 * )
 * ```
 */
export const categories = (
  { categories }: Pick<ReferenceData, "categories">,
  asked: {
    readonly slug?: string
    readonly level?: number
    readonly department?: number
    readonly level3: ReadonlyArray<number>
  },
  page: Page.Page
): Page.Paged<Category> =>
  paged(
    categories.filter(
      (one) =>
        isOrAny(asked.slug, one.slug) &&
        isOrAny(asked.level, one.level) &&
        (asked.department === undefined || one.departments.includes(asked.department)) &&
        (asked.level3.length === 0 || (one.level === 3 && asked.level3.includes(one.uid)))
    ),
    page
  )

/**
 * Brands by name.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { brands } from "@crossdock/catalog/testing"
 *
 * const { items, total } = ReferenceQuery.brands(brands, {}, { number: 2, size: 1 })
 * deepStrictEqual([items.map(({ name }) => name), total], [["Zephyr"], 2])
 * ```
 */
export const brands = (
  brands: ReadonlyArray<Brand>,
  asked: { readonly name?: string },
  page: Page.Page
): Page.Paged<Brand> => {
  const named = contains(asked.name)
  return paged(
    brands.filter((one) => named(one.name)),
    page
  )
}

/**
 * Templates by the exact slug of a department.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * const totalOf = (department: string) =>
 *   ReferenceQuery.templates(referenceData, { department }, { number: 1, size: 10 }).total
 * deepStrictEqual(["apparel", "app"].map(totalOf), [1, 0])
 * ```
 */
export const templates = (
  { templates }: Pick<ReferenceData, "templates">,
  asked: { readonly department?: string },
  page: Page.Page
): Page.Paged<Template> =>
  paged(
    templates.filter((one) => asked.department === undefined || one.departments.includes(asked.department)),
    page
  )

/**
 * The attributes of a level 3 category by its exact name; none for an unknown category.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceIndex } from "@crossdock/catalog/testing"
 *
 * const slugsOf = (category: string) => ReferenceQuery.attributes(referenceIndex, category).map(({ slug }) => slug)
 * deepStrictEqual(slugsOf("Hats"), ["batch_tracked"])
 * deepStrictEqual(slugsOf("Umbrellas"), [])
 * ```
 */
export const attributes = (index: ReferenceIndex.ReferenceIndex, category: string): ReadonlyArray<Attribute> =>
  index.categories.has(category) ? ReferenceIndex.attributesOf(index.data, category) : []

/**
 * HS and SAC codes by code or description and exact type.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * const find = (search: string, type?: "HS" | "SAC") =>
 *   ReferenceQuery.hsCodes(referenceData, { search, ...(type && { type }) }, { number: 1, size: 10 }).total
 * deepStrictEqual([find("6109"), find("transport"), find("transport", "HS")], [1, 1, 0])
 * ```
 */
export const hsCodes = (
  { hsCodes }: Pick<ReferenceData, "hsCodes">,
  asked: { readonly search?: string; readonly type?: HsCode["type"] },
  page: Page.Page
): Page.Paged<HsCode> => {
  const searched = contains(asked.search)
  return paged(
    hsCodes.filter((one) => isOrAny(asked.type, one.type) && (searched(one.code) || searched(one.description))),
    page
  )
}

/**
 * Tax rules by name and exact status. With a version status, only versions with it are returned, and only rules that have
 * such a version.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 *
 * const version = (versionStatus: string) => ({ versionStatus, applicableFrom: "2026-04-01", components: [] })
 * const rule = { id: "gst-12", name: "GST 12 %", status: "ACTIVE", versions: [version("PAST"), version("CURRENT")] }
 * const find = (versionStatus: string) =>
 *   ReferenceQuery.taxRules({ taxRules: [rule] }, { versionStatus }, { number: 1, size: 10 }).items
 *
 * deepStrictEqual(find("CURRENT"), [{ ...rule, versions: [version("CURRENT")] }])
 * deepStrictEqual(find("FUTURE"), [])
 * ```
 */
export const taxRules = (
  { taxRules }: Pick<ReferenceData, "taxRules">,
  asked: { readonly name?: string; readonly status?: string; readonly versionStatus?: string },
  page: Page.Page
): Page.Paged<TaxRule> => {
  const named = contains(asked.name)
  const found = taxRules
    .filter((one) => named(one.name) && isOrAny(asked.status, one.status))
    .map((one) => ({
      ...one,
      versions: one.versions.filter((version) => isOrAny(asked.versionStatus, version.versionStatus))
    }))
    .filter((one) => asked.versionStatus === undefined || one.versions.length > 0)
  return paged(found, page)
}
