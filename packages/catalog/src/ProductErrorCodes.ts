/** Every code of a rejected product, as the reference page lists them. Source: docs/reference/errors.md#product-codes. */
import { frozen } from "@crossdock/kernel"
import * as Rec from "effect/Record"

/** A code's cause and fix. `fails` is `request` if the code rejects the whole request with 400, not only the product. */
export interface ProductErrorCode {
  readonly cause: string
  readonly fix: string
  readonly fails: "request" | "product"
}

type Meanings<Code extends string> = Readonly<Record<Code, readonly [cause: string, fix: string]>>

const failing = <Code extends string>(fails: ProductErrorCode["fails"], meanings: Meanings<Code>) =>
  Rec.map(meanings, ([cause, fix]): ProductErrorCode => ({ cause, fix, fails }))

const ofRequests = failing("request", {
  REQUIRED: ["A required field or a mandatory attribute is missing or empty.", "Send the field or attribute."],
  INVALID_TYPE: ["A value has the wrong JSON type.", "Send the type that the message names."],
  INVALID_VALUE: [
    "A value does not match its pattern or is not one of the allowed values.",
    "Send a value that the message names."
  ],
  TOO_LONG: ["A text is longer than its limit.", "Shorten the text."],
  INVALID_TEXT: ["A text contains control characters or unpaired surrogates.", "Remove these characters."],
  OUT_OF_RANGE: ["A number is too small or too large.", "Send a number within the bounds in the message."],
  PRICE_EFFECTIVE_ABOVE_PRICE: [
    "A size has a selling price above its price.",
    "Lower price_effective, or raise price."
  ],
  UNKNOWN_TEMPLATE: ["There is no template with this slug.", "Read the templates, and send the slug of a template."],
  TEMPLATE_MISMATCH: [
    "The template does not belong to any of the departments.",
    "Send a department of the template, or another template."
  ]
})

const ofProducts = failing("product", {
  UNKNOWN_DEPARTMENT: ["There is no department with this uid.", "Read the departments, and send a department's uid."],
  UNKNOWN_CATEGORY: [
    "There is no level 3 category with this name.",
    "Read the categories, and send the name of a level 3 category."
  ],
  UNKNOWN_BRAND: ["The company has no brand with this name.", "Read the company's brands, and send a brand's name."],
  UNKNOWN_TAX_RULE: ["There is no tax rule with this id.", "Read the tax rules, and send a tax rule's id."],
  UNKNOWN_HS_CODE: ["There is no such HS or SAC code.", "Search the HS codes, and send a listed code."],
  GTIN_CHECK_DIGIT: [
    "A number of the type ean, upc or gtin has the wrong length or check digit.",
    "Correct the number; `suggestion` has the right check digit."
  ],
  DUPLICATE_SIZE: ["Two sizes of a product have the same name.", "Give each size its own name."],
  SLUG_TAKEN: ["The brand has another product with this slug.", "Send another slug."],
  ITEM_CODE_TAKEN: [
    "The company has a product with this item code.",
    "Send another item code, or update that product."
  ],
  SKU_TAKEN: ["The company has another size with this primary_identifier.", "Send another primary_identifier."],
  UNKNOWN_PRODUCT: ["No product has the keys of an update or delete.", "Correct the keys, or create the product."],
  UNKNOWN_SKU: ["The product has no such size to delete.", "Send a primary_identifier of the product's sizes."],
  IMMUTABLE_FIELD: [
    "Slug, brand, brand_uid, item_code or template differs from the product's.",
    "Send the product's own value, or leave the field out."
  ],
  OPEN_SHIPMENTS: [
    "A SKU to delete is in an open shipment, or in a returned one without a quality check.",
    "Delete it when the shipment is closed and checked."
  ],
  RESERVED_STOCK: ["A SKU to delete has reserved stock.", "Delete it when nothing is reserved."],
  INVALID_RECORD: ["A product to delete has the wrong shape; the message lists every fault.", "Correct it."]
})

/**
 * Every code by name, with its cause and fix.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { productErrorCodes } from "@crossdock/catalog"
 *
 * const { SKU_TAKEN, TOO_LONG } = productErrorCodes
 * deepStrictEqual([TOO_LONG.fails, SKU_TAKEN.fails], ["request", "product"])
 * ```
 */
export const productErrorCodes = /* @__PURE__ */ frozen({ ...ofRequests, ...ofProducts })

export type ProductErrorCodeName = keyof typeof productErrorCodes
