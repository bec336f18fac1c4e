/** Variables of the environment: their parsers and defaults. */
import { Checkpoint } from "@crossdock/audit"
import { SecretCipher } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import { Config, Effect, type LogLevel, Option, Redacted, Schema, SchemaIssue } from "effect"

/** The error of a variable, or of several. */
export const invalid = (message: string) =>
  new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.InvalidValue({ message })))

/** A variable read by `parse`. If it returns undefined, the error is that the variable must `expected`. */
export const variable = <A>(name: string, expected: string, parse: (text: string) => A | undefined): Config.Config<A> =>
  Config.String(name).pipe(
    Config.mapEffect((text) => {
      const value = parse(text)
      return value === undefined
        ? Effect.fail(invalid(`${name} must ${expected}: correct it, or leave it unset`))
        : Effect.succeed(value)
    })
  )

export const flag = (name: string) =>
  variable(name, "be 0 or 1", (text) => (text === "1" || text === "0" ? text === "1" : undefined))

export const sandbox = (name: string) =>
  variable(name, "be 0, 1 or day", (text) => (text === "day" ? text : { 0: false, 1: true }[text]))

export const whole = (least: number, most: number) => (name: string) =>
  variable(name, `be a whole number from ${least} to ${most}`, (text) =>
    /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined
  )

export const poolerUrl = (name: string) =>
  variable(name, "begin with postgres:", (url) => (/^postgres(?:ql)?:\/\/./.test(url) ? url : undefined))

/** The key of HS256 is the secret's UTF-8 bytes, at least 32. */
export const secret = (name: string) =>
  variable(name, "have at least 32 bytes", (text) => (Buffer.byteLength(text) >= 32 ? Redacted.make(text) : undefined))

export const key = (name: string) =>
  variable(name, "be 32 bytes as hex or Base64, which openssl rand -base64 32 makes", (text) =>
    SecretCipher.keyOf(text) === undefined ? undefined : Redacted.make(text)
  )

const decodeKeys = Schema.decodeUnknownOption(Schema.fromJsonString(Checkpoint.PublicKeys))

export const publicKeys = (name: string) =>
  variable(name, "be the JWKS that crossdock audit key writes", (text) => Option.getOrUndefined(decodeKeys(text)))

/** Without the lookbehind, a long row of slashes would be read again from each of them. */
const withoutQuery = (url: string) => (/^https?:\/\/[^\s?#]+$/.test(url) ? url.replace(/(?<!\/)\/+$/, "") : undefined)

export const publicUrl = (name: string) => variable(name, "be an http or https URL without a query", withoutQuery)

/** Empty: none. */
export const docsUrl = (name: string) =>
  variable(name, "be an http or https URL without a query, or 0", (url) => (url === "0" ? "" : withoutQuery(url)))

export const webhookUrl = (name: string) =>
  variable(name, "be an http or https URL without a user", (url) => (Registration.isWebhookUrl(url) ? url : undefined))

export const webhookSecret = (name: string) =>
  variable(name, "be whsec_ and 24 to 64 bytes in base64", (secret) =>
    Registration.isWebhookSecret(secret) ? secret : undefined
  )

const paymentsRule = "be none, test, or the http or https address of your payment endpoint, without a query"

/** The mode if the text is one of the two words, else an address. */
export const payments = (name: string) =>
  variable(name, paymentsRule, (text) => (text === "none" || text === "test" ? text : withoutQuery(text)))

export const logFormat = (name: string) =>
  variable(name, "be pretty or json", (text) => (text === "pretty" || text === "json" ? text : undefined))

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  none: "None"
}

export const logLevel = (name: string) =>
  variable(name, `be one of ${Object.keys(levels).join(", ")}`, (text) => levels[text.toLowerCase()])

export const days = whole(1, 100_000)

export const port = whole(0, 65_535)

/** 0 turns a limit off. */
export const limit = (name: string) => Config.map(whole(0, 1_000_000_000)(name), (max) => (max === 0 ? Infinity : max))

export const line = (name: string) =>
  variable(name, "be one line of 1 to 300 characters", (text) =>
    /^\P{Cc}{1,300}$/u.test(text) ? text.trim() : undefined
  )

export const addressLines = (name: string) => Config.map(line(name), (text) => text.split(";").map((one) => one.trim()))

export const taxNumber = (name: string) =>
  variable(name, "be the number's name and the number: GSTIN 29ABCDE1234F1Z5", (text) => {
    const [, taxName, value] = /^(\S[^\p{Cc}]{0,40}) (\S{1,40})$/u.exec(text.trim()) ?? []
    return taxName === undefined || value === undefined ? undefined : { name: taxName, value }
  })

type Reader<A> = (name: string) => Config.Config<A>

/** A setting with its default. */
export const withDefault = <A extends string | number | boolean>(name: string, reader: Reader<A>, value: NoInfer<A>) =>
  Object.assign(Config.withDefault(reader(name), value), {
    variable: { name, byDefault: `\`${typeof value === "boolean" ? Number(value) : value}\`` }
  })

/** An optional setting; `byDefault` describes the host without it. */
export const optional = <A>(name: string, reader: Reader<A>, byDefault: string) =>
  Object.assign(Config.option(reader(name)), { variable: { name, byDefault } })
