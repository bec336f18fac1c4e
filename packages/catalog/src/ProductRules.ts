/** The faults of a well-formed product. Each function returns the violations of one rule. */
import type { Bulk, Violation } from "@crossdock/kernel"
import type { CustomFields } from "./CustomFields.ts"
import * as Gtin from "./Gtin.ts"
import type { Product, Size } from "./Product.ts"
import type { ProductErrorCodeName } from "./ProductErrorCodes.ts"
import type { CreateInput, KeysInput } from "./ProductMapping.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import * as ShapeCheck from "./ShapeCheck.ts"

type Facts = Pick<CreateInput, "sizes">

export const violation = (
  path: string,
  code: ProductErrorCodeName,
  message: string,
  suggestion?: string
): Violation => ({ path, code, message, ...(suggestion === undefined ? {} : { suggestion }) })

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
