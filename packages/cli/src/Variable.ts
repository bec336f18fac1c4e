/** How to read variables of the environment, and their defaults. */
import { Checkpoint } from "@crossdock/audit"
import { SecretCipher } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import { Config, Effect, type LogLevel, Option, Redacted, Schema, SchemaIssue } from "effect"

/** An error about a variable. */
export const invalid = (message: string) =>
  new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.InvalidValue({ message })))

type Reader<A> = (name: string) => Config.Config<A>

/** Reads a variable by `parse`. If `parse` returns undefined, the error says that the variable must `expected`. */
export const reader =
  <A>(expected: string, parse: (text: string) => A | undefined): Reader<A> =>
  (name) =>
    Config.mapEffect(Config.String(name), (text) => {
      const value = parse(text)
      return value === undefined
        ? Effect.fail(invalid(`${name} must ${expected}: correct it, or leave it unset`))
        : Effect.succeed(value)
    })

/** Reads one of these words. */
export const word = <const W extends string>(expected: string, words: ReadonlyArray<W>) =>
  reader(expected, (text) => words.find((one) => one === text))

export const flag = reader("be 0 or 1", (text) => (text === "1" || text === "0" ? text === "1" : undefined))

export const sandbox = reader("be 0, 1 or day", (text) => (text === "day" ? text : { 0: false, 1: true }[text]))

export const whole = (least: number, most: number) =>
  reader(`be a whole number from ${least} to ${most}`, (text) =>
    /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined
  )

export const poolerUrl = reader("begin with postgres:", (url) => (/^postgres(?:ql)?:\/\/./.test(url) ? url : undefined))

/** The key of HS256 is the secret's UTF-8 bytes, of which there must be at least 32. */
export const secret = reader("have at least 32 bytes", (text) =>
  Buffer.byteLength(text) >= 32 ? Redacted.make(text) : undefined
)

export const key = reader("be 32 bytes as hex or Base64, which openssl rand -base64 32 makes", (text) =>
  SecretCipher.keyOf(text) === undefined ? undefined : Redacted.make(text)
)

const decodeKeys = Schema.decodeUnknownOption(Schema.fromJsonString(Checkpoint.PublicKeys))

export const publicKeys = reader("be the JWKS that crossdock audit key writes", (text) =>
  Option.getOrUndefined(decodeKeys(text))
)

/** The URL without final slashes. Undefined if it has a query or isn't http(s). The lookbehind keeps the time linear. */
const withoutQuery = (url: string) => (/^https?:\/\/[^\s?#]+$/.test(url) ? url.replace(/(?<!\/)\/+$/, "") : undefined)

export const publicUrl = reader("be an http or https URL without a query", withoutQuery)

/** Reads the documentation's address. 0 gives an empty text, which means no documentation. */
export const docsUrl = reader("be an http or https URL without a query, or 0", (url) =>
  url === "0" ? "" : withoutQuery(url)
)

export const webhookUrl = reader("be an http or https URL without a user", (url) =>
  Registration.isWebhookUrl(url) ? url : undefined
)

export const webhookSecret = reader("be whsec_ and 24 to 64 bytes in base64", (secret) =>
  Registration.isWebhookSecret(secret) ? secret : undefined
)

/** Reads `none`, `test`, or the address of a payment endpoint. */
export const payments = reader(
  "be none, test, or the http or https address of your payment endpoint, without a query",
  (text) => (text === "none" || text === "test" ? text : withoutQuery(text))
)

export const logFormat = word("be pretty or json", ["pretty", "json"])

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  none: "None"
}

export const logLevel = reader(`be one of ${Object.keys(levels).join(", ")}`, (text) => levels[text.toLowerCase()])

export const days = whole(1, 100_000)

export const port = whole(0, 65_535)

/** Reads a limit. 0 turns the limit off. */
export const limit: Reader<number> = (name) =>
  Config.map(whole(0, 1_000_000_000)(name), (max) => (max === 0 ? Infinity : max))

export const line = reader("be one line of 1 to 300 characters", (text) =>
  /^\P{Cc}{1,300}$/u.test(text) ? text.trim() : undefined
)

export const addressLines: Reader<ReadonlyArray<string>> = (name) =>
  Config.map(line(name), (text) => text.split(";").map((one) => one.trim()))

export const taxNumber = reader("be the number's name and the number: GSTIN 29ABCDE1234F1Z5", (text) => {
  const [, taxName, value] = /^(\S[^\p{Cc}]{0,40}) (\S{1,40})$/u.exec(text.trim()) ?? []
  return taxName === undefined || value === undefined ? undefined : { name: taxName, value }
})

/** A setting with a default. */
export const withDefault = <A extends string | number | boolean>(name: string, reader: Reader<A>, value: NoInfer<A>) =>
  Object.assign(Config.withDefault(reader(name), value), {
    variable: { name, byDefault: `\`${typeof value === "boolean" ? Number(value) : value}\`` }
  })

/** An optional setting. `byDefault` describes what the host does without it. */
export const optional = <A>(name: string, reader: Reader<A>, byDefault: string) =>
  Object.assign(Config.option(reader(name)), { variable: { name, byDefault } })
