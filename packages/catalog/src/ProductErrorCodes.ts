/**
 * Every code with which a product can be rejected, as the reference page lists them. Source:
 * docs/reference/errors.md#product-codes.
 */

/**
 * Why a product is rejected, what to do, and what fails: with `request` the whole request (400), with `product` only the
 * product.
 */
export interface ProductErrorCode {
  readonly cause: string
  readonly fix: string
  readonly fails: "request" | "product"
}

/** The codes and their meanings. */
export const productErrorCodes = {
  REQUIRED: {
    cause: "A required field or a mandatory attribute is missing or empty.",
    fix: "Send it.",
    fails: "request"
  },
  INVALID_TYPE: {
    cause: "A value is of another JSON type.",
    fix: "Send the type that the message names.",
    fails: "request"
  },
  INVALID_VALUE: {
    cause: "A value does not match its pattern or is not one of the allowed values.",
    fix: "Send a value that the message names.",
    fails: "request"
  },
  TOO_LONG: {
    cause: "A text is longer than its limit.",
    fix: "Shorten it.",
    fails: "request"
  },
  INVALID_TEXT: {
    cause: "A text contains control characters or unpaired surrogates.",
    fix: "Remove them.",
    fails: "request"
  },
  OUT_OF_RANGE: {
    cause: "A number is too small or too large.",
    fix: "Stay within what the message names.",
    fails: "request"
  },
  PRICE_EFFECTIVE_ABOVE_PRICE: {
    cause: "A size has a selling price above its price.",
    fix: "Lower price_effective, or raise price.",
    fails: "request"
  },
  UNKNOWN_TEMPLATE: {
    cause: "There is no template with this slug.",
    fix: "Read the templates, and send the slug of one.",
    fails: "request"
  },
  TEMPLATE_MISMATCH: {
    cause: "The template does not belong to any of the departments.",
    fix: "Name a department of the template, or another template.",
    fails: "request"
  },
  UNKNOWN_DEPARTMENT: {
    cause: "There is no department with this uid.",
    fix: "Read the departments, and send the uid of one.",
    fails: "product"
  },
  UNKNOWN_CATEGORY: {
    cause: "There is no level 3 category with this name.",
    fix: "Read the categories, and send the name of one of level 3.",
    fails: "product"
  },
  UNKNOWN_BRAND: {
    cause: "The company has no brand with this name.",
    fix: "Read the company's brands, and send the name of one.",
    fails: "product"
  },
  UNKNOWN_TAX_RULE: {
    cause: "There is no tax rule with this id.",
    fix: "Read the tax rules, and send the id of one.",
    fails: "product"
  },
  UNKNOWN_HS_CODE: {
    cause: "There is no such HS or SAC code.",
    fix: "Search the HS codes, and send one.",
    fails: "product"
  },
  GTIN_CHECK_DIGIT: {
    cause: "A number of the type ean, upc or gtin has the wrong length or check digit.",
    fix: "Correct the number; `suggestion` has the right check digit.",
    fails: "product"
  },
  DUPLICATE_SIZE: {
    cause: "Two sizes of a product have the same name.",
    fix: "Give each size its own name.",
    fails: "product"
  },
  SLUG_TAKEN: {
    cause: "The brand has another product with this slug.",
    fix: "Send another slug.",
    fails: "product"
  },
  ITEM_CODE_TAKEN: {
    cause: "The company has a product with this item code.",
    fix: "Send another item code, or update that product.",
    fails: "product"
  },
  SKU_TAKEN: {
    cause: "The company has another size with this primary_identifier.",
    fix: "Send another primary_identifier.",
    fails: "product"
  },
  UNKNOWN_PRODUCT: {
    cause: "No product has the keys of an update or delete.",
    fix: "Correct the keys, or create the product.",
    fails: "product"
  },
  UNKNOWN_SKU: {
    cause: "The product has no such size to delete.",
    fix: "Send a primary_identifier of the product's sizes.",
    fails: "product"
  },
  IMMUTABLE_FIELD: {
    cause: "Slug, brand, brand_uid, item_code or template differs from the product's.",
    fix: "Send the product's own value, or leave the field out.",
    fails: "product"
  },
  OPEN_SHIPMENTS: {
    cause: "A SKU to delete is in a shipment that is still open.",
    fix: "Delete it when the shipment is closed.",
    fails: "product"
  },
  RESERVED_STOCK: {
    cause: "A SKU to delete has stock that is reserved.",
    fix: "Delete it when nothing is reserved any more.",
    fails: "product"
  },
  INVALID_RECORD: {
    cause: "A product to delete has the wrong shape; the message lists every fault.",
    fix: "Correct it.",
    fails: "product"
  }
} as const satisfies Readonly<Record<string, ProductErrorCode>>

/** The code of a rejected product. */
export type ProductErrorCodeName = keyof typeof productErrorCodes
