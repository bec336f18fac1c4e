/**
 * The host's settings, from the environment. Each variable is declared once, with its default and meaning; the table of
 * docs/reference/host.md#settings is written from it.
 */
import { type Allowances, generousAllowances } from "@crossdock/http"
import { SecretCipher, Text } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import { Config, ConfigProvider, Effect, type LogLevel, Option, Redacted, Schema, SchemaIssue } from "effect"
import * as PostgresEnvironment from "./PostgresEnvironment.ts"
import * as SecretFiles from "./SecretFiles.ts"
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

const databaseUrl = (name: string) =>
  variable(name, "begin with sqlite: or postgres:, or be memory:", (url) => (Storage.isUrl(url) ? url : undefined))

const poolerUrl = (name: string) =>
  variable(name, "begin with postgres:", (url) => (/^postgres(?:ql)?:\/\/./.test(url) ? url : undefined))

const flag = (name: string) =>
  variable(name, "be 0 or 1", (text) => (text === "1" || text === "0" ? text === "1" : undefined))

/**
 * The key of HS256 is the secret's UTF-8 bytes, at least 32.
 */
const secret = (name: string) =>
  variable(name, "have at least 32 bytes", (text) => (Buffer.byteLength(text) >= 32 ? Redacted.make(text) : undefined))

const key = (name: string) =>
  variable(name, "be 32 bytes as hex or Base64, which openssl rand -base64 32 makes", (text) =>
    SecretCipher.keyOf(text) === undefined ? undefined : Redacted.make(text)
  )

/** The lookbehind keeps a long row of slashes from being read again from each of them. */
const withoutQuery = (url: string) => (/^https?:\/\/[^\s?#]+$/.test(url) ? url.replace(/(?<!\/)\/+$/, "") : undefined)

const publicUrl = (name: string) => variable(name, "be an http or https URL without a query", withoutQuery)

/** Empty: none. */
const docsUrl = (name: string) =>
  variable(name, "be an http or https URL without a query, or 0", (url) => (url === "0" ? "" : withoutQuery(url)))

const webhookUrl = (name: string) =>
  variable(name, "be an http or https URL without a user", (url) => (Registration.isWebhookUrl(url) ? url : undefined))

const webhookSecret = (name: string) =>
  variable(name, "be whsec_ and 24 to 64 bytes in base64", (secret) =>
    Registration.isWebhookSecret(secret) ? secret : undefined
  )

const paymentsRule = "be none, test, or the http or https address of your payment endpoint, without a query"

/** A text that is neither word is an address. */
const payments = (name: string) =>
  variable(name, paymentsRule, (text) => (text === "none" || text === "test" ? text : withoutQuery(text)))

const logFormat = (name: string) =>
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

const logLevel = (name: string) =>
  variable(name, `be one of ${Object.keys(levels).join(", ")}`, (text) => levels[text.toLowerCase()])

const whole = (least: number, most: number) => (name: string) =>
  variable(name, `be a whole number from ${least} to ${most}`, (text) =>
    /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined
  )

const days = whole(1, 100_000)

const port = whole(0, 65_535)

/** 0 turns a limit off. */
const limit = (name: string) => Config.map(whole(0, 1_000_000_000)(name), (most) => (most === 0 ? Infinity : most))

const line = (name: string) =>
  variable(name, "be one line of 1 to 300 characters", (text) =>
    /^\P{Cc}{1,300}$/u.test(text) ? text.trim() : undefined
  )

const addressLines = (name: string) => Config.map(line(name), (text) => text.split(";").map((part) => part.trim()))

const taxNumber = (name: string) =>
  variable(name, "be the number's name and the number: GSTIN 29ABCDE1234F1Z5", (text) => {
    const [, taxName, value] = /^(\S[^\p{Cc}]{0,40}) (\S{1,40})$/u.exec(text.trim()) ?? []
    return taxName === undefined || value === undefined ? undefined : { name: taxName, value }
  })

/** A row of the table of settings. Links lead from docs/reference. */
export interface Variable {
  readonly name: string
  readonly byDefault: string
  readonly meaning: string
}

type Setting<A> = Config.Config<A> & { readonly variable: Variable }

type Reader<A> = (name: string) => Config.Config<A>

const withDefault = <A extends string | number | boolean>(
  name: string,
  reader: Reader<A>,
  value: NoInfer<A>,
  meaning: string
): Setting<A> => {
  const byDefault = `\`${typeof value === "boolean" ? Number(value) : value}\``
  return Object.assign(Config.withDefault(reader(name), value), { variable: { name, byDefault, meaning } })
}

/** Without it the host does what `byDefault` says. */
const optional = <A>(name: string, reader: Reader<A>, byDefault: string, meaning: string): Setting<Option.Option<A>> =>
  Object.assign(Config.option(reader(name)), { variable: { name, byDefault, meaning } })

const { account, address, share, writes } = generousAllowances

const declared = {
  port: withDefault("PORT", port, 8080, "listening port; 0 picks a free one"),
  host: withDefault("HOST", Config.String, "127.0.0.1", "listening address"),
  publicUrl: optional(
    "PUBLIC_URL",
    publicUrl,
    "the address it listens on",
    "what links to documents and confirm pages begin with"
  ),
  docsUrl: optional(
    "DOCS_URL",
    docsUrl,
    "`/docs` of `PUBLIC_URL`; none with `ADMIN_PORT` or a wildcard `HOST`",
    "what the [`docs`](errors.md#body) of error bodies begin with: `DOCS_URL/errors#CODE`; 0 leaves them out"
  ),
  databaseUrl: withDefault(
    "DATABASE_URL",
    databaseUrl,
    "sqlite:./crossdock.db",
    "`sqlite:PATH`, `sqlite::memory:`, `postgres://…`, or `memory:`"
  ),
  databasePool: withDefault(
    "DATABASE_POOL",
    whole(2, 1_000),
    10,
    "this host's connections to PostgreSQL, at least 2 ([more](#postgresql))"
  ),
  databasePooler: optional(
    "DATABASE_POOLER_URL",
    poolerUrl,
    "none",
    "a pooler in front of the PostgreSQL of `DATABASE_URL`, such as pgbouncer in transaction mode ([more](#poolers))"
  ),
  databaseTimeout: withDefault(
    "DATABASE_TIMEOUT_SECONDS",
    whole(1, 600),
    9,
    "a transaction or read that takes longer, whatever it waits for, fails as `STORAGE_UNAVAILABLE`; with more, answers of [outages](#outages), and the Idempotency-Keys of a host that died, come as much later"
  ),
  workersAtOnce: withDefault(
    "WORKERS_AT_ONCE",
    whole(1, 1_000),
    1,
    "companies billed at once; each needs a connection"
  ),
  sandbox: optional(
    "SANDBOX",
    flag,
    "1 when `HOST` is a loopback address and the database has no integration other than the sandbox's own",
    "1 loads the [sandbox](#sandbox), 0 never. Elsewhere an empty database starts without it, with a warning"
  ),
  tokenSecret: optional(
    "TOKEN_SECRET",
    secret,
    "a random one, made once and kept in the database (`crossdock rotate-secret token` replaces it)",
    "key of the tokens, as UTF-8 bytes; fewer than 32 bytes and the host does not start"
  ),
  tokenSecretPrevious: optional(
    "TOKEN_SECRET_PREVIOUS",
    secret,
    "unset",
    "tokens and links that it signed are still valid: to change `TOKEN_SECRET`, set the old one here for two days"
  ),
  secretsKey: optional(
    "SECRETS_KEY",
    key,
    "unset: the secrets are stored in plain",
    "key of the [encrypted secrets](#encrypted-secrets) of webhooks: 32 bytes as hex or Base64"
  ),
  secretsKeyPrevious: optional(
    "SECRETS_KEY_PREVIOUS",
    key,
    "unset",
    "still decrypts, but doesn't encrypt: to change `SECRETS_KEY`, set the old one here until `crossdock rotate-secret secrets-key` has run"
  ),
  trustedProxies: withDefault(
    "TRUST_PROXY",
    whole(0, 10),
    0,
    "how many proxies a request comes through: with 1 the caller's address is the last entry of X-Forwarded-For, with 2 the one before; at most 10"
  ),
  sandboxWebhookUrl: optional(
    "SANDBOX_WEBHOOK_URL",
    webhookUrl,
    "unset",
    "where the sandbox marketplace `bazaar` receives inventory events"
  ),
  sandboxWebhookSecret: withDefault(
    "SANDBOX_WEBHOOK_SECRET",
    webhookSecret,
    "whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ=",
    "its signing secret"
  ),
  payments: optional(
    "PAYMENTS",
    payments,
    "`test` with the [sandbox](#sandbox), `none` without it",
    "who charges companies: `none`, so that invoices stay open; the address of your [payment endpoint](billing.md#payment-endpoint); `test` marks invoices as paid and charges nobody"
  ),
  paymentsSecret: optional(
    "PAYMENTS_SECRET",
    webhookSecret,
    "unset",
    "signs the requests to the payment endpoint, which needs it: whsec_ and 24 to 64 bytes in base64"
  ),
  queryCredentials: withDefault(
    "QUERY_CREDENTIALS",
    flag,
    true,
    "0 turns [credentials in the query](authentication.md#query-credentials) off"
  ),
  lenientQuery: withDefault(
    "LENIENT_QUERY",
    flag,
    false,
    "1 ignores [unknown query parameters](requests.md#unknown-parameters)"
  ),
  webhookAllowPrivate: optional(
    "WEBHOOK_ALLOW_PRIVATE",
    flag,
    "1 in the sandbox, else 0",
    "webhooks may be on loopback and private networks"
  ),
  adminPort: optional(
    "ADMIN_PORT",
    port,
    "unset: on `PORT`",
    "`/metrics`, `/docs` and `/openapi` are on this port alone"
  ),
  accountPerSecond: withDefault(
    "ACCOUNT_REQUESTS_PER_SECOND",
    limit,
    account.perSecond,
    "[requests of one account](#limits) per second; five times as many in a burst"
  ),
  accountAtOnce: withDefault(
    "ACCOUNT_REQUESTS_AT_ONCE",
    limit,
    account.concurrent,
    "requests of one account in flight"
  ),
  accountShare: withDefault(
    "ACCOUNT_REQUESTS_IN_WORK",
    limit,
    share,
    "requests of one account that are [worked on](#limits) at once; more wait for their turn"
  ),
  companyWrites: optional(
    "COMPANY_WRITES_IN_WORK",
    limit,
    `\`${writes}\`; on SQLite \`ACCOUNT_REQUESTS_IN_WORK\``,
    "writes of one company, by its own accounts, that are [worked on](#limits) at once"
  ),
  accountBytesAtOnce: withDefault(
    "ACCOUNT_BYTES_AT_ONCE",
    limit,
    account.concurrentBytes,
    "total body bytes in flight of one account"
  ),
  addressPerSecond: withDefault(
    "ADDRESS_REQUESTS_PER_SECOND",
    limit,
    address.perSecond,
    "requests from one network address per second; five times as many in a burst"
  ),
  addressAtOnce: withDefault(
    "ADDRESS_REQUESTS_AT_ONCE",
    limit,
    address.concurrent,
    "requests from one address in flight"
  ),
  addressBytesAtOnce: withDefault(
    "ADDRESS_BYTES_AT_ONCE",
    limit,
    address.concurrentBytes,
    "total body bytes in flight from one address"
  ),
  maxConnections: withDefault(
    "MAX_CONNECTIONS",
    limit,
    10_000,
    "open connections of callers; one more is closed at once"
  ),
  addressConnections: withDefault(
    "ADDRESS_CONNECTIONS",
    limit,
    2_000,
    "connections of one network address; not counted with `TRUST_PROXY`, since all come from the proxy then"
  ),
  drainSeconds: optional(
    "DRAIN_SECONDS",
    whole(0, 600),
    "5; 0 when only this machine can reach the host",
    "seconds after SIGTERM for which `/health/ready` is 503 and requests go on ([more](#start-and-stop))"
  ),
  sellerName: withDefault(
    "INVOICE_SELLER_NAME",
    line,
    "Crossdock",
    "who issues the [platform's invoices](billing.md#seller)"
  ),
  sellerAddress: optional(
    "INVOICE_SELLER_ADDRESS",
    addressLines,
    "unset",
    "its address; a semicolon ends a line: `7 Dock Road; Mumbai 400001`"
  ),
  sellerTaxNumber: optional(
    "INVOICE_SELLER_TAX_NUMBER",
    taxNumber,
    "unset",
    "the name of its tax number and the number: `GSTIN 27AAAAA0000A1Z5`"
  ),
  sellerBank: optional("INVOICE_SELLER_BANK", line, "unset", "where to pay, in one line"),
  catalogWritesDays: optional(
    "RETENTION_CATALOG_WRITES_DAYS",
    days,
    "unset: for ever",
    "days for which completed product writes are [kept](#retention)"
  ),
  deadLettersDays: optional(
    "RETENTION_DEAD_LETTERS_DAYS",
    days,
    "unset: for ever",
    "days for which dead letters of notifications and of [webhooks of events](events.md#dead-letters) are kept"
  ),
  eventsDays: optional(
    "RETENTION_EVENTS_DAYS",
    days,
    "unset: for ever",
    "days for which [events](events.md#retention) are kept"
  ),
  movementsDays: optional(
    "RETENTION_MOVEMENTS_DAYS",
    days,
    "unset: for ever",
    "days for which each stock movement is kept; older ones are [summed up](#retention) per level"
  ),
  logFormat: withDefault(
    "LOG_FORMAT",
    logFormat,
    "pretty",
    "`pretty`: one line per entry; `json`: one object per entry"
  ),
  logLevel: withDefault("LOG_LEVEL", logLevel, "Info", "trace, debug, info, warn, error or none")
}

/** Every variable that the host reads, in the order of the reference. */
export const variables: ReadonlyArray<Variable> = Object.values(declared).map(({ variable }) => variable)

/** A caller that was quiet may send this many times its requests a second at once. */
const burst = account.burst / account.perSecond

const allowances = Config.map(
  Config.all({
    accountPerSecond: declared.accountPerSecond,
    accountAtOnce: declared.accountAtOnce,
    accountShare: declared.accountShare,
    companyWrites: declared.companyWrites,
    databaseUrl: declared.databaseUrl,
    accountBytesAtOnce: declared.accountBytesAtOnce,
    addressPerSecond: declared.addressPerSecond,
    addressAtOnce: declared.addressAtOnce,
    addressBytesAtOnce: declared.addressBytesAtOnce
  }),
  (limits): Allowances => ({
    account: {
      perSecond: limits.accountPerSecond,
      burst: limits.accountPerSecond * burst,
      concurrent: limits.accountAtOnce,
      concurrentBytes: limits.accountBytesAtOnce
    },
    address: {
      perSecond: limits.addressPerSecond,
      burst: limits.addressPerSecond * burst,
      concurrent: limits.addressAtOnce,
      concurrentBytes: limits.addressBytesAtOnce
    },
    share: limits.accountShare,
    // On SQLite they run one after the other and share a commit, so more of them are faster and take nothing from others.
    writes: Option.getOrElse(limits.companyWrites, () =>
      Storage.hasOneWriter(limits.databaseUrl) ? limits.accountShare : writes
    )
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
    sampler: Config.withDefault(
      variable("OTEL_TRACES_SAMPLER", "be parentbased_always_on, always_on or parentbased_traceidratio", (text) =>
        /^((parentbased_)?always_on|parentbased_traceidratio)$/.test(text) ? text : undefined
      ),
      "parentbased_always_on"
    ),
    sampledShare: Config.withDefault(
      variable("OTEL_TRACES_SAMPLER_ARG", "be a number from 0 to 1", (text) =>
        /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text) ? Number(text) : undefined
      ),
      1
    )
  }),
  ({ disabled, endpoint, logs, metrics, protocol, sampledShare, sampler, traces }) => {
    const isOn = ([own, wanted]: typeof traces) =>
      !disabled && wanted && Option.isSome(Option.orElse(own, () => endpoint))
    const share = sampler === "parentbased_traceidratio" ? sampledShare : 1
    return { protocol, traces: isOn(traces), sampledShare: share, metrics: isOn(metrics), logs: isOn(logs) }
  }
)

const secrets = Config.mapEffect(
  Config.all({ key: declared.secretsKey, previous: declared.secretsKeyPrevious }),
  ({ key, previous }) =>
    Option.isNone(key) && Option.isSome(previous)
      ? Effect.fail(invalid("SECRETS_KEY_PREVIOUS needs SECRETS_KEY: set that to the key that replaces it"))
      : Effect.succeed(Option.map(key, (key) => ({ key, previous: Option.getOrUndefined(previous) })))
)

/** An endpoint of the operator's, the test provider, or nobody. */
type Payments = "none" | "test" | { readonly url: string; readonly secret: Redacted.Redacted }

const paymentProvider = Config.mapEffect(
  Config.all({ payments: declared.payments, secret: declared.paymentsSecret }),
  ({ payments, secret }): Effect.Effect<Option.Option<Payments>, Config.ConfigError> => {
    if (Option.isNone(payments)) return Effect.succeedNone
    const { value } = payments
    if (value === "none" || value === "test") return Effect.succeedSome(value)
    return Option.isNone(secret)
      ? Effect.fail(
          invalid("PAYMENTS needs PAYMENTS_SECRET, which your endpoint knows: whsec_ and 24 to 64 bytes in base64")
        )
      : Effect.succeedSome({ url: value, secret: Redacted.make(secret.value) })
  }
)

const all = Config.all({
  port: declared.port,
  host: declared.host,
  publicUrl: declared.publicUrl,
  docsUrl: declared.docsUrl,
  adminPort: declared.adminPort,
  databasePool: declared.databasePool,
  databasePooler: declared.databasePooler,
  databaseTimeout: declared.databaseTimeout,
  workersAtOnce: declared.workersAtOnce,
  allowances,
  maxConnections: declared.maxConnections,
  addressConnections: declared.addressConnections,
  drainSeconds: declared.drainSeconds,
  databaseUrl: declared.databaseUrl,
  sandbox: declared.sandbox,
  tokenSecret: declared.tokenSecret,
  tokenSecretPrevious: declared.tokenSecretPrevious,
  /** The keys of stored secrets, as a host's `secrets`. */
  secrets,
  /** Who charges companies, as chosen. */
  payments: paymentProvider,
  trustedProxies: declared.trustedProxies,
  queryCredentials: declared.queryCredentials,
  lenientQuery: declared.lenientQuery,
  sandboxWebhookUrl: declared.sandboxWebhookUrl,
  sandboxWebhookSecret: Config.map(declared.sandboxWebhookSecret, (secret) => Redacted.make(secret)),
  webhookAllowPrivate: declared.webhookAllowPrivate,
  /** Who issues the platform's invoices. */
  invoiceSeller: Config.all({
    name: declared.sellerName,
    addressLines: Config.map(
      declared.sellerAddress,
      Option.getOrElse((): ReadonlyArray<string> => [])
    ),
    taxNumber: Config.map(declared.sellerTaxNumber, Option.getOrNull),
    bank: Config.map(declared.sellerBank, Option.getOrNull)
  }),
  /** What is exported over OTLP; nothing without an endpoint. */
  telemetry,
  retention: Config.all({
    catalogWrites: declared.catalogWritesDays,
    deadLetters: declared.deadLettersDays,
    events: declared.eventsDays,
    movements: declared.movementsDays
  }),
  logFormat: declared.logFormat,
  logLevel: declared.logLevel
})

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

/** Whether other machines can reach the host, directly or through a proxy. */
export const isPublic = ({
  host,
  publicUrl
}: {
  readonly host: string
  readonly publicUrl: Option.Option<string>
}): boolean =>
  !isLoopback(host) || Option.exists(publicUrl, (url) => !isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")))

/** How long a balancer may take to notice that a host stops. Without one nobody waits. */
const drainSeconds = 5

const settings = Config.map(all, ({ drainSeconds: chosen, ...rest }) => ({
  ...rest,
  drainSeconds: Option.getOrElse(chosen, () => (isPublic(rest) ? drainSeconds : 0))
}))

export type Settings = Config.Success<typeof settings>

/**
 * An empty variable counts as unset. The error has a line for each wrong setting, which names the variable but never its value,
 * which may be a secret.
 */
export const read = (
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<Settings, StartFailure> =>
  Effect.gen(function* () {
    const provider = ConfigProvider.fromUnknown(PostgresEnvironment.merged(yield* SecretFiles.read(environment)))
    const each: ReadonlyArray<Config.Config<unknown>> = [
      ...Object.values(declared),
      secrets,
      paymentProvider,
      telemetry
    ]
    const failures = yield* Effect.forEach(each, (one) => Effect.option(Effect.flip(one.parse(provider))))
    const messages = new Set(failures.flatMap(Option.toArray).map(({ cause }) => cause.message))
    if (messages.size === 0) return yield* Effect.orDie(settings.parse(provider))
    return yield* new StartFailure({ message: [...messages].join("\n") })
  })

/** Shorter names are like many others. */
const shortest = 6

/** Variables that nothing reads and whose names are like those of settings. */
export const misspelt = (
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<{ readonly sent: string; readonly meant: string }> => {
  const own = variables.map(({ name }) => name)
  const known = [...own, "AUDIT_KEY", ...SecretFiles.names.map((name) => `${name}_FILE`)]
  const likely = known.filter((name) => name.length >= shortest)
  return Object.keys(environment).flatMap((sent) => {
    const meant = known.includes(sent) ? undefined : Text.nearestName(likely, sent)
    return meant === undefined ? [] : [{ sent, meant }]
  })
}

/**
 * Whether to load the sandbox: as chosen, or else when only this machine can reach the host and the database has no
 * integrations of its own. The sandbox's passwords are public.
 */
export const isSandbox = (
  { host, sandbox }: Pick<Settings, "host" | "sandbox">,
  hasOwnIntegrations: boolean
): boolean => Option.getOrElse(sandbox, () => isLoopback(host) && !hasOwnIntegrations)
