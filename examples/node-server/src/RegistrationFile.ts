/**
 * A registration as the admin command reads it.
 */
import { CompanyId } from "@crossdock/kernel"
import { Schema } from "effect"

const text = Schema.String

const Authentication = Schema.Union(
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("basic"), username: text, password: text }),
  Schema.Struct({ type: Schema.Literal("bearer"), token: text }),
  Schema.Struct({ type: Schema.Literal("header"), name: text, value: text })
)

const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(Schema.NullOr(schema), { default: () => null })

/**
 * What may be left out is null: everything is sold, no safety stock, no webhook, the password and secret of before.
 */
export const RegistrationFile = Schema.parseJson(
  Schema.Struct({
    slug: text,
    name: text,
    currency: text,
    password: orNull(text),
    locations: Schema.Array(Schema.Struct({ companyId: CompanyId, location: text, code: text })),
    skus: orNull(Schema.Array(text)),
    buffers: Schema.optionalWith(
      Schema.Array(
        Schema.Struct({
          companyId: orNull(CompanyId),
          location: orNull(text),
          sku: orNull(text),
          quantity: Schema.Number
        })
      ),
      { default: () => [] }
    ),
    webhook: orNull(
      Schema.Struct({
        url: text,
        secret: orNull(text),
        authentication: Schema.optionalWith(Authentication, { default: () => ({ type: "none" as const }) })
      })
    )
  })
)
