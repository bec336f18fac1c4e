/**
 * A registration as the admin command reads it.
 */
import { CompanyId, pointer } from "@crossdock/kernel"
import { Effect, Result, Schema, SchemaIssue } from "effect"

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
 * What may be left out is null: everything is sold, no safety stock, no webhook, the password and secret of before.
 */
const RegistrationFile = Schema.Struct({
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
      authentication: Authentication.pipe(Schema.withDecodingDefaultKey(Effect.succeed({ type: "none" as const })))
    })
  )
})

const decode = Schema.decodeUnknownResult(RegistrationFile, { errors: "all", onExcessProperty: "error" })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is missing"
    return issue._tag === "UnexpectedKey" ? "is no field of a registration" : SchemaIssue.defaultLeafHook(issue)
  }
})

const key = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

/**
 * What the file says, or everything that is wrong with it, a line for each place. A value that is at fault is never shown:
 * it may be a secret.
 */
export const read = (file: string): Result.Result<typeof RegistrationFile.Type, string> =>
  Result.try({ try: (): unknown => JSON.parse(file), catch: () => "The file is no JSON" }).pipe(
    Result.flatMap((content) =>
      Result.mapError(decode(content), ({ issue }) =>
        issuesOf(issue)
          .issues.map(({ message, path = [] }) =>
            path.length === 0 ? "The file is no JSON object" : `${pointer(path.map(key))}: ${message}`
          )
          .join("\n")
      )
    )
  )
