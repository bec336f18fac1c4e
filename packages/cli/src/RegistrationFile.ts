/**
 * Reads the file of a registration for the admin command.
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
 * A field that is left out is null. Null means: all SKUs, no webhook, and the password and secret of the registration so
 * far. Without `buffers` there is no safety stock.
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
    return issue._tag === "UnexpectedKey" ? "is not a field of a registration" : SchemaIssue.defaultLeafHook(issue)
  }
})

const key = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

/**
 * The registration, or all errors, one line each. Values are never shown, since they may be secrets.
 */
export const read = (file: string): Result.Result<typeof RegistrationFile.Type, string> =>
  Result.try({ try: (): unknown => JSON.parse(file), catch: () => "The file is not valid JSON" }).pipe(
    Result.flatMap((content) =>
      Result.mapError(decode(content), ({ issue }) =>
        issuesOf(issue)
          .issues.map(({ message, path = [] }) =>
            path.length === 0 ? "The file must contain a JSON object" : `${pointer(path.map(key))}: ${message}`
          )
          .join("\n")
      )
    )
  )
