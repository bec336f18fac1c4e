/**
 * Every code with which a product can be rejected, as the reference page lists them. Source:
 * docs/reference/errors.md#product-codes.
 */

/**
 * When a code is given, and what it rejects: with `request` the whole request (400), with `product` only the product.
 */
export interface ProductCode {
  readonly when: string
  readonly fails: "request" | "product"
}

/**
 * The codes and their meanings.
 */
export const productCodes: Readonly<Record<string, ProductCode>> = {
  REQUIRED: { when: "a required field or a mandatory attribute is missing or empty", fails: "request" },
  INVALID_TYPE: { when: "a value is of another JSON type", fails: "request" },
  INVALID_VALUE: {
    when: "a value does not match its pattern or is not one of the allowed values",
    fails: "request"
  },
  TOO_LONG: { when: "a text is longer than its limit", fails: "request" },
  INVALID_TEXT: {
    when: "a text contains control characters or unpaired surrogates",
    fails: "request"
  },
  OUT_OF_RANGE: { when: "a number is too small or too large", fails: "request" },
  PRICE_EFFECTIVE_ABOVE_PRICE: { when: "a size has a selling price above its price", fails: "request" },
  UNKNOWN_TEMPLATE: { when: "there is no template with this slug", fails: "request" },
  TEMPLATE_MISMATCH: { when: "the template does not belong to any of the departments", fails: "request" },
  UNKNOWN_DEPARTMENT: { when: "there is no department with this uid", fails: "product" },
  UNKNOWN_CATEGORY: { when: "there is no level 3 category with this name", fails: "product" },
  UNKNOWN_BRAND: { when: "the company has no brand with this name", fails: "product" },
  UNKNOWN_TAX_RULE: { when: "there is no tax rule with this id", fails: "product" },
  UNKNOWN_HS_CODE: { when: "there is no such HS or SAC code", fails: "product" },
  GTIN_CHECK_DIGIT: {
    when: "a number of the type ean, upc or gtin has the wrong length or check digit",
    fails: "product"
  },
  DUPLICATE_SIZE: { when: "two sizes of a product have the same name", fails: "product" },
  SLUG_TAKEN: { when: "the brand has another product with this slug", fails: "product" },
  ITEM_CODE_TAKEN: { when: "the company has a product with this item code", fails: "product" },
  SKU_TAKEN: { when: "the company has another size with this primary_identifier", fails: "product" },
  UNKNOWN_PRODUCT: { when: "no product has the keys of an update or delete", fails: "product" },
  UNKNOWN_SKU: { when: "the product has no such size to delete", fails: "product" },
  IMMUTABLE_FIELD: {
    when: "slug, brand, brand_uid, item_code or template differs from the product's",
    fails: "product"
  },
  OPEN_SHIPMENTS: { when: "a SKU to delete is in a shipment that is still open", fails: "product" },
  RESERVED_STOCK: { when: "a SKU to delete has stock that is reserved", fails: "product" },
  PROCESSING_FAILED: {
    when: "a defect stopped the processing; the log has its cause",
    fails: "product"
  }
}
