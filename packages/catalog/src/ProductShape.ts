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
import { frozen } from "@crossdock/kernel"
import * as Shape from "./Shape.ts"
import { Limits, optional, required } from "./Shape.ts"

const measure = Shape.amount(0, Limits.amount)
const price = Shape.amount(0, Limits.amount)

const digits = (value: string) => value.replace(/[\s.]/g, "")

const identifier = Shape.group({
  gtin_value: required(Shape.name, "The trade item number", "8901234567890"),
  gtin_type: required(Shape.name, "Kind of the number", "ean"),
  primary: optional(Shape.flag, "Whether it is the size's main number", true)
})

export const size = /* @__PURE__ */ frozen(
  Shape.group({
    primary_identifier: required(Shape.name, "The SKU", "TEE-BLK-M"),
    size: required(Shape.name, "The size's name", "M"),
    price: required(price, "Original price", 799),
    price_effective: required(price, "Selling price, at most the price", 499),
    item_length: optional(measure, "Length in centimetres", 30),
    item_width: optional(measure, "Width in centimetres", 25),
    item_height: optional(measure, "Height in centimetres", 2),
    item_weight: optional(measure, "Weight in grams", 180),
    track_inventory: optional(Shape.flag, "Whether stock is tracked", true),
    identifiers: optional(Shape.list(identifier), "Trade item numbers")
  })
)

const trader = Shape.group({
  type: required(Shape.words("Manufacturer", "Importer", "Packer", "Seller"), "Role", "Manufacturer"),
  name: required(Shape.name, "Name", "Kaveri Mills"),
  address: required(Shape.list(Shape.text()), "Address, line by line", ["1 Market Road"])
})

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

export const hsCode = /* @__PURE__ */ frozen(
  Shape.text({
    min: 1,
    pattern: { source: "^(?:\\d{4}|\\d{6}|\\d{8})$", message: "must have 4, 6 or 8 digits" },
    suggest: digits
  })
)

const shared = {
  itemType: Shape.words("standard", "set", "composite", "digital"),
  taxIdentifier: Shape.group({ tax_rule_id: required(Shape.name, "A tax rule's id", "gst-12") }),
  sizes: Shape.list(size, 1)
}

const rest: Shape.Fields = {
  net_quantity: optional(
    Shape.group({ unit: optional(Shape.text(), "Unit", "kg"), value: optional(Shape.amount(), "Quantity", 0.2) }),
    "Net contents"
  ),
  no_of_boxes: optional(Shape.integer(0, Number.MAX_SAFE_INTEGER), "Boxes", 1),
  media: optional(
    Shape.list(
      Shape.group({
        url: required(Shape.name, "URL", "https://example.com/tee.jpg"),
        type: optional(Shape.text(), "Kind", "image")
      })
    ),
    "Pictures and other media"
  ),
  short_description: optional(Shape.text({ max: Limits.shortDescription }), "One-line description", "A T-shirt"),
  description: optional(Shape.text({ max: Limits.description }), "Full description", "A plain T-shirt"),
  highlights: optional(Shape.list(Shape.text()), "Selling points", ["Soft"]),
  product_publish: optional(
    Shape.group({
      product_online_date: optional(Shape.instant, "Date and time", "2026-01-31T09:00:00Z"),
      is_set: optional(Shape.flag, "Whether the date applies", true)
    }),
    "When the product goes online"
  ),
  tags: optional(Shape.list(Shape.text()), "Search words", ["summer"]),
  return_config: optional(
    Shape.group({
      returnable: optional(flagOrText, "Whether it can be returned", "Yes"),
      time: optional(Shape.amount(0), "Time limit of a return", 7),
      unit: optional(Shape.text(), "Unit of time", "days")
    }),
    "Returns"
  ),
  custom_order: optional(
    Shape.group({
      is_custom_order: optional(flagOrText, "Whether it is made to order", false),
      manufacturing_time: optional(Shape.amount(0), "Manufacturing time", 3),
      manufacturing_time_unit: optional(Shape.text(), "Unit of time", "days")
    }),
    "Made to order"
  )
}

const traders = Shape.list(trader, 1)
const category = required(Shape.name, "A level 3 category's name", "T-Shirts")
const dependence = ["Whether it depends on another product", false] as const

/** The shape of a product to create. `attributes` are the fields of its category, made by `CategoryAttributes.fieldsOf`. */
export const create = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    item_type: optional(shared.itemType, "Kind of item", "standard"),
    name: required(name, "Name", "Plain T-shirt"),
    slug: required(Shape.slug, "Part of the product's URL, unique in its brand", "plain-t-shirt"),
    departments: required(departments, "Departments' uids", ["166"]),
    category,
    brand: required(Shape.name, "A brand's name", "Acme"),
    item_code: required(Shape.name, "The seller's code, unique in the company", "TEE-1"),
    country_of_origin: required(Shape.name, "Country of origin", "India"),
    tax_identifier: required(shared.taxIdentifier, "Tax rule"),
    hs_code: required(hsCode, "HS or SAC code", "610910"),
    sizes: required(shared.sizes, "Sizes, each with its own SKU"),
    trader: required(traders, "Manufacturers, importers, packers and sellers"),
    attributes: required(Shape.free(attributes), "The category's attributes"),
    is_dependent: required(Shape.flag, ...dependence),
    ...rest
  })

const keys: Shape.Fields = {
  item_code: optional(Shape.name, "The seller's code", "TEE-1"),
  slug: optional(Shape.name, "Part of the product's URL", "plain-t-shirt"),
  brand: optional(Shape.name, "Brand's name", "Acme"),
  brand_uid: optional(
    Shape.either(
      "must be a brand's uid, as text or as a number",
      Shape.integer(0, Number.MAX_SAFE_INTEGER),
      Shape.text({ min: 1 })
    ),
    "Brand's uid",
    1
  )
}

/** The words that an update also accepts as values of `is_dependent`. Source: docs/reference/catalog.md#flags-and-ids. */
export const dependenceWords: Readonly<Record<string, boolean>> = /* @__PURE__ */ frozen({
  Yes: true,
  No: false,
  true: true,
  false: false
})

export const update = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    ...keys,
    item_type: required(shared.itemType, "Kind of item", "standard"),
    name: required(name, "Name", "Plain T-shirt"),
    departments: required(departments, "Departments' uids", ["166"]),
    category,
    country_of_origin: required(Shape.name, "Country of origin", "India"),
    tax_identifier: required(shared.taxIdentifier, "Tax rule"),
    hs_code: required(hsCode, "HS or SAC code", "610910"),
    sizes: required(shared.sizes, "Sizes to change or add"),
    trader: optional(traders, "Manufacturers, importers, packers and sellers"),
    attributes: optional(Shape.free(attributes), "The category's attributes"),
    is_dependent: optional(
      Shape.either("must be true or false", Shape.flag, Shape.words(...Object.keys(dependenceWords))),
      ...dependence
    ),
    ...rest
  })

export const of = (operation: "create" | "update", attributes: Shape.Fields): Shape.Group =>
  operation === "create" ? create(attributes) : update(attributes)

export const remove: Shape.Group = /* @__PURE__ */ frozen(
  Shape.group({
    ...keys,
    name: optional(Shape.text(), "Name", "Plain T-shirt"),
    sizes: optional(
      Shape.list(
        Shape.group({
          primary_identifier: required(Shape.name, "The SKU", "TEE-BLK-M"),
          size: optional(Shape.text(), "The size's name", "M"),
          identifiers: optional(
            Shape.list(
              Shape.group({
                gtin_value: optional(Shape.text(), "Ignored"),
                gtin_type: optional(Shape.text(), "Ignored"),
                primary: optional(Shape.flag, "Ignored")
              })
            ),
            "Trade item numbers; ignored"
          )
        }),
        1
      ),
      "Sizes to delete; absent: the whole product"
    )
  })
)
