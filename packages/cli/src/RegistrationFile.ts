/**
 * The file of a marketplace's registration.
 */
import { CompanyId } from "@crossdock/kernel"
import { Effect, Schema } from "effect"

const text = Schema.String

const Authentication = Schema.Union([
  Schema.Struct({ type: Schema.Literal("none") }),
  Schema.Struct({ type: Schema.Literal("basic"), username: text, password: text }),
  Schema.Struct({ type: Schema.Literal("bearer"), token: text }),
  Schema.Struct({ type: Schema.Literal("header"), name: text, value: text })
])

const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/**
 * A field that is left out is null. Null means: all SKUs, no webhook, and the password, secret and authentication of the
 * registration so far. Without `buffers` there is no safety stock.
 */
export const RegistrationFile = Schema.Struct({
  slug: text,
  name: text,
  currency: text,
  password: orNull(text),
  locations: Schema.Array(Schema.Struct({ companyId: CompanyId, location: text, code: text })),
  skus: orNull(Schema.Array(text)),
  buffers: Schema.Array(
    Schema.Struct({
      companyId: orNull(CompanyId),
      location: orNull(text),
      sku: orNull(text),
      quantity: Schema.Finite
    })
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  webhook: orNull(
    Schema.Struct({
      url: text,
      secret: orNull(text),
      authentication: orNull(Authentication)
    })
  )
})
