/** The host's settings, which it reads from the environment. docs/reference/host.md#settings is made from them. */
import { type Allowances, generousAllowances } from "@crossdock/http"
import { Text } from "@crossdock/kernel"
import { Config, ConfigProvider, Effect, Option, Redacted, Struct } from "effect"
import { StartFailure } from "./CommandFailure.ts"
import * as SecretFiles from "./SecretFiles.ts"
import * as Storage from "./Storage.ts"
import * as Telemetry from "./Telemetry.ts"
import type { Environment } from "./Terminal.ts"
import * as Variable from "./Variable.ts"

const databaseUrl = Variable.reader("begin with sqlite: or postgres:, or be memory:", (url) =>
  Storage.isUrl(url) ? url : undefined
)

const { account, address, share, writes } = generousAllowances

const limits = {
  accountPerSecond: Variable.withDefault("ACCOUNT_REQUESTS_PER_SECOND", Variable.limit, account.perSecond),
  accountAtOnce: Variable.withDefault("ACCOUNT_REQUESTS_AT_ONCE", Variable.limit, account.concurrent),
  accountShare: Variable.withDefault("ACCOUNT_REQUESTS_IN_WORK", Variable.limit, share),
  companyWrites: Variable.optional(
    "COMPANY_WRITES_IN_WORK",
    Variable.limit,
    `\`${writes}\`; on SQLite the value of \`ACCOUNT_REQUESTS_IN_WORK\``
  ),
  accountBytesAtOnce: Variable.withDefault("ACCOUNT_BYTES_AT_ONCE", Variable.limit, account.concurrentBytes),
  addressPerSecond: Variable.withDefault("ADDRESS_REQUESTS_PER_SECOND", Variable.limit, address.perSecond),
  addressAtOnce: Variable.withDefault("ADDRESS_REQUESTS_AT_ONCE", Variable.limit, address.concurrent),
  addressBytesAtOnce: Variable.withDefault("ADDRESS_BYTES_AT_ONCE", Variable.limit, address.concurrentBytes)
}

const seller = {
  sellerName: Variable.withDefault("INVOICE_SELLER_NAME", Variable.line, "Crossdock"),
  sellerAddress: Variable.optional("INVOICE_SELLER_ADDRESS", Variable.addressLines, "unset"),
  sellerTaxNumber: Variable.optional("INVOICE_SELLER_TAX_NUMBER", Variable.taxNumber, "unset"),
  sellerBank: Variable.optional("INVOICE_SELLER_BANK", Variable.line, "unset")
}

const retention = {
  catalogWrites: Variable.optional("RETENTION_CATALOG_WRITES_DAYS", Variable.days, "unset: for ever"),
  deadLetters: Variable.optional("RETENTION_DEAD_LETTERS_DAYS", Variable.days, "unset: for ever"),
  events: Variable.optional("RETENTION_EVENTS_DAYS", Variable.days, "unset: for ever"),
  movements: Variable.optional("RETENTION_MOVEMENTS_DAYS", Variable.days, "unset: for ever")
}

const declared = {
  port: Variable.withDefault("PORT", Variable.port, 8080),
  host: Variable.withDefault("HOST", Config.String, "127.0.0.1"),
  publicUrl: Variable.optional("PUBLIC_URL", Variable.publicUrl, "the host's listening address"),
  docsUrl: Variable.optional(
    "DOCS_URL",
    Variable.docsUrl,
    "`/docs` of `PUBLIC_URL`; none with `ADMIN_PORT` or a wildcard `HOST`"
  ),
  databaseUrl: Variable.withDefault("DATABASE_URL", databaseUrl, "sqlite:./crossdock.db"),
  databasePool: Variable.withDefault("DATABASE_POOL", Variable.whole(2, 1_000), 10),
  databasePooler: Variable.optional("DATABASE_POOLER_URL", Variable.poolerUrl, "none"),
  databaseTimeout: Variable.withDefault("DATABASE_TIMEOUT_SECONDS", Variable.whole(1, 600), 9),
  workersAtOnce: Variable.withDefault("WORKERS_AT_ONCE", Variable.whole(1, 1_000), 1),
  sandbox: Variable.optional(
    "SANDBOX",
    Variable.sandbox,
    "1 if `HOST` is a loopback address and the database has no seller accounts other than the sandbox's, else 0"
  ),
  tokenSecret: Variable.optional(
    "TOKEN_SECRET",
    Variable.secret,
    "random, generated once and stored in the database (`crossdock rotate-secret token` replaces it)"
  ),
  tokenSecretPrevious: Variable.optional("TOKEN_SECRET_PREVIOUS", Variable.secret, "unset"),
  secretsKey: Variable.optional("SECRETS_KEY", Variable.key, "unset: no encryption"),
  secretsKeyPrevious: Variable.optional("SECRETS_KEY_PREVIOUS", Variable.key, "unset"),
  auditPublicKeys: Variable.optional("AUDIT_PUBLIC_KEYS", Variable.publicKeys, "unset: none are published"),
  trustedProxies: Variable.withDefault("TRUST_PROXY", Variable.whole(0, 10), 0),
  sandboxWebhookUrl: Variable.optional("SANDBOX_WEBHOOK_URL", Variable.webhookUrl, "unset"),
  sandboxWebhookSecret: Variable.withDefault(
    "SANDBOX_WEBHOOK_SECRET",
    Variable.webhookSecret,
    "whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="
  ),
  payments: Variable.optional("PAYMENTS", Variable.payments, "`test` with the [sandbox](#sandbox), `none` without it"),
  paymentsSecret: Variable.optional("PAYMENTS_SECRET", Variable.webhookSecret, "unset"),
  queryCredentials: Variable.withDefault("QUERY_CREDENTIALS", Variable.flag, true),
  lenientQuery: Variable.withDefault("LENIENT_QUERY", Variable.flag, false),
  webhookAllowPrivate: Variable.optional("WEBHOOK_ALLOW_PRIVATE", Variable.flag, "1 in the sandbox, else 0"),
  adminPort: Variable.optional("ADMIN_PORT", Variable.port, "unset"),
  console: Variable.optional(
    "CONSOLE",
    Variable.flag,
    "1 with the [sandbox](#sandbox) if only this machine can reach the host, else 0"
  ),
  ...limits,
  maxConnections: Variable.withDefault("MAX_CONNECTIONS", Variable.limit, 10_000),
  addressConnections: Variable.withDefault("ADDRESS_CONNECTIONS", Variable.limit, 2_000),
  drainSeconds: Variable.optional(
    "DRAIN_SECONDS",
    Variable.whole(0, 600),
    "5; 0 when only this machine can reach the host"
  ),
  ...seller,
  ...retention,
  logFormat: Variable.withDefault("LOG_FORMAT", Variable.logFormat, "pretty"),
  logLevel: Variable.withDefault("LOG_LEVEL", Variable.logLevel, "Info")
}

/** The meanings of the settings, for the reference. Links are relative to docs/reference. */
const meanings: Readonly<Record<keyof typeof declared, string>> = {
  port: "listening port; 0 picks a free one",
  host: "listening address",
  publicUrl: "first part of links to [documents](documents.md#links) and [confirm pages](billing.md#confirm-page)",
  docsUrl: "first part of the link [`docs`](errors.md#body) in error bodies: `DOCS_URL/errors#CODE`. 0 omits the link",
  databaseUrl: "`sqlite:PATH`, `sqlite::memory:`, `postgres://…`, or `memory:`",
  databasePool: "this host's connections to PostgreSQL, at least 2 ([more](#postgresql))",
  databasePooler:
    "a pooler in front of the PostgreSQL of `DATABASE_URL`, such as pgbouncer in transaction mode ([more](#poolers))",
  databaseTimeout:
    "time limit of a transaction or read, including waits. After that, the answer is 503 `STORAGE_UNAVAILABLE`. With a higher limit, answers in [outages](#outages) and [retries after a host's death](requests.md#idempotency) take longer",
  workersAtOnce: "companies billed in parallel; each needs a connection",
  sandbox: "1 loads the [sandbox](#sandbox), `day` adds a [day of sample orders](#day), 0 loads nothing",
  tokenSecret: "signing key of tokens, in UTF-8; the host doesn't start with fewer than 32 bytes",
  tokenSecretPrevious:
    "the old `TOKEN_SECRET`. Set it for two days after a change, so that earlier tokens and links stay valid",
  secretsKey: "encrypts the [secrets of webhooks](#encrypted-secrets): 32 bytes as hex or Base64",
  secretsKeyPrevious:
    "the old `SECRETS_KEY`, which only decrypts. Set it after a change, until `crossdock rotate-secret secrets-key` has run",
  auditPublicKeys:
    "the public keys (JWKS) that `crossdock audit key` writes. The host publishes them [for verifiers of checkpoints](audit.md#checkpoints)",
  trustedProxies:
    "number of proxies in front of the host, at most 10. With 1, the caller's address is the last entry of X-Forwarded-For; with 2, the last but one",
  sandboxWebhookUrl: "webhook address of the sandbox's marketplace `bazaar`, which receives stock notifications",
  sandboxWebhookSecret: "signing secret of the webhook of `bazaar`",
  payments:
    "the address of your [payment endpoint](billing.md#payment-endpoint), which charges companies. `none` leaves invoices open; `test` marks them as paid without a charge",
  paymentsSecret:
    "signs requests to your payment endpoint: whsec_ and 24 to 64 bytes in base64. Required if `PAYMENTS` is an address",
  queryCredentials: "0 turns [credentials in the query](authentication.md#query-credentials) off",
  lenientQuery: "1 ignores [unknown query parameters](requests.md#unknown-parameters)",
  webhookAllowPrivate: "1 allows webhooks on loopback and private networks",
  adminPort:
    "a separate port for `/metrics`, `/docs`, `/openapi` and the console; `PORT` then doesn't serve them. With the console, this port also serves the [interfaces](#openapi)",
  console: "1 serves the [console](#console) at `/console`; 0 doesn't",
  accountPerSecond: "[requests of one account](#limits) per second; five times as many in a burst",
  accountAtOnce: "requests of one account in flight",
  accountShare: "requests of one account [in work](#limits) at once; further requests are queued",
  companyWrites:
    "writes [in work](#limits) at once for all accounts of one company; marketplaces have their own queues",
  accountBytesAtOnce: "total body bytes in flight of one account",
  addressPerSecond: "requests from one network address per second; five times as many in a burst",
  addressAtOnce: "requests from one address in flight",
  addressBytesAtOnce: "total body bytes in flight from one address",
  maxConnections: "open connections; further ones are closed immediately",
  addressConnections:
    "open connections of one network address. With `TRUST_PROXY` there is no limit, because all connections come from the proxy",
  drainSeconds:
    "seconds after SIGTERM in which `/health/ready` is 503 and other requests are still served ([more](#start-and-stop))",
  sellerName: "name of the issuer of the [platform's invoices](billing.md#seller)",
  sellerAddress: "the issuer's address; a semicolon ends a line: `7 Dock Road; Mumbai 400001`",
  sellerTaxNumber: "name and value of the issuer's tax number: `GSTIN 27AAAAA0000A1Z5`",
  sellerBank: "the issuer's bank account, in one line",
  catalogWrites: "days to [keep](#retention) completed product writes",
  deadLetters: "days to keep dead letters of notifications and of [webhooks of events](events.md#dead-letters)",
  events: "days to keep [events](events.md#retention)",
  movements: "days to keep each stock movement; older movements are [summed up](#retention) per SKU and location",
  logFormat: "`pretty`: one line per entry; `json`: one object per entry",
  logLevel: "trace, debug, info, warn, error or none"
}

/** Every variable that the host reads, in the order of the reference. */
export const variables = Struct.keys(declared).map((key) => ({ ...declared[key].variable, meaning: meanings[key] }))

/** `plain` has the variables that are whole settings. The other variables become parts of settings. */
const { paymentsSecret, secretsKey, secretsKeyPrevious, ...rest } = declared
const plain = Struct.omit(rest, [...Struct.keys(limits), ...Struct.keys(seller), ...Struct.keys(retention)])

/** The limits of one caller. The burst has the same ratio to `perSecond` as in the defaults. */
const allowance = (perSecond: number, concurrent: number, concurrentBytes: number) => ({
  perSecond,
  burst: (perSecond * account.burst) / account.perSecond,
  concurrent,
  concurrentBytes
})

const allowances = Config.map(
  Config.all({ ...limits, databaseUrl: plain.databaseUrl }),
  (limits): Allowances => ({
    account: allowance(limits.accountPerSecond, limits.accountAtOnce, limits.accountBytesAtOnce),
    address: allowance(limits.addressPerSecond, limits.addressAtOnce, limits.addressBytesAtOnce),
    share: limits.accountShare,
    // On SQLite, writes run one after the other and share a commit. So more writes at once are faster and don't delay
    // others.
    writes: Option.getOrElse(limits.companyWrites, () =>
      Storage.hasOneWriter(limits.databaseUrl) ? limits.accountShare : writes
    )
  })
)

const secrets = Config.mapEffect(Config.all({ key: secretsKey, previous: secretsKeyPrevious }), ({ key, previous }) =>
  Option.isNone(key) && Option.isSome(previous)
    ? Effect.fail(Variable.invalid("SECRETS_KEY_PREVIOUS needs SECRETS_KEY: set that to the key that replaces it"))
    : Effect.succeed(Option.map(key, (key) => ({ key, previous: Option.getOrUndefined(previous) })))
)

type Payments = "none" | "test" | { readonly url: string; readonly secret: Redacted.Redacted }

const paymentProvider = Config.mapEffect(
  Config.all({ payments: plain.payments, secret: paymentsSecret }),
  ({ payments, secret }): Effect.Effect<Option.Option<Payments>, Config.ConfigError> => {
    if (Option.isNone(payments)) return Effect.succeedNone
    const { value } = payments
    if (value === "none" || value === "test") return Effect.succeedSome(value)
    const lacking = "PAYMENTS needs PAYMENTS_SECRET, which your endpoint knows: whsec_ and 24 to 64 bytes in base64"
    return Option.isNone(secret)
      ? Effect.fail(Variable.invalid(lacking))
      : Effect.succeedSome({ url: value, secret: Redacted.make(secret.value) })
  }
)

const all = Config.all({
  ...plain,
  allowances,
  /** The keys for stored secrets, in the form of a host's option `secrets`. */
  secrets,
  payments: paymentProvider,
  sandboxWebhookSecret: Config.map(plain.sandboxWebhookSecret, (secret) => Redacted.make(secret)),
  /** The issuer of the platform's invoices. */
  invoiceSeller: Config.map(Config.all(seller), (given) => ({
    name: given.sellerName,
    addressLines: Option.getOrElse(given.sellerAddress, (): ReadonlyArray<string> => []),
    taxNumber: Option.getOrNull(given.sellerTaxNumber),
    bank: Option.getOrNull(given.sellerBank)
  })),
  /** Which telemetry is exported over OTLP. Nothing is exported without an endpoint. */
  telemetry: Telemetry.settings,
  retention: Config.all(retention)
})

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

/** Whether other machines can reach the host, directly or through a proxy. */
export const isPublic = ({ host, publicUrl }: Pick<Config.Success<typeof all>, "host" | "publicUrl">): boolean =>
  !isLoopback(host) || Option.exists(publicUrl, (url) => !isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")))

/** All settings. By default, a public host drains for 5 seconds, so that its load balancer notices, and others for 0. */
const settings = Config.map(all, ({ drainSeconds, ...rest }) => ({
  ...rest,
  drainSeconds: Option.getOrElse(drainSeconds, () => (isPublic(rest) ? 5 : 0))
}))

export type Settings = Config.Success<typeof settings>

/** Reads the settings. An empty variable counts as unset. The error has a line for each wrong variable, without its value. */
export const read = (environment: Environment): Effect.Effect<Settings, StartFailure> =>
  Effect.gen(function* () {
    const provider = ConfigProvider.fromUnknown(Storage.withLibpqVariables(yield* SecretFiles.read(environment)))
    const each = [...Object.values<Config.Config<unknown>>(declared), secrets, paymentProvider, Telemetry.settings]
    const failures = yield* Effect.forEach(each, (one) => Effect.option(Effect.flip(one.parse(provider))))
    const messages = new Set(failures.flatMap(Option.toArray).map(({ cause }) => cause.message))
    if (messages.size === 0) return yield* Effect.orDie(settings.parse(provider))
    return yield* new StartFailure({ message: [...messages].join("\n") })
  })

/** Unknown variables whose names are similar to settings of at least 6 letters. Shorter names resemble many others. */
export const misspelt = (environment: Environment) => {
  const own = variables.map(({ name }) => name)
  const known = [...own, "AUDIT_SIGNING_KEY", ...SecretFiles.names.map((name) => `${name}_FILE`)]
  const likely = known.filter((name) => name.length >= 6)
  return Object.keys(environment).flatMap((sent) => {
    const meant = known.includes(sent) ? undefined : Text.nearestName(likely, sent)
    return meant === undefined ? [] : [{ sent, meant }]
  })
}

/** Whether to load the sandbox: by default if only this machine reaches the host, and all integrations are the sandbox's. */
export const isSandbox = (
  { host, sandbox }: Pick<Settings, "host" | "sandbox">,
  hasOwnIntegrations: boolean
): boolean => Option.getOrElse(sandbox, () => isLoopback(host) && !hasOwnIntegrations) !== false

/** Whether there is only the sandbox, for this machine alone. Then its clock can move, and its operator may do everything. */
export const isSandboxAlone = (settings: Settings, hasOwnIntegrations: boolean): boolean =>
  isSandbox(settings, hasOwnIntegrations) && !hasOwnIntegrations && !isPublic(settings)
