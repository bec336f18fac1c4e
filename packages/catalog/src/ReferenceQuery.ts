/**
 * Filters of reference data. By default, a text matches any part, in any case. Source: docs/reference/catalog.md#reads.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceQuery } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * deepStrictEqual(ReferenceQuery.departments(referenceData, { name: "APP" })[0]?.name, "Apparel")
 * ```
 */
import { Text } from "@crossdock/kernel"
import * as CategoryAttributes from "./CategoryAttributes.ts"
import type { Attribute, Brand, HsCode, ReferenceData } from "./ReferenceData.ts"
import type * as ReferenceIndex from "./ReferenceIndex.ts"

const contains = (asked: string | undefined) => {
  const part = asked === undefined ? "" : Text.folded(asked)
  return (text: string): boolean => Text.folded(text).includes(part)
}

const isOrAny = <A>(asked: A | undefined, value: A): boolean => asked === undefined || asked === value

/** Finds departments by name, by exact slug and by whether they are active. */
export const departments = (
  { departments }: Pick<ReferenceData, "departments">,
  asked: { readonly name?: string; readonly slug?: string; readonly isActive?: boolean }
) => {
  const named = contains(asked.name)
  return departments.filter(
    (one) => named(one.name) && isOrAny(asked.slug, one.slug) && isOrAny(asked.isActive, one.isActive)
  )
}

/** Finds categories by exact values. `level3` are the uids of level 3 categories. If it is empty, all categories match. */
export const categories = (
  { categories }: Pick<ReferenceData, "categories">,
  asked: {
    readonly slug?: string
    readonly level?: number
    readonly department?: number
    readonly level3: ReadonlyArray<number>
  }
) =>
  categories.filter(
    (one) =>
      isOrAny(asked.slug, one.slug) &&
      isOrAny(asked.level, one.level) &&
      (asked.department === undefined || one.departments.includes(asked.department)) &&
      (asked.level3.length === 0 || (one.level === 3 && asked.level3.includes(one.uid)))
  )

/** Finds brands by name. */
export const brands = (brands: ReadonlyArray<Brand>, asked: { readonly name?: string }) => {
  const named = contains(asked.name)
  return brands.filter((one) => named(one.name))
}

/** Finds templates by the exact slug of a department. */
export const templates = ({ templates }: Pick<ReferenceData, "templates">, asked: { readonly department?: string }) =>
  templates.filter((one) => asked.department === undefined || one.departments.includes(asked.department))

/** The attributes of the level 3 category with this exact name. The list is empty for an unknown category. */
export const attributes = (index: ReferenceIndex.ReferenceIndex, category: string): ReadonlyArray<Attribute> =>
  index.categories.has(category) ? CategoryAttributes.of(index.data, category) : []

/** Finds HS and SAC codes by code or description, and by exact type. */
export const hsCodes = (
  { hsCodes }: Pick<ReferenceData, "hsCodes">,
  asked: { readonly search?: string; readonly type?: HsCode["type"] }
) => {
  const searched = contains(asked.search)
  return hsCodes.filter((one) => isOrAny(asked.type, one.type) && (searched(one.code) || searched(one.description)))
}

/** Finds tax rules by name and exact status. With `versionStatus`, only its versions remain, and rules that have one. */
export const taxRules = (
  { taxRules }: Pick<ReferenceData, "taxRules">,
  asked: { readonly name?: string; readonly status?: string; readonly versionStatus?: string }
) => {
  const named = contains(asked.name)
  return taxRules
    .filter((one) => named(one.name) && isOrAny(asked.status, one.status))
    .map((one) => ({
      ...one,
      versions: one.versions.filter((version) => isOrAny(asked.versionStatus, version.versionStatus))
    }))
    .filter((one) => asked.versionStatus === undefined || one.versions.length > 0)
}
