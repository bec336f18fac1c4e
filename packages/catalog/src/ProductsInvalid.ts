/**
 * The error of products of invalid shape.
 */
import type { Violation } from "@crossdock/kernel"
import * as Schema from "effect/Schema"

/**
 * Products of invalid shape; nothing of the request was accepted.
 */
export class ProductsInvalid extends Schema.TaggedError<ProductsInvalid>("@crossdock/catalog/ProductsInvalid")(
  "ProductsInvalid",
  { violations: Schema.Array(Schema.Unknown as Schema.Schema<Violation>) }
) {
  override get message() {
    return `The products have ${this.violations.length} invalid fields. Correct them and send the request again.`
  }
}
