/**
 * Well-formed products with the interface's field names, and their mapping to the model.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductMapping } from "@crossdock/catalog"
 * import { company, productInput, sizeInput } from "@crossdock/catalog/testing"
 *
 * const input = productInput("TEE-1", { departments: ["166"], sizes: [sizeInput("TEE-1-M", { item_weight: 180 })] })
 * const product = ProductMapping.created(input, { companyId: company, template: "apparel", brandUid: 1 })
 * deepStrictEqual([product.departments, product.sizes[0]?.priceEffective], [[166], "499.5"])
 * ```
 */
import type { CustomFields } from "./CustomFields.ts"
import type { Product, ProductDetails, Size, TradeItemNumber, Trader } from "./Product.ts"
import { filterText } from "./Product.ts"
import { dependenceWords } from "./ProductShape.ts"

/** A trade item number as it is sent. */
export interface IdentifierInput {
  readonly gtin_value: string
  readonly gtin_type: string
  readonly primary?: boolean | null
}

/** A size as it is sent. */
export interface SizeInput {
  readonly primary_identifier: string
  readonly size: string
  readonly price: number
  readonly price_effective: number
  readonly item_length?: number | null
  readonly item_width?: number | null
  readonly item_height?: number | null
  readonly item_weight?: number | null
  readonly track_inventory?: boolean | null
  readonly identifiers?: ReadonlyArray<IdentifierInput> | null
}

/** The keys by which an update or a delete finds its product. */
export interface KeysInput {
  readonly item_code?: string | null
  readonly slug?: string | null
  readonly brand?: string | null
  readonly brand_uid?: string | number | null
}

interface FactsInput {
  readonly name: string
  readonly departments: ReadonlyArray<string | number>
  readonly category: string
  readonly country_of_origin: string
  readonly tax_identifier: { readonly tax_rule_id: string }
  readonly hs_code: string
  readonly sizes: ReadonlyArray<SizeInput>
  /** The custom fields. They are ignored if the host has declared no custom fields for products. */
  readonly custom_fields?: unknown
}

/** The details as they are sent, without `is_dependent`. */
export type Details = { readonly [K in Exclude<keyof ProductDetails, "is_dependent">]?: ProductDetails[K] | null }

export interface CreateInput extends FactsInput, Details {
  readonly slug: string
  readonly brand: string
  readonly item_code: string
  readonly trader: ReadonlyArray<Trader>
  readonly attributes: Readonly<Record<string, unknown>>
  readonly is_dependent: boolean
}

export interface UpdateInput extends KeysInput, FactsInput, Details {
  readonly trader?: ReadonlyArray<Trader> | null
  readonly attributes?: Readonly<Record<string, unknown>> | null
  readonly is_dependent?: boolean | string | null
}

/** A product to delete, or some of its sizes. */
export interface DeleteInput extends KeysInput {
  readonly sizes?: ReadonlyArray<{ readonly primary_identifier: string }> | null
}

const detailNames = [
  "item_type",
  "net_quantity",
  "no_of_boxes",
  "media",
  "short_description",
  "description",
  "highlights",
  "product_publish",
  "tags",
  "return_config",
  "custom_order"
] as const satisfies ReadonlyArray<keyof Details>

/** The details of a product. A null field is treated like an absent one. */
const detailsOf = (input: Details): ProductDetails => {
  const details: Record<string, unknown> = {}
  for (const name of detailNames) {
    const value = input[name]
    if (value !== undefined && value !== null) details[name] = value
  }
  return details
}

const gtinOf = ({ gtin_type, gtin_value, primary }: IdentifierInput): TradeItemNumber => ({
  value: gtin_value,
  type: gtin_type,
  primary: primary ?? false
})

/** A size as it was sent. A field that wasn't sent keeps its value in `before`. */
const sizeOf = (input: SizeInput, before?: Size): Size => ({
  sku: input.primary_identifier,
  name: input.size,
  price: String(input.price),
  priceEffective: String(input.price_effective),
  length: input.item_length ?? before?.length ?? null,
  width: input.item_width ?? before?.width ?? null,
  height: input.item_height ?? before?.height ?? null,
  weight: input.item_weight ?? before?.weight ?? null,
  trackInventory: input.track_inventory ?? before?.trackInventory ?? true,
  identifiers: input.identifiers?.map(gtinOf) ?? before?.identifiers ?? []
})

const traderOf = ({ address, name, type }: Trader): Trader => ({ type, name, address })

const factsOf = (input: FactsInput) => ({
  name: input.name,
  departments: input.departments.map(Number),
  category: input.category,
  countryOfOrigin: input.country_of_origin,
  taxRule: input.tax_identifier.tax_rule_id,
  hsCode: input.hs_code
})

/** The custom fields of a product. If no custom fields were sent, they are unchanged. */
const fieldsOf = (input: FactsInput, fields: CustomFields | undefined): Pick<Product, "customFields" | "filters"> => {
  const { customFields } = fields?.taken("product", input.custom_fields) ?? {}
  if (fields === undefined || customFields === undefined) return {}
  return { customFields, filters: fields.filtersOf("product", customFields).map(filterText) }
}

/** The product that a create makes. */
export const created = (
  input: CreateInput,
  { brandUid, companyId, template }: Pick<Product, "companyId" | "brandUid" | "template">,
  fields?: CustomFields
): Product => ({
  companyId,
  template,
  brandUid,
  ...factsOf(input),
  itemCode: input.item_code,
  slug: input.slug,
  brand: input.brand,
  attributes: input.attributes,
  traders: input.trader.map(traderOf),
  sizes: input.sizes.map((size) => sizeOf(size)),
  details: { ...detailsOf(input), is_dependent: input.is_dependent },
  ...fieldsOf(input, fields)
})

const dependenceOf = (value: boolean | string) => (typeof value === "boolean" ? value : dependenceWords[value] === true)

/** The product after an update. Whatever wasn't sent is unchanged. Source: docs/reference/catalog.md#update. */
export const updated = (before: Product, input: UpdateInput, fields?: CustomFields): Product => {
  const sent = new Map(input.sizes.map((size) => [size.primary_identifier, size]))
  const known = new Set(before.sizes.map((size) => size.sku))
  const kept = before.sizes.map((size) => {
    const change = sent.get(size.sku)
    return change === undefined ? size : sizeOf(change, size)
  })
  const added = input.sizes.filter((size) => !known.has(size.primary_identifier)).map((size) => sizeOf(size))
  const { is_dependent: dependence } = input
  return {
    ...before,
    ...factsOf(input),
    attributes: input.attributes ?? before.attributes,
    traders: input.trader?.map(traderOf) ?? before.traders,
    sizes: [...kept, ...added],
    details: {
      ...before.details,
      ...detailsOf(input),
      ...(dependence === undefined || dependence === null ? {} : { is_dependent: dependenceOf(dependence) })
    },
    ...fieldsOf(input, fields)
  }
}

const measure = (name: string, value: number | null) => (value === null ? {} : { [name]: value })

/** A stored product with the interface's field names. Departments are shown as text. */
export const shown = (product: Product) => ({
  name: product.name,
  slug: product.slug,
  departments: product.departments.map(String),
  category: product.category,
  brand: product.brand,
  item_code: product.itemCode,
  country_of_origin: product.countryOfOrigin,
  tax_identifier: { tax_rule_id: product.taxRule },
  hs_code: product.hsCode,
  trader: product.traders,
  attributes: product.attributes,
  ...product.details,
  ...(product.customFields === undefined ? {} : { custom_fields: product.customFields }),
  sizes: product.sizes.map((size) => ({
    primary_identifier: size.sku,
    size: size.name,
    price: Number(size.price),
    price_effective: Number(size.priceEffective),
    ...measure("item_length", size.length),
    ...measure("item_width", size.width),
    ...measure("item_height", size.height),
    ...measure("item_weight", size.weight),
    track_inventory: size.trackInventory,
    identifiers: size.identifiers.map(({ primary, type, value }) => ({ gtin_value: value, gtin_type: type, primary }))
  }))
})
