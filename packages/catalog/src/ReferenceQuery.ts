/**
 * What is asked of reference data: every filter of document 1's catalog reads, on one page at a time.
 */
import { Page } from "@crossdock/kernel"
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

const folded = (text: string): string => text.toLowerCase()

/** Part of a text, without case; nothing asked holds always. */
const holds = (asked: string | undefined) => {
  const part = asked === undefined ? "" : folded(asked)
  return (text: string): boolean => folded(text).includes(part)
}

const isOrAny = <A>(asked: A | undefined, value: A): boolean => asked === undefined || asked === value

const paged = <A>(items: ReadonlyArray<A>, page: Page.Page): Page.Paged<A> => ({
  items: items.slice(Page.offset(page), Page.offset(page) + page.size),
  total: items.length
})

export const departments = (
  { departments }: Pick<ReferenceData, "departments">,
  asked: { readonly name?: string; readonly slug?: string; readonly isActive?: boolean },
  page: Page.Page
): Page.Paged<Department> => {
  const named = holds(asked.name)
  return paged(
    departments.filter(
      (one) => named(one.name) && isOrAny(asked.slug, one.slug) && isOrAny(asked.isActive, one.isActive)
    ),
    page
  )
}

/**
 * `level3` are uids of level 3 categories; none means all categories.
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

export const brands = (
  brands: ReadonlyArray<Brand>,
  asked: { readonly name?: string },
  page: Page.Page
): Page.Paged<Brand> => {
  const named = holds(asked.name)
  return paged(
    brands.filter((one) => named(one.name)),
    page
  )
}

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
 * By the level 3 category's name, with case; none for an unknown one.
 */
export const attributes = (index: ReferenceIndex.ReferenceIndex, category: string): ReadonlyArray<Attribute> =>
  index.categories.has(category) ? ReferenceIndex.attributesOf(index.data, category) : []

export const hsCodes = (
  { hsCodes }: Pick<ReferenceData, "hsCodes">,
  asked: { readonly search?: string; readonly type?: HsCode["type"] },
  page: Page.Page
): Page.Paged<HsCode> => {
  const searched = holds(asked.search)
  return paged(
    hsCodes.filter((one) => isOrAny(asked.type, one.type) && (searched(one.code) || searched(one.description))),
    page
  )
}

/**
 * With a version status only the versions that have it are told, and only the rules that have such a version.
 */
export const taxRules = (
  { taxRules }: Pick<ReferenceData, "taxRules">,
  asked: { readonly name?: string; readonly status?: string; readonly versionStatus?: string },
  page: Page.Page
): Page.Paged<TaxRule> => {
  const named = holds(asked.name)
  const found = taxRules
    .filter((one) => named(one.name) && isOrAny(asked.status, one.status))
    .map((one) => ({
      ...one,
      versions: one.versions.filter((version) => isOrAny(asked.versionStatus, version.versionStatus))
    }))
    .filter((one) => asked.versionStatus === undefined || one.versions.length > 0)
  return paged(found, page)
}
