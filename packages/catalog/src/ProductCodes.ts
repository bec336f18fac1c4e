/**
 * Every code that the judgement of products gives, for whoever reads an answer and for the page of rules.
 */

/**
 * `request`: nothing of the request is accepted (400). `product`: the product fails, its neighbours don't.
 */
export interface ProductCode {
  readonly when: string
  readonly fails: "request" | "product"
  readonly source: string
}

const limits = "contract, Catalog"
const data = "contract, Catalog; document 1, rule 1"

export const productCodes: Readonly<Record<string, ProductCode>> = {
  REQUIRED: { when: "a required field or a mandatory attribute is missing or empty", fails: "request", source: limits },
  INVALID_TYPE: { when: "a value is of another JSON type", fails: "request", source: limits },
  INVALID_VALUE: {
    when: "a value breaks its pattern, or is none of the allowed ones",
    fails: "request",
    source: limits
  },
  TOO_LONG: { when: "a text is longer than it may be", fails: "request", source: "document 1, Limits" },
  INVALID_TEXT: {
    when: "a text holds control characters or half characters",
    fails: "request",
    source: "contract, Errors"
  },
  OUT_OF_RANGE: { when: "a number is too small or too large", fails: "request", source: "document 1, Product input" },
  PRICE_EFFECTIVE_ABOVE_PRICE: { when: "a size sells above its price", fails: "request", source: limits },
  UNKNOWN_TEMPLATE: { when: "there is no template with this slug", fails: "request", source: limits },
  TEMPLATE_MISMATCH: { when: "the template belongs to none of the departments", fails: "request", source: limits },
  UNKNOWN_DEPARTMENT: { when: "there is no department with this uid", fails: "product", source: data },
  UNKNOWN_CATEGORY: { when: "there is no level 3 category with this name", fails: "product", source: data },
  UNKNOWN_BRAND: { when: "the company has no brand with this name", fails: "product", source: data },
  UNKNOWN_TAX_RULE: { when: "there is no tax rule with this id", fails: "product", source: data },
  UNKNOWN_HS_CODE: { when: "there is no such HS or SAC code", fails: "product", source: data },
  GTIN_CHECK_DIGIT: {
    when: "a number of the type ean, upc or gtin has the wrong length or check digit",
    fails: "product",
    source: limits
  },
  DUPLICATE_SIZE: { when: "two sizes of a product have one name", fails: "product", source: limits },
  SLUG_TAKEN: { when: "the brand has another product with this slug", fails: "product", source: limits },
  ITEM_CODE_TAKEN: { when: "the company has a product with this item code", fails: "product", source: limits },
  SKU_TAKEN: { when: "the company has another size with this primary_identifier", fails: "product", source: limits },
  UNKNOWN_PRODUCT: { when: "no product has the keys of an update or delete", fails: "product", source: limits },
  UNKNOWN_SKU: { when: "the product has no such size to delete", fails: "product", source: limits },
  IMMUTABLE_FIELD: {
    when: "slug, brand, brand_uid, item_code or template is another one than the product's",
    fails: "product",
    source: "document 1, Product update input"
  },
  OPEN_SHIPMENTS: { when: "a SKU to delete is in a shipment that is still open", fails: "product", source: limits },
  RESERVED_STOCK: { when: "a SKU to delete has stock that is reserved", fails: "product", source: limits },
  PROCESSING_FAILED: {
    when: "a defect stopped the processing; the log has its cause",
    fails: "product",
    source: limits
  }
}
