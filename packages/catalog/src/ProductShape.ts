/**
 * Every field of a product in a create, an update and a delete, as data. Source: docs/reference/catalog-rules.md.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductShape, Shape } from "@crossdock/catalog"
 *
 * const { fields } = ProductShape.create({ color: Shape.required(Shape.words("Black", "White")) })
 * deepStrictEqual([fields.slug?.required, fields.item_type?.required], [true, false])
 * ```
 */
import { Text } from "@crossdock/kernel"
import type { Attribute } from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"
import { Limits, optional, required } from "./Shape.ts"

const measure = Shape.amount(0, Limits.amount)
const price = Shape.amount(0, Limits.amount)

/** The digits of a code that was written with spaces or dots. */
const digits = (value: string) => value.replace(/[\s.]/g, "")

const identifier = Shape.group({
  gtin_value: required(Shape.name, { what: "The number", example: "8901234567890" }),
  gtin_type: required(Shape.name, { what: "Its kind", example: "ean" }),
  primary: optional(Shape.flag, { what: "Whether it is the main one", example: true })
})

/** The shape of one size. */
export const size = Shape.group({
  primary_identifier: required(Shape.name, { what: "The SKU", example: "TEE-BLK-M" }),
  size: required(Shape.name, { what: "The size's name", example: "M" }),
  price: required(price, { what: "Original price", example: 799 }),
  price_effective: required(price, { what: "Selling price, at most the price", example: 499 }),
  item_length: optional(measure, { what: "Length in centimetres", example: 30 }),
  item_width: optional(measure, { what: "Width in centimetres", example: 25 }),
  item_height: optional(measure, { what: "Height in centimetres", example: 2 }),
  item_weight: optional(measure, { what: "Weight in grams", example: 180 }),
  track_inventory: optional(Shape.flag, { what: "Whether stock is kept", example: true }),
  identifiers: optional(Shape.list(identifier), { what: "Trade item numbers" })
})

/** The types of a trader. */
export const traderTypes = ["Manufacturer", "Importer", "Packer", "Seller"] as const

const trader = Shape.group({
  type: required(Shape.words(...traderTypes), { what: "Role", example: "Manufacturer" }),
  name: required(Shape.name, { what: "Name", example: "Kaveri Mills" }),
  address: required(Shape.list(Shape.text()), {
    what: "Address, line by line",
    example: ["1 Market Road"]
  })
})

/** The types of an item. */
export const itemTypes = ["standard", "set", "composite", "digital"] as const

/** A boolean, or a word for it. */
const flagOrText = Shape.either("must be true, false or text", Shape.flag, Shape.text())

const name = Shape.text({ min: 1, max: Limits.name })
const departments = Shape.list(
  Shape.either(
    "must be a department's uid, as digits or as a number",
    Shape.integer(0, Number.MAX_SAFE_INTEGER),
    Shape.text({ max: 15, pattern: { source: "^(?:0|[1-9]\\d*)$", message: "must be digits" } })
  ),
  1
)

/** An HS or SAC code. */
export const hsCode = Shape.text({
  min: 1,
  pattern: { source: "^(?:\\d{4}|\\d{6}|\\d{8})$", message: "must have 4, 6 or 8 digits" },
  suggest: digits
})

const shared = {
  itemType: Shape.words(...itemTypes),
  taxIdentifier: Shape.group({
    tax_rule_id: required(Shape.name, { what: "A tax rule's id", example: "gst-12" })
  }),
  sizes: Shape.list(size, 1)
}

const rest: Shape.Fields = {
  net_quantity: optional(
    Shape.group({
      unit: optional(Shape.text(), { what: "Unit", example: "kg" }),
      value: optional(Shape.amount(), { what: "Quantity", example: 0.2 })
    }),
    { what: "What is in it" }
  ),
  no_of_boxes: optional(Shape.integer(0, Number.MAX_SAFE_INTEGER), { what: "Boxes", example: 1 }),
  media: optional(
    Shape.list(
      Shape.group({
        url: required(Shape.name, { what: "Address", example: "https://example.com/tee.jpg" }),
        type: optional(Shape.text(), { what: "Kind", example: "image" })
      })
    ),
    { what: "Pictures and the like" }
  ),
  short_description: optional(Shape.text({ max: Limits.shortDescription }), {
    what: "In a line",
    example: "A T-shirt"
  }),
  description: optional(Shape.text({ max: Limits.description }), {
    what: "In full",
    example: "A plain T-shirt"
  }),
  highlights: optional(Shape.list(Shape.text()), { what: "What to point out", example: ["Soft"] }),
  product_publish: optional(
    Shape.group({
      product_online_date: optional(Shape.instant, { what: "When", example: "2026-01-31T09:00:00Z" }),
      is_set: optional(Shape.flag, { what: "Whether the date counts", example: true })
    }),
    { what: "When it goes online" }
  ),
  tags: optional(Shape.list(Shape.text()), { what: "Words to find it by", example: ["summer"] }),
  return_config: optional(
    Shape.group({
      returnable: optional(flagOrText, { what: "Whether it can come back", example: "Yes" }),
      time: optional(Shape.amount(0), { what: "For how long", example: 7 }),
      unit: optional(Shape.text(), { what: "Unit of the time", example: "days" })
    }),
    { what: "Returns" }
  ),
  custom_order: optional(
    Shape.group({
      is_custom_order: optional(flagOrText, { what: "Whether it is made to order", example: false }),
      manufacturing_time: optional(Shape.amount(0), { what: "How long that takes", example: 3 }),
      manufacturing_time_unit: optional(Shape.text(), { what: "Unit of the time", example: "days" })
    }),
    { what: "Made to order" }
  )
}

type AttributeSchema = Attribute["schema"]

const isText = (value: string | number): value is string => typeof value === "string"
const isNumber = (value: string | number): value is number => typeof value === "number"

const textOf = ({ allowedValues, format, mandatory }: AttributeSchema): Shape.Shape => ({
  _tag: "Text",
  min: mandatory ? 1 : 0,
  max: format === undefined ? Text.maxFreeFormLength : Text.maxLength,
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isText) }),
  ...(format === undefined ? {} : { pattern: { source: `^(?:${format})$`, message: `must match ${format}` } })
})

const numberOf = ({ allowedValues, range, type }: AttributeSchema): Shape.Shape => ({
  _tag: "Amount",
  min: range?.min ?? (type === "int" ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE),
  max: range?.max ?? (type === "int" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE),
  whole: type === "int",
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isNumber) })
})

const attributeKinds: { readonly [Type in AttributeSchema["type"]]: (schema: AttributeSchema) => Shape.Shape } = {
  str: textOf,
  int: numberOf,
  float: numberOf,
  bool: () => Shape.flag,
  date: () => Shape.day
}

/** The shape of an attribute's value. A mandatory attribute with several values has at least one. */
const attributeShape = (schema: AttributeSchema): Shape.Shape => {
  const one = attributeKinds[schema.type](schema)
  return schema.multi ? Shape.list(one, schema.mandatory ? 1 : 0) : one
}

/** The fields of a category's attributes, by slug. */
export const attributeFields = (attributes: ReadonlyArray<Attribute>): Shape.Fields =>
  Object.fromEntries(
    attributes.map(({ name, schema, slug }) => [
      slug,
      { shape: attributeShape(schema), required: schema.mandatory, what: name }
    ])
  )

const traders = Shape.list(trader, 1)
const category = { what: "A level 3 category's name", example: "T-Shirts" }
const dependence = { what: "Whether it depends on another product", example: false }

/** The shape of a product to create; `attributes` are the fields of its category (see `attributeFields`). */
export const create = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    item_type: optional(shared.itemType, { what: "Kind of item", example: "standard" }),
    name: required(name, { what: "Name", example: "Plain T-shirt" }),
    slug: required(Shape.slug, { what: "Address part, unique in its brand", example: "plain-t-shirt" }),
    departments: required(departments, { what: "Departments' uids", example: ["166"] }),
    category: required(Shape.name, category),
    brand: required(Shape.name, { what: "A brand's name", example: "Acme" }),
    item_code: required(Shape.name, { what: "The seller's code, unique", example: "TEE-1" }),
    country_of_origin: required(Shape.name, { what: "Country of origin", example: "India" }),
    tax_identifier: required(shared.taxIdentifier, { what: "Tax rule" }),
    hs_code: required(hsCode, { what: "HS or SAC code", example: "610910" }),
    sizes: required(shared.sizes, { what: "What is sold" }),
    trader: required(traders, { what: "Who makes, packs or sells it" }),
    attributes: required(Shape.free(attributes), { what: "The category's attributes" }),
    is_dependent: required(Shape.flag, dependence),
    ...rest
  })

/** The keys by which an update or a delete finds its product. */
const keys: Shape.Fields = {
  item_code: optional(Shape.name, { what: "The seller's code", example: "TEE-1" }),
  slug: optional(Shape.name, { what: "Address part", example: "plain-t-shirt" }),
  brand: optional(Shape.name, { what: "Brand's name", example: "Acme" }),
  brand_uid: optional(
    Shape.either(
      "must be a brand's uid, as text or as a number",
      Shape.integer(0, Number.MAX_SAFE_INTEGER),
      Shape.text({ min: 1 })
    ),
    { what: "Brand's uid", example: 1 }
  )
}

/** Words that an update also accepts for `is_dependent`. Source: docs/reference/catalog.md#flags-and-ids. */
export const dependenceWords: Readonly<Record<string, boolean>> = { Yes: true, No: false, true: true, false: false }

/** The shape of a product to update. */
export const update = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    ...keys,
    item_type: required(shared.itemType, { what: "Kind of item", example: "standard" }),
    name: required(name, { what: "Name", example: "Plain T-shirt" }),
    departments: required(departments, { what: "Departments' uids", example: ["166"] }),
    category: required(Shape.name, category),
    country_of_origin: required(Shape.name, { what: "Country of origin", example: "India" }),
    tax_identifier: required(shared.taxIdentifier, { what: "Tax rule" }),
    hs_code: required(hsCode, { what: "HS or SAC code", example: "610910" }),
    sizes: required(shared.sizes, { what: "Sizes to change or add" }),
    trader: optional(traders, { what: "Who makes, packs or sells it" }),
    attributes: optional(Shape.free(attributes), { what: "The category's attributes" }),
    is_dependent: optional(
      Shape.either("must be true or false", Shape.flag, Shape.words(...Object.keys(dependenceWords))),
      dependence
    ),
    ...rest
  })

/** The shape of a product to create or update. */
export const of = (operation: "create" | "update", attributes: Shape.Fields): Shape.Group =>
  operation === "create" ? create(attributes) : update(attributes)

/** The shape of a product to delete. */
export const remove: Shape.Group = Shape.group({
  ...keys,
  name: optional(Shape.text(), { what: "Name", example: "Plain T-shirt" }),
  sizes: optional(
    Shape.list(
      Shape.group({
        primary_identifier: required(Shape.name, { what: "The SKU", example: "TEE-BLK-M" }),
        size: optional(Shape.text(), { what: "The size's name", example: "M" }),
        identifiers: optional(
          Shape.list(
            Shape.group({
              gtin_value: optional(Shape.text(), { what: "Accepted and not used" }),
              gtin_type: optional(Shape.text(), { what: "Accepted and not used" }),
              primary: optional(Shape.flag, { what: "Accepted and not used" })
            })
          ),
          { what: "Trade item numbers: accepted and not used" }
        )
      }),
      1
    ),
    { what: "Sizes to delete; absent: the whole product" }
  )
})
