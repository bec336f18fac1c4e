/** The faults of a well-formed product. Each function returns the violations of one rule. */
import { type Bulk, Text, type Violation } from "@crossdock/kernel"
import * as Predicate from "effect/Predicate"
import type { CustomFields } from "./CustomFields.ts"
import * as Gtin from "./Gtin.ts"
import type { Product, Size } from "./Product.ts"
import type { ProductErrorCodeName } from "./ProductErrorCodes.ts"
import type { CreateInput, KeysInput } from "./ProductMapping.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import * as ShapeCheck from "./ShapeCheck.ts"

type Facts = Pick<CreateInput, "sizes">

/** The names of reference data in a product. A value of a wrong type is ignored, since it has a fault already. */
interface Names {
  readonly departments?: unknown
  readonly category?: unknown
  readonly tax_identifier?: unknown
  readonly hs_code?: unknown
}

export const violation = (
  path: string,
  code: ProductErrorCodeName,
  message: string,
  suggestion?: string
): Violation => ({ path, code, message, ...(suggestion === undefined ? {} : { suggestion }) })

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
export const references = (index: ReferenceIndex, input: Names, path: string): ReadonlyArray<Violation> => {
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
export const template = (index: ReferenceIndex, sent: unknown, isRequired: boolean): ReadonlyArray<Violation> => {
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
  index: ReferenceIndex,
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

/** Reports trade item numbers that have a wrong length or a wrong check digit. */
export const gtins = (sizes: Facts["sizes"], path: string): ReadonlyArray<Violation> =>
  sizes.flatMap((size, at) =>
    (size.identifiers ?? []).flatMap(({ gtin_type, gtin_value }, nth) => {
      const { isValid, suggestion } = Gtin.check(gtin_type, gtin_value)
      const where = `${path}/sizes/${at}/identifiers/${nth}/gtin_value`
      const message =
        suggestion === undefined
          ? `must have ${Gtin.lengthsOf(gtin_type).join(" or ")} digits for the type ${gtin_type}`
          : `has the check digit ${gtin_value.at(-1)}; it should be ${suggestion.at(-1)}`
      return isValid ? [] : [violation(where, "GTIN_CHECK_DIGIT", message, suggestion)]
    })
  )

/** Reports names that several sizes of a product have. The sizes can be sent or already stored. */
export const sizeNames = (
  sent: Facts["sizes"],
  kept: ReadonlyArray<Pick<Size, "name">>,
  path: string
): ReadonlyArray<Violation> => {
  const names = new Set(kept.map(({ name }) => name))
  return sent.flatMap(({ size }, at) => {
    if (!names.has(size)) {
      names.add(size)
      return []
    }
    const message = `Another size of the product is also named ${JSON.stringify(size)}. Give each size its own name.`
    return [violation(`${path}/sizes/${at}/size`, "DUPLICATE_SIZE", message)]
  })
}

/** Reports the slug of a new product if its brand already has a product with this slug. */
export const slug = (isTaken: boolean, { brand, slug }: CreateInput, path: string): ReadonlyArray<Violation> => {
  const message = `The brand ${brand} already has a product with the slug ${slug}. Send a different slug.`
  return isTaken ? [violation(`${path}/slug`, "SLUG_TAKEN", message)] : []
}

/** Reports the item code of a new product if another product has it. */
export const itemCode = (isTaken: boolean, { item_code }: CreateInput, path: string): ReadonlyArray<Violation> => {
  const message = `The item code ${JSON.stringify(item_code)} already belongs to a product. Send a different one.`
  return isTaken ? [violation(`${path}/item_code`, "ITEM_CODE_TAKEN", message)] : []
}

/** Reports SKUs that belong to another product or appear twice in this one. */
export const skus = (
  ownerOf: ReadonlyMap<string, Product>,
  sent: Facts["sizes"],
  own: Product | null,
  path: string
): ReadonlyArray<Violation> => {
  const seen = new Set<string>()
  return sent.flatMap(({ primary_identifier: sku }, at) => {
    const owner = ownerOf.get(sku)
    const isTaken = seen.has(sku) || (owner !== undefined && owner !== own)
    seen.add(sku)
    const message = `The SKU ${JSON.stringify(sku)} already belongs to another size. Send a different one.`
    return isTaken ? [violation(`${path}/sizes/${at}/primary_identifier`, "SKU_TAKEN", message)] : []
  })
}

/** Reports immutable fields that were sent with another value than the product has. */
export const immutable = (
  template: string | undefined,
  product: Product,
  keys: KeysInput,
  path: string
): ReadonlyArray<Violation> => {
  const pairs = [
    [`${path}/item_code`, keys.item_code, product.itemCode],
    [`${path}/slug`, keys.slug, product.slug],
    [`${path}/brand`, keys.brand, product.brand],
    [`${path}/brand_uid`, keys.brand_uid, product.brandUid],
    ["/template", template, product.template]
  ] as const
  return pairs.flatMap(([where, sent, own]) =>
    sent === undefined || sent === null || String(sent) === String(own)
      ? []
      : [
          violation(
            where,
            "IMMUTABLE_FIELD",
            `can't be changed: it is ${JSON.stringify(own)} since the product was created. Send that, or leave the field out`
          )
        ]
  )
}

/** Reports keys that no product has. */
export const notFound = (path: string, { item_code, slug }: KeysInput): Violation =>
  violation(
    item_code === undefined || item_code === null ? (slug === undefined ? path : `${path}/slug`) : `${path}/item_code`,
    "UNKNOWN_PRODUCT",
    "No product has these keys. Check them, or create the product first."
  )

/** Reports stored attributes that an update doesn't send and that don't fit the product's new category. */
export const keptAttributes = (
  index: ReferenceIndex,
  { attributes, category }: Product,
  sent: unknown,
  path: string
): ReadonlyArray<Violation> =>
  sent === undefined || sent === null
    ? ShapeCheck.violations(index.rulesOf(category).kept, attributes, `${path}/attributes`)
    : []

/** Makes a rejection that has the code of the first violation, and all violations as details. */
export const rejectionOf = (violations: readonly [Violation, ...ReadonlyArray<Violation>]): Bulk.Rejection => {
  const [{ code, message, path, suggestion }, ...others] = violations
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return {
    code,
    message: `${message}${more}`,
    path,
    details: {
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(others.length === 0 ? {} : { errors: violations })
    }
  }
}

/** A host's rule for a product before it is stored. It returns all faults, with JSON Pointers within the product. */
export type OwnRule = (product: Product) => ReadonlyArray<Violation>

/** The faults of a product by the rules and custom fields that the host has added. */
export const ownFaults = (
  { fields, rules = [] }: { readonly fields?: CustomFields; readonly rules?: ReadonlyArray<OwnRule> },
  path: string,
  product: () => Product
): ReadonlyArray<Violation> => {
  const isDeclared = fields?.declared.product !== undefined
  if (rules.length === 0 && !isDeclared) return []
  const judged = product()
  const ofFields = isDeclared ? fields.faultsOf("product", judged.customFields, "/custom_fields") : []
  const found = [...ofFields, ...rules.flatMap((rule) => rule(judged))]
  return found.map((one) => ({ ...one, path: `${path}${one.path}` }))
}
