/**
 * The reference data that products name: its current index, and the faults of names that aren't in it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceIndex, References } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * const index = ReferenceIndex.make(referenceData)
 * const faults = References.ofProduct(index, { category: "T-Shirt" }, "/products/0")
 * deepStrictEqual(faults.map(({ path, suggestion }) => [path, suggestion]), [["/products/0/category", "T-Shirts"]])
 * ```
 */
import { type Stored, Text, type Violation } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { ReferenceStore } from "./CatalogStore.ts"
import { violation } from "./ProductRules.ts"
import * as ReferenceIndex from "./ReferenceIndex.ts"

/** The current reference data, which is read again only after a change. Bundles of the rules alone omit this service. */
export class References extends /* @__PURE__ */ Context.Service<
  References,
  { readonly current: Stored<ReferenceIndex.ReferenceIndex> }
>()("@crossdock/catalog/References") {}

/** Makes the service. The index is made again when the version of the data in `ReferenceStore` changes. */
export const make = /* @__PURE__ */ Effect.gen(function* () {
  const store = yield* ReferenceStore
  let kept: { readonly version: number; readonly index: ReferenceIndex.ReferenceIndex } | undefined

  const current = Effect.gen(function* () {
    const version = yield* store.version
    if (kept?.version === version) return kept.index
    const index = ReferenceIndex.make(yield* store.read)
    kept = { version, index }
    return index
  })

  return References.of({ current })
})

/** The service `References`, which needs a storage's `ReferenceStore`. All services of a host share its index. */
export const layer = /* @__PURE__ */ Layer.effect(References, make)

/** The names of reference data in a product. A value of a wrong type is ignored, since it has a fault already. */
interface Names {
  readonly departments?: unknown
  readonly category?: unknown
  readonly tax_identifier?: unknown
  readonly hs_code?: unknown
}

/** Only some names of a long list are compared, since a bulk can have hundreds of faults. */
const compared = (names: ReadonlyArray<string>, value: string): ReadonlyArray<string> =>
  names.length <= 200
    ? names
    : names.filter((name) => name.slice(0, 1).toLowerCase() === value.slice(0, 1).toLowerCase())

const kinds = {
  UNKNOWN_BRAND: "brand",
  UNKNOWN_CATEGORY: "level 3 category",
  UNKNOWN_DEPARTMENT: "department",
  UNKNOWN_HS_CODE: "HS or SAC code",
  UNKNOWN_TAX_RULE: "tax rule"
} as const

/** Reports an unknown value. It suggests the value without surrounding white space, or a similar known value. */
export const unknown = (
  path: string,
  code: keyof typeof kinds,
  value: unknown,
  known: Pick<ReadonlySet<string>, "has" | "keys" | "size">
): ReadonlyArray<Violation> => {
  if (typeof value !== "string" || known.has(value)) return []
  const trimmed = value.trim()
  // A code without letters isn't a misspelling, so no similar code is suggested.
  const similar = /\p{L}/u.test(value) ? Text.nearestName(compared([...known.keys()], value), value) : undefined
  const suggestion = known.has(trimmed) ? trimmed : similar
  const advice = suggestion === undefined ? "Send one from the catalog's lists." : `Did you mean ${suggestion}?`
  const effect = code === "UNKNOWN_CATEGORY" ? ", so attributes were not checked" : ""
  return [
    violation(path, code, `The ${kinds[code]} ${JSON.stringify(value)} doesn't exist${effect}. ${advice}`, suggestion)
  ]
}

/** At most this many unknown departments are reported, since a product can have hundreds of thousands. */
const mostDepartments = 10

/** Reports unknown departments, and an unknown category, tax rule or HS code. */
export const ofProduct = (
  index: ReferenceIndex.ReferenceIndex,
  input: Names,
  path: string
): ReadonlyArray<Violation> => {
  const departments: ReadonlyArray<unknown> = Array.isArray(input.departments) ? input.departments : []
  const taxRule = Predicate.hasProperty(input.tax_identifier, "tax_rule_id") ? input.tax_identifier.tax_rule_id : null
  return [
    ...departments
      .map((uid, at) => ({ uid, at }))
      .filter(({ uid }) => typeof uid !== "object" && !index.departments.has(Number(uid)))
      .slice(0, mostDepartments)
      .flatMap(({ at, uid }) => unknown(`${path}/departments/${at}`, "UNKNOWN_DEPARTMENT", String(uid), new Set())),
    ...unknown(`${path}/category`, "UNKNOWN_CATEGORY", input.category, index.categories),
    ...unknown(`${path}/tax_identifier/tax_rule_id`, "UNKNOWN_TAX_RULE", taxRule, index.taxRules),
    ...unknown(`${path}/hs_code`, "UNKNOWN_HS_CODE", input.hs_code, index.hsCodes)
  ]
}

/** The faults of a request's template. */
export const template = (
  index: ReferenceIndex.ReferenceIndex,
  sent: unknown,
  isRequired: boolean
): ReadonlyArray<Violation> => {
  const path = "/template"
  if (sent === undefined || sent === null) return isRequired ? [violation(path, "REQUIRED", "is required")] : []
  if (typeof sent !== "string") return [violation(path, "INVALID_TYPE", "must be text, in quotes")]
  if (index.templates.has(sent)) return []
  const similar = sent.length <= Text.maxLength ? sent.trim().toLowerCase() : ""
  const suggestion = index.templates.has(similar) ? similar : undefined
  return [
    violation(path, "UNKNOWN_TEMPLATE", "must be the slug of a template; read the templates for theirs", suggestion)
  ]
}

/** Reports a template that belongs to none of the departments. Unknown departments have a fault of their own. */
export const templateOfDepartments = (
  index: ReferenceIndex.ReferenceIndex,
  template: string,
  departments: unknown,
  path: string
): ReadonlyArray<Violation> => {
  if (!Array.isArray(departments)) return []
  // An object isn't a uid. `Number(value)` would throw if the object's `toString` isn't a function.
  const known = departments.flatMap((uid: unknown) =>
    typeof uid === "object" ? [] : (index.departments.get(Number(uid)) ?? [])
  )
  const own = index.templates.get(template)?.departments ?? []
  if (known.length === 0 || own.length === 0 || known.some(({ slug }) => own.includes(slug))) return []
  const message = `must have a department of the template ${template}: ${own.join(", ")}`
  return [violation(`${path}/departments`, "TEMPLATE_MISMATCH", message)]
}
