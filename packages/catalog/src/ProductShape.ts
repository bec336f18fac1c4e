/**
 * Document 1's tables of products: every field of a create, an update and a delete, as data.
 */
import * as Shape from "./Shape.ts"
import { optional, required } from "./Shape.ts"
import * as Slug from "./Slug.ts"

const source = "document 1, Product input"
const sizeSource = "document 1, Size object"
const traderSource = "document 1, Trader object"

/** Products in one request (document 1, Limits; contract, Catalog). */
export const productLimit = 100

const measure = Shape.amount(0, Shape.largest)
const price = Shape.amount(0, Shape.largest)

/** Trimmed, when white space is all that is wrong. */
const digits = (value: string) => value.replace(/[\s.]/g, "")

const identifier = Shape.group({
  gtin_value: required(Shape.name, { what: "The number", example: "8901234567890", source: sizeSource }),
  gtin_type: required(Shape.name, { what: "Its kind", example: "ean", source: sizeSource }),
  primary: optional(Shape.flag, { what: "Whether it is the main one", example: true, source: sizeSource })
})

export const size = Shape.group({
  primary_identifier: required(Shape.name, { what: "The SKU", example: "TEE-BLK-M", source: sizeSource }),
  size: required(Shape.name, { what: "The size's name", example: "M", source: sizeSource }),
  price: required(price, { what: "Original price", example: 799, source: sizeSource }),
  price_effective: required(price, { what: "Selling price, at most the price", example: 499, source: sizeSource }),
  item_length: optional(measure, { what: "Length in centimetres", example: 30, source: sizeSource }),
  item_width: optional(measure, { what: "Width in centimetres", example: 25, source: sizeSource }),
  item_height: optional(measure, { what: "Height in centimetres", example: 2, source: sizeSource }),
  item_weight: optional(measure, { what: "Weight in grams", example: 180, source: sizeSource }),
  track_inventory: optional(Shape.flag, { what: "Whether stock is kept", example: true, source: sizeSource }),
  identifiers: optional(Shape.list(identifier), { what: "Trade item numbers", source: sizeSource })
})

export const traderTypes = ["Manufacturer", "Importer", "Packer", "Seller"] as const

const trader = Shape.group({
  type: required(Shape.words(...traderTypes), { what: "Role", example: "Manufacturer", source: traderSource }),
  name: required(Shape.name, { what: "Name", example: "Kaveri Mills", source: traderSource }),
  address: required(Shape.list(Shape.text()), {
    what: "Address, line by line",
    example: ["1 Market Road"],
    source: traderSource
  })
})

export const itemTypes = ["standard", "set", "composite", "digital"] as const

/** A boolean or the word that stands for it. */
const flagOrText = Shape.either("must be true, false or text", Shape.flag, Shape.text())

const name = Shape.text({ least: 1, most: 300 })
const slug = Shape.text({
  least: 1,
  pattern: { source: Slug.pattern, message: "must be lower-case letters and digits, joined by single hyphens" },
  suggest: Slug.suggest
})
const departments = Shape.list(
  Shape.either(
    "must be a department's uid, as digits or as a number",
    Shape.integer(0, Number.MAX_SAFE_INTEGER),
    Shape.text({ most: 15, pattern: { source: "^(?:0|[1-9]\\d*)$", message: "must be digits" } })
  ),
  1
)
const hsCode = Shape.text({
  least: 1,
  pattern: { source: "^(?:\\d{4}|\\d{6}|\\d{8})$", message: "must have 4, 6 or 8 digits" },
  suggest: digits
})

const shared = {
  itemType: Shape.words(...itemTypes),
  taxIdentifier: Shape.group({
    tax_rule_id: required(Shape.name, { what: "A tax rule's id", example: "gst-12", source })
  }),
  sizes: Shape.list(size, 1)
}

const rest: Shape.Fields = {
  net_quantity: optional(
    Shape.group({
      unit: optional(Shape.text(), { what: "Unit", example: "kg", source }),
      value: optional(Shape.amount(), { what: "Quantity", example: 0.2, source })
    }),
    { what: "What is in it", source }
  ),
  no_of_boxes: optional(Shape.integer(0, Number.MAX_SAFE_INTEGER), { what: "Boxes", example: 1, source }),
  media: optional(
    Shape.list(
      Shape.group({
        url: required(Shape.name, { what: "Address", example: "https://example.com/tee.jpg", source }),
        type: optional(Shape.text(), { what: "Kind", example: "image", source })
      })
    ),
    { what: "Pictures and the like", source }
  ),
  short_description: optional(Shape.text({ most: 50 }), { what: "In a line", example: "A T-shirt", source }),
  description: optional(Shape.text({ most: 5000 }), { what: "In full", example: "A plain T-shirt", source }),
  highlights: optional(Shape.list(Shape.text()), { what: "What to point out", example: ["Soft"], source }),
  product_publish: optional(
    Shape.group({
      product_online_date: optional(Shape.instant, { what: "When", example: "2026-01-31T09:00:00Z", source }),
      is_set: optional(Shape.flag, { what: "Whether the date counts", example: true, source })
    }),
    { what: "When it goes online", source }
  ),
  tags: optional(Shape.list(Shape.text()), { what: "Words to find it by", example: ["summer"], source }),
  return_config: optional(
    Shape.group({
      returnable: optional(flagOrText, { what: "Whether it can come back", example: "Yes", source }),
      time: optional(Shape.amount(0), { what: "For how long", example: 7, source }),
      unit: optional(Shape.text(), { what: "Unit of the time", example: "days", source })
    }),
    { what: "Returns", source }
  ),
  custom_order: optional(
    Shape.group({
      is_custom_order: optional(flagOrText, { what: "Whether it is made to order", example: false, source }),
      manufacturing_time: optional(Shape.amount(0), { what: "How long that takes", example: 3, source }),
      manufacturing_time_unit: optional(Shape.text(), { what: "Unit of the time", example: "days", source })
    }),
    { what: "Made to order", source }
  )
}

const traders = Shape.list(trader, 1)
const category = { what: "A level 3 category's name", example: "T-Shirts", source }
const dependence = { what: "Whether it depends on another product", example: false, source }

/** `attributes` are the category's, by their slugs; see `AttributeShape`. */
export const create = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    item_type: optional(shared.itemType, { what: "Kind of item", example: "standard", source }),
    name: required(name, { what: "Name", example: "Plain T-shirt", source }),
    slug: required(slug, { what: "Address part, unique in its brand", example: "plain-t-shirt", source }),
    departments: required(departments, { what: "Departments' uids", example: ["166"], source }),
    category: required(Shape.name, category),
    brand: required(Shape.name, { what: "A brand's name", example: "Acme", source }),
    item_code: required(Shape.name, { what: "The seller's code, unique", example: "TEE-1", source }),
    country_of_origin: required(Shape.name, { what: "Country of origin", example: "India", source }),
    tax_identifier: required(shared.taxIdentifier, { what: "Tax rule", source }),
    hs_code: required(hsCode, { what: "HS or SAC code", example: "610910", source }),
    sizes: required(shared.sizes, { what: "What is sold", source }),
    trader: required(traders, { what: "Who makes, packs or sells it", source }),
    attributes: required(Shape.free(attributes), { what: "The category's attributes", source }),
    is_dependent: required(Shape.flag, dependence),
    ...rest
  })

const updateSource = "document 1, Product update input"

/** What finds the product that an update or a delete means. */
const keys: Shape.Fields = {
  item_code: optional(Shape.name, { what: "The seller's code", example: "TEE-1", source: updateSource }),
  slug: optional(Shape.name, { what: "Address part", example: "plain-t-shirt", source: updateSource }),
  brand: optional(Shape.name, { what: "Brand's name", example: "Acme", source: updateSource }),
  brand_uid: optional(
    Shape.either(
      "must be a brand's uid, as text or as a number",
      Shape.integer(0, Number.MAX_SAFE_INTEGER),
      Shape.text({ least: 1 })
    ),
    { what: "Brand's uid", example: 1, source: updateSource }
  )
}

/** The words that an update also takes for `is_dependent` (contract, Catalog). */
export const dependenceWords: Readonly<Record<string, boolean>> = { Yes: true, No: false, true: true, false: false }

export const update = (attributes: Shape.Fields): Shape.Group =>
  Shape.group({
    ...keys,
    item_type: required(shared.itemType, { what: "Kind of item", example: "standard", source: updateSource }),
    name: required(name, { what: "Name", example: "Plain T-shirt", source: updateSource }),
    departments: required(departments, { what: "Departments' uids", example: ["166"], source: updateSource }),
    category: required(Shape.name, category),
    country_of_origin: required(Shape.name, { what: "Country of origin", example: "India", source: updateSource }),
    tax_identifier: required(shared.taxIdentifier, { what: "Tax rule", source: updateSource }),
    hs_code: required(hsCode, { what: "HS or SAC code", example: "610910", source: updateSource }),
    sizes: required(shared.sizes, { what: "Sizes to change or add", source: updateSource }),
    trader: optional(traders, { what: "Who makes, packs or sells it", source: updateSource }),
    attributes: optional(Shape.free(attributes), { what: "The category's attributes", source: updateSource }),
    is_dependent: optional(
      Shape.either("must be true or false", Shape.flag, Shape.words(...Object.keys(dependenceWords))),
      dependence
    ),
    ...rest
  })

export const of = (operation: "create" | "update", attributes: Shape.Fields): Shape.Group =>
  operation === "create" ? create(attributes) : update(attributes)

const deleteSource = "document 1, Product delete input"

export const remove: Shape.Group = Shape.group({
  ...keys,
  name: optional(Shape.text(), { what: "Name", example: "Plain T-shirt", source: deleteSource }),
  sizes: optional(
    Shape.list(
      Shape.group({
        primary_identifier: required(Shape.name, { what: "The SKU", example: "TEE-BLK-M", source: deleteSource }),
        size: optional(Shape.text(), { what: "The size's name", example: "M", source: deleteSource }),
        identifiers: optional(
          Shape.list(
            Shape.group({
              gtin_value: optional(Shape.text(), { source: deleteSource }),
              gtin_type: optional(Shape.text(), { source: deleteSource }),
              primary: optional(Shape.flag, { source: deleteSource })
            })
          ),
          { source: deleteSource }
        )
      }),
      1
    ),
    { what: "Sizes to delete; absent: the whole product", source: deleteSource }
  )
})
