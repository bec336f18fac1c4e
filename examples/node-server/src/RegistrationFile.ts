/**
 * A registration as the admin command reads it.
 */
import { CompanyId, pointer } from "@crossdock/kernel"
import { Either, ParseResult, Schema } from "effect"

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
const RegistrationFile = Schema.parseJson(
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

const decode = Schema.decodeEither(RegistrationFile, { errors: "all", onExcessProperty: "error" })

/**
 * What a field that may be left out says of null and undefined, beside what it says of its value.
 */
const emptyMember = /^Expected (null|undefined)$/

/**
 * What the file says, or everything that is wrong with it, a line for each place. A value that is at fault is never shown:
 * it may be a secret.
 */
export const read = (text: string): Either.Either<typeof RegistrationFile.Type, string> =>
  Either.mapLeft(decode(text), (error) =>
    ParseResult.ArrayFormatter.formatErrorSync(error)
      .flatMap(({ _tag, message, path }) => {
        if (path.length === 0) return [`The file is no JSON${_tag === "Transformation" ? "" : " object"}`]
        if (_tag === "Missing") return [`${pointer(path)}: is missing`]
        if (_tag === "Unexpected") return [`${pointer(path)}: is no field of a registration`]
        const expected = message.replace(/, actual .*$/s, "")
        return emptyMember.test(expected) ? [] : [`${pointer(path)}: ${expected}`]
      })
      .join("\n")
  )
