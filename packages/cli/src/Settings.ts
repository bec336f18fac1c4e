/**
 * The host's settings, from the environment. Source: docs/reference/host.md#settings.
 */
import { type Allowances, generousAllowances } from "@crossdock/http"
import { Registration } from "@crossdock/marketplaces"
import { Config, ConfigProvider, Effect, type LogLevel, Option, Redacted, Schema, SchemaIssue } from "effect"
import { StartFailure } from "./StartFailure.ts"
import * as Storage from "./Storage.ts"

const invalid = (message: string) =>
  new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.InvalidValue({ message })))

/**
 * A variable that `parse` reads. When it answers undefined, the error says that the variable must `expected`.
 */
const variable = <A>(name: string, expected: string, parse: (text: string) => A | undefined): Config.Config<A> =>
  Config.String(name).pipe(
    Config.mapEffect((text) => {
      const value = parse(text)
      return value === undefined
        ? Effect.fail(invalid(`${name} must ${expected}: correct it, or leave it unset`))
        : Effect.succeed(value)
    })
  )

const databaseUrl = variable("DATABASE_URL", "begin with sqlite: or postgres:, or be memory:", (url) =>
  Storage.isUrl(url) ? url : undefined
)

const flag = (name: string) =>
  variable(name, "be 0 or 1", (text) => (text === "1" || text === "0" ? text === "1" : undefined))

/**
 * The key of HS256 is the secret's UTF-8 bytes, at least 32.
 */
const secret = (name: string) =>
  variable(name, "have at least 32 bytes", (text) => (Buffer.byteLength(text) >= 32 ? Redacted.make(text) : undefined))

const publicUrl = variable("PUBLIC_URL", "be an http or https URL without a query", (url) =>
  /^https?:\/\/[^\s?#]+$/.test(url) ? url.replace(/\/+$/, "") : undefined
)

/** Empty: none. */
const docsUrl = variable("DOCS_URL", "be an http or https URL without a query, or 0", (url) =>
  url === "0" ? "" : /^https?:\/\/[^\s?#]+$/.test(url) ? url.replace(/\/+$/, "") : undefined
)

const sandboxWebhookUrl = variable("SANDBOX_WEBHOOK_URL", "be an http or https URL without a user", (url) =>
  Registration.isWebhookUrl(url) ? url : undefined
)

const sandboxWebhookSecret = variable("SANDBOX_WEBHOOK_SECRET", "be whsec_ and 24 to 64 bytes in base64", (secret) =>
  Registration.isWebhookSecret(secret) ? Redacted.make(secret) : undefined
)

const logFormat = variable("LOG_FORMAT", "be pretty or json", (text) =>
  text === "pretty" || text === "json" ? text : undefined
)

const levels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  none: "None"
}

const logLevel = variable(
  "LOG_LEVEL",
  `be one of ${Object.keys(levels).join(", ")}`,
  (text) => levels[text.toLowerCase()]
)

const whole = (name: string, least: number, most: number) =>
  variable(name, `be a whole number from ${least} to ${most}`, (text) =>
    /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined
  )

const days = (name: string) => whole(name, 1, 100_000)

const port = (name: string) => whole(name, 0, 65_535)

const line = (name: string) =>
  variable(name, "be one line of 1 to 300 characters", (text) =>
    /^\P{Cc}{1,300}$/u.test(text) ? text.trim() : undefined
  )

const addressLines = Config.map(line("INVOICE_SELLER_ADDRESS"), (text) => text.split(";").map((part) => part.trim()))

const taxNumber = variable(
  "INVOICE_SELLER_TAX_NUMBER",
  "be the number's name and the number: GSTIN 29ABCDE1234F1Z5",
  (text) => {
    const [, name, value] = /^(\S[^\p{Cc}]{0,40}) (\S{1,40})$/u.exec(text.trim()) ?? []
    return name === undefined || value === undefined ? undefined : { name, value }
  }
)

/** Who issues the platform's invoices. */
const invoiceSeller = Config.all({
  name: Config.withDefault(line("INVOICE_SELLER_NAME"), "Crossdock"),
  addressLines: Config.withDefault(addressLines, []),
  taxNumber: Config.map(Config.option(taxNumber), Option.getOrNull),
  bank: Config.map(Config.option(line("INVOICE_SELLER_BANK")), Option.getOrNull)
})

/** 0 turns a limit off. */
const limit = (name: string, byDefault: number) =>
  Config.map(Config.withDefault(whole(name, 0, 1_000_000_000), byDefault), (most) => (most === 0 ? Infinity : most))

const { account, address } = generousAllowances

/** A caller that was quiet may send this many times its requests a second at once. */
const burst = account.burst / account.perSecond

const allowances = Config.map(
  Config.all({
    accountPerSecond: limit("ACCOUNT_REQUESTS_PER_SECOND", account.perSecond),
    accountAtOnce: limit("ACCOUNT_REQUESTS_AT_ONCE", account.atOnce),
    accountBytesAtOnce: limit("ACCOUNT_BYTES_AT_ONCE", account.bytesAtOnce),
    addressPerSecond: limit("ADDRESS_REQUESTS_PER_SECOND", address.perSecond),
    addressAtOnce: limit("ADDRESS_REQUESTS_AT_ONCE", address.atOnce),
    addressBytesAtOnce: limit("ADDRESS_BYTES_AT_ONCE", address.bytesAtOnce)
  }),
  (limits): Allowances => ({
    account: {
      perSecond: limits.accountPerSecond,
      burst: limits.accountPerSecond * burst,
      atOnce: limits.accountAtOnce,
      bytesAtOnce: limits.accountBytesAtOnce
    },
    address: {
      perSecond: limits.addressPerSecond,
      burst: limits.addressPerSecond * burst,
      atOnce: limits.addressAtOnce,
      bytesAtOnce: limits.addressBytesAtOnce
    }
  })
)

const telemetryUrl = (name: string) =>
  Config.option(variable(name, "be an http or https URL", (url) => (/^https?:\/\/[^\s/]+/.test(url) ? url : undefined)))

const exporter = (name: string) =>
  Config.withDefault(
    variable(name, "be otlp or none", (text) => (text === "otlp" || text === "none" ? text === "otlp" : undefined)),
    true
  )

/** Values may be secrets: the error names the variable alone. */
const telemetryHeaders = (name: string) =>
  Config.option(
    variable(name, "be pairs name=value, escaped as in a URL and separated by commas", (text) =>
      text.split(",").every((pair) => /^\s*[\w-]+=(?:[^%]|%[0-9a-f]{2})*$/i.test(pair)) ? text : undefined
    )
  )

/**
 * The standard variables of OpenTelemetry that could stop the host or be misunderstood; `Telemetry` reads the others.
 */
const telemetry = Config.map(
  Config.all({
    disabled: Config.withDefault(
      variable("OTEL_SDK_DISABLED", "be true or false", (text) =>
        /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined
      ),
      false
    ),
    endpoint: telemetryUrl("OTEL_EXPORTER_OTLP_ENDPOINT"),
    traces: Config.all([telemetryUrl("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), exporter("OTEL_TRACES_EXPORTER")]),
    metrics: Config.all([telemetryUrl("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"), exporter("OTEL_METRICS_EXPORTER")]),
    logs: Config.all([telemetryUrl("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"), exporter("OTEL_LOGS_EXPORTER")]),
    headers: Config.all(
      ["", "TRACES_", "METRICS_", "LOGS_"].map((signal) => telemetryHeaders(`OTEL_EXPORTER_OTLP_${signal}HEADERS`))
    ),
    protocol: Config.withDefault(
      variable("OTEL_EXPORTER_OTLP_PROTOCOL", "be http/protobuf or http/json", (text) =>
        text === "http/protobuf" || text === "http/json" ? text : undefined
      ),
      "http/protobuf" as const
    ),
    sampler: Config.option(
      variable("OTEL_TRACES_SAMPLER", "be always_on or parentbased_always_on, since a collector samples", (text) =>
        /^(parentbased_)?always_on$/.test(text) ? text : undefined
      )
    )
  }),
  ({ disabled, endpoint, logs, metrics, protocol, traces }) => {
    const isOn = ([own, wanted]: typeof traces) =>
      !disabled && wanted && Option.isSome(Option.orElse(own, () => endpoint))
    return { protocol, traces: isOn(traces), metrics: isOn(metrics), logs: isOn(logs) }
  }
)

const settings = Config.all({
  /** 0 picks a free port. */
  port: Config.withDefault(port("PORT"), 8080),
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  /** The start of all links that the host gives out. None: the address that it listens on. */
  publicUrl: Config.option(publicUrl),
  /** Where the `docs` of error bodies lead. None: to the pages that this host serves. */
  docsUrl: Config.option(docsUrl),
  /** None: metrics and documents are on the port of the interfaces. */
  adminPort: Config.option(port("ADMIN_PORT")),
  /** Connections to PostgreSQL. */
  databasePool: Config.withDefault(whole("DATABASE_POOL", 1, 1_000), 10),
  /** Seconds that a transaction or a read may take, whatever it waits for. */
  databaseTimeout: Config.withDefault(whole("DATABASE_TIMEOUT_SECONDS", 1, 600), 9),
  /** Companies that a background worker works on at once. */
  workersAtOnce: Config.withDefault(whole("WORKERS_AT_ONCE", 1, 1_000), 1),
  allowances,
  /** Connections of callers. */
  maxConnections: limit("MAX_CONNECTIONS", 10_000),
  /** Connections of one network address; behind a proxy all have its address. */
  addressConnections: limit("ADDRESS_CONNECTIONS", 2_000),
  databaseUrl: Config.withDefault(databaseUrl, "sqlite:./crossdock.db"),
  /** None: load the sandbox when the database has no integrations but the sandbox's. */
  sandbox: Config.option(flag("SANDBOX")),
  tokenSecret: Config.option(secret("TOKEN_SECRET")),
  /** Tokens and links that it signed are still good. */
  tokenSecretPrevious: Config.option(secret("TOKEN_SECRET_PREVIOUS")),
  trustedProxies: Config.withDefault(whole("TRUST_PROXY", 0, 10), 0),
  queryCredentials: Config.withDefault(flag("QUERY_CREDENTIALS"), true),
  lenientQuery: Config.withDefault(flag("LENIENT_QUERY"), false),
  sandboxWebhookUrl: Config.option(sandboxWebhookUrl),
  sandboxWebhookSecret: Config.withDefault(
    sandboxWebhookSecret,
    Redacted.make("whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ=")
  ),
  /** None: allowed in the sandbox only. */
  webhookAllowPrivate: Config.option(flag("WEBHOOK_ALLOW_PRIVATE")),
  invoiceSeller,
  /** None: kept for ever. */
  retention: Config.all({
    catalogWrites: Config.option(days("RETENTION_CATALOG_WRITES_DAYS")),
    deadLetters: Config.option(days("RETENTION_DEAD_LETTERS_DAYS")),
    events: Config.option(days("RETENTION_EVENTS_DAYS")),
    movements: Config.option(days("RETENTION_MOVEMENTS_DAYS"))
  }),
  /** What is exported over OTLP; nothing without an endpoint. */
  telemetry,
  logFormat: Config.withDefault(logFormat, "pretty" as const),
  logLevel: Config.withDefault(logLevel, "Info" as const)
})

export type Settings = Config.Success<typeof settings>

/**
 * An empty variable counts as unset. An error names the variable but never its value, which may be a secret.
 */
export const read = (
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, StartFailure> =>
  settings
    .parse(ConfigProvider.fromUnknown(environment))
    .pipe(Effect.mapError(({ cause }) => new StartFailure({ message: cause.message })))

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

/**
 * Whether to load the sandbox: as chosen, or else when only this machine can reach the host and the database has no
 * integrations of its own. The sandbox's passwords are public.
 */
export const isSandbox = (
  { host, sandbox }: Pick<Settings, "host" | "sandbox">,
  hasOwnIntegrations: boolean
): boolean => Option.getOrElse(sandbox, () => isLoopback(host) && !hasOwnIntegrations)
