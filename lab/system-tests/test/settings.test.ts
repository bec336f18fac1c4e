import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Host from "@crossdock/cli/Host"
import * as Settings from "@crossdock/cli/Settings"
import { SecretCipher } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Option, Redacted, Result } from "effect"

const names = Settings.variables.map(({ name }) => name)

const flags = ["SANDBOX", "CONSOLE", "QUERY_CREDENTIALS", "LENIENT_QUERY", "WEBHOOK_ALLOW_PRIVATE"]

const byDefault = {
  port: 8080,
  host: "127.0.0.1",
  publicUrl: Option.none(),
  docsUrl: Option.none(),
  adminPort: Option.none(),
  console: Option.none(),
  databasePool: 10,
  databasePooler: Option.none(),
  databaseTimeout: 9,
  workersAtOnce: 1,
  allowances: {
    account: { perSecond: 2_000, burst: 10_000, concurrent: 1_000, concurrentBytes: 134_217_728 },
    address: { perSecond: 5_000, burst: 25_000, concurrent: 2_000, concurrentBytes: 256 * 1024 * 1024 },
    share: 8,
    writes: 8
  },
  maxConnections: 10_000,
  addressConnections: 2_000,
  drainSeconds: 0,
  databaseUrl: "sqlite:./crossdock.db",
  sandbox: Option.none(),
  tokenSecret: Option.none(),
  tokenSecretPrevious: Option.none(),
  secrets: Option.none(),
  payments: Option.none(),
  auditPublicKeys: Option.none(),
  trustedProxies: 0,
  queryCredentials: true,
  lenientQuery: false,
  sandboxWebhookUrl: Option.none(),
  sandboxWebhookSecret: Redacted.make("whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="),
  webhookAllowPrivate: Option.none(),
  invoiceSeller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
  retention: {
    catalogWrites: Option.none(),
    deadLetters: Option.none(),
    events: Option.none(),
    movements: Option.none()
  },
  telemetry: { protocol: "http/protobuf" as const, traces: false, sampledShare: 1, metrics: false, logs: false },
  logFormat: "pretty" as const,
  logLevel: "Info" as const
}

describe("the environment", () => {
  it.effect("says where the docs of error bodies lead: to the host's own pages unless chosen, or nowhere", () =>
    Effect.gen(function* () {
      const leadsTo = (environment: Readonly<Record<string, string>>) =>
        Effect.map(Settings.read(environment), (chosen) => Host.docsUrlAt(chosen, 8080))
      strictEqual(yield* leadsTo({}), "http://127.0.0.1:8080/docs")
      strictEqual(yield* leadsTo({ PUBLIC_URL: "https://api.example.com/" }), "https://api.example.com/docs")
      strictEqual(yield* leadsTo({ HOST: "0.0.0.0", PUBLIC_URL: "https://a.test" }), "https://a.test/docs")
      strictEqual(yield* leadsTo({ DOCS_URL: "https://docs.example.com/" }), "https://docs.example.com")
      for (const none of [{ DOCS_URL: "0" }, { ADMIN_PORT: "9090" }, { HOST: "0.0.0.0" }])
        strictEqual(yield* leadsTo(none), "")
      strictEqual(yield* leadsTo({ ADMIN_PORT: "9090", DOCS_URL: "https://docs.test" }), "https://docs.test")
      const failure = yield* Effect.flip(Settings.read({ DOCS_URL: "docs" }))
      assertTrue(failure.message.startsWith("DOCS_URL must be an http or https URL"), failure.message)
    })
  )

  it.effect("names who issues the platform's invoices", () =>
    Effect.gen(function* () {
      const { invoiceSeller } = yield* Settings.read({
        INVOICE_SELLER_NAME: "Crossdock Services Private Limited",
        INVOICE_SELLER_ADDRESS: "7 Dock Road; Mumbai 400001",
        INVOICE_SELLER_TAX_NUMBER: "GSTIN 27AAAAA0000A1Z5",
        INVOICE_SELLER_BANK: "Bank of Mumbai, account 1"
      })
      deepStrictEqual(invoiceSeller, {
        name: "Crossdock Services Private Limited",
        addressLines: ["7 Dock Road", "Mumbai 400001"],
        taxNumber: { name: "GSTIN", value: "27AAAAA0000A1Z5" },
        bank: "Bank of Mumbai, account 1"
      })
      const failure = yield* Effect.flip(Settings.read({ INVOICE_SELLER_TAX_NUMBER: "27AAAAA0000A1Z5" }))
      assertTrue(failure.message.startsWith("INVOICE_SELLER_TAX_NUMBER must be the number's name and"), failure.message)
    })
  )

  it.effect("keeps everything unless set for how many days, at least one", () =>
    Effect.gen(function* () {
      const { retention } = yield* Settings.read({ RETENTION_MOVEMENTS_DAYS: "400", RETENTION_DEAD_LETTERS_DAYS: "1" })
      deepStrictEqual(retention, {
        catalogWrites: Option.none(),
        events: Option.none(),
        deadLetters: Option.some(1),
        movements: Option.some(400)
      })
      const failure = yield* Effect.flip(Settings.read({ RETENTION_CATALOG_WRITES_DAYS: "0" }))
      assertTrue(
        failure.message.includes("RETENTION_CATALOG_WRITES_DAYS must be a whole number from 1"),
        failure.message
      )
    })
  )

  it.effect("reports every wrong setting at once, a line each", () =>
    Effect.gen(function* () {
      const wrong = {
        PORT: "x",
        TOKEN_SECRET: "short",
        TRUST_PROXY: "11",
        OTEL_TRACES_EXPORTER: "zipkin",
        SECRETS_KEY: "k"
      }
      const { message } = yield* Effect.flip(Settings.read(wrong))
      const lines = message.split("\n")
      deepStrictEqual(lines.map((line) => line.split(" ")[0]).sort(), Object.keys(wrong).sort())
    })
  )

  it.effect("takes each secret from the file that its variable with _FILE names, trimmed", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "crossdock-secrets-"))
      const path = (name: string) => join(folder, name)
      const key = Buffer.alloc(32, 1).toString("base64")
      writeFileSync(path("token"), `${"t".repeat(32)}\n`)
      writeFileSync(path("key"), `  ${key}\r\n`)
      writeFileSync(path("url"), "memory:\n")
      writeFileSync(path("empty"), "\n")
      const read = yield* Settings.read({
        TOKEN_SECRET_FILE: path("token"),
        SECRETS_KEY_FILE: path("key"),
        DATABASE_URL_FILE: path("url")
      })
      deepStrictEqual(Option.map(read.tokenSecret, Redacted.value), Option.some("t".repeat(32)))
      strictEqual(Redacted.value(Option.getOrThrow(read.secrets).key), key)
      strictEqual(read.databaseUrl, "memory:")
      const { message } = yield* Effect.flip(
        Settings.read({
          TOKEN_SECRET: "t".repeat(32),
          TOKEN_SECRET_FILE: path("token"),
          SECRETS_KEY_FILE: path("missing"),
          DATABASE_URL_FILE: path("empty")
        })
      )
      deepStrictEqual(message.split("\n"), [
        `The file ${path("empty")} of DATABASE_URL_FILE is empty: write the value of DATABASE_URL into it`,
        "TOKEN_SECRET and TOKEN_SECRET_FILE are both set: unset one of them",
        `The file ${path("missing")} of SECRETS_KEY_FILE can't be read (ENOENT): correct its path or permissions`
      ])
      rmSync(folder, { recursive: true })
    })
  )

  it("finds the setting that a misspelt variable was meant to be, and nothing in an ordinary environment", () => {
    const ordinary = [
      "PATH",
      "HOME",
      "HOSTNAME",
      "USER",
      "LANG",
      "PORTS",
      "LOGNAME",
      "LOG_FILE",
      "NODE_ENV",
      "NODE_OPTIONS"
    ]
    const environment = ["DATABASE_ULR", "TOKEN_SECRETS", "SECRET_KEY_FILE", "Public_Url", ...names, ...ordinary]
    deepStrictEqual(Settings.misspelt(Object.fromEntries(environment.map((name) => [name, "x"]))), [
      { sent: "DATABASE_ULR", meant: "DATABASE_URL" },
      { sent: "TOKEN_SECRETS", meant: "TOKEN_SECRET" },
      { sent: "SECRET_KEY_FILE", meant: "SECRETS_KEY_FILE" },
      { sent: "Public_Url", meant: "PUBLIC_URL" }
    ])
  })

  it.effect("with no or only empty variables leaves every default", () =>
    Effect.gen(function* () {
      deepStrictEqual(yield* Settings.read({}), byDefault)
      deepStrictEqual(yield* Settings.read(Object.fromEntries(names.map((name) => [name, ""]))), byDefault)
    })
  )

  it.effect("set to the defaults that the reference shows is as if unset", () =>
    Effect.gen(function* () {
      const shown = Settings.variables.flatMap(({ byDefault, name }) => {
        const [, value] = /^`([^`]+)`$/.exec(byDefault) ?? []
        return value === undefined ? [] : [[name, value]]
      })
      assertTrue(shown.length >= 15)
      deepStrictEqual(yield* Settings.read(Object.fromEntries(shown)), byDefault)
    })
  )

  it.effect("takes a webhook secret only in the Standard Webhooks form", () =>
    Effect.gen(function* () {
      for (const secret of ["foo", "whsec_", "whsec_c2hvcnQ=", "whsec_!"]) {
        const rejected = yield* Effect.flip(Settings.read({ SANDBOX_WEBHOOK_SECRET: secret }))
        assertTrue(rejected.message.startsWith("SANDBOX_WEBHOOK_SECRET"), rejected.message)
      }
    })
  )

  it.effect("takes a key of secrets as 32 bytes of hex or Base64, and a previous one beside it alone", () =>
    Effect.gen(function* () {
      const [bytes, previous] = [Buffer.alloc(32, 251), Buffer.alloc(32, 1).toString("hex")]
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        const { secrets } = yield* Settings.read({
          SECRETS_KEY: bytes.toString(encoding),
          SECRETS_KEY_PREVIOUS: previous
        })
        const keys = Option.getOrThrow(secrets)
        deepStrictEqual(Buffer.from(SecretCipher.keyOf(Redacted.value(keys.key)) ?? []), bytes)
        strictEqual(keys.previous && Redacted.value(keys.previous), previous)
      }
      for (const name of ["SECRETS_KEY", "SECRETS_KEY_PREVIOUS"]) {
        for (const value of ["a password", "0f".repeat(31), "0f".repeat(33), "g".repeat(64), "A".repeat(44)]) {
          const { message } = yield* Effect.flip(Settings.read({ [name]: value }))
          assertTrue(
            message.startsWith(`${name} must be 32 bytes as hex or Base64`) && !message.includes(value),
            message
          )
        }
      }
      const { message } = yield* Effect.flip(Settings.read({ SECRETS_KEY_PREVIOUS: previous }))
      strictEqual(message, "SECRETS_KEY_PREVIOUS needs SECRETS_KEY: set that to the key that replaces it")
    })
  )

  it.effect("takes nobody, the test provider or an endpoint with its secret to charge companies", () =>
    Effect.gen(function* () {
      const PAYMENTS_SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
      for (const PAYMENTS of ["none", "test"] as const) {
        deepStrictEqual((yield* Settings.read({ PAYMENTS })).payments, Option.some<"none" | "test">(PAYMENTS))
      }
      const { payments } = yield* Settings.read({ PAYMENTS: "https://pay.example/x/", PAYMENTS_SECRET })
      deepStrictEqual(payments, Option.some({ url: "https://pay.example/x", secret: Redacted.make(PAYMENTS_SECRET) }))
      const { message } = yield* Effect.flip(Settings.read({ PAYMENTS: "https://pay.example" }))
      assertTrue(message.startsWith("PAYMENTS needs PAYMENTS_SECRET"), message)
      for (const PAYMENTS of ["yes", "ftp://pay.example", "https://pay.example?key=1"]) {
        const { message } = yield* Effect.flip(Settings.read({ PAYMENTS, PAYMENTS_SECRET }))
        assertTrue(message.startsWith("PAYMENTS must be none, test, or"), message)
      }
    })
  )

  it.effect("turns flags on with 1 and off with 0, and rejects other values", () =>
    Effect.gen(function* () {
      for (const [value, means] of [
        ["1", true],
        ["0", false]
      ] as const) {
        const all = Object.fromEntries(flags.map((name) => [name, value]))
        const { lenientQuery, queryCredentials, sandbox, webhookAllowPrivate } = yield* Settings.read(all)
        deepStrictEqual([sandbox, webhookAllowPrivate], [Option.some(means), Option.some(means)])
        deepStrictEqual([queryCredentials, lenientQuery], [means, means])
      }
      for (const name of flags) {
        for (const value of ["true", "yes", "2", " "]) {
          const rejected = yield* Effect.result(Settings.read({ [name]: value }))
          assertTrue(Result.isFailure(rejected) && String(rejected.failure).includes(name), `${name}=${value}`)
        }
      }
    })
  )

  it.effect("takes a number of proxies from 0 to 10", () =>
    Effect.gen(function* () {
      for (const proxies of [0, 1, 2, 10]) {
        strictEqual((yield* Settings.read({ TRUST_PROXY: String(proxies) })).trustedProxies, proxies)
      }
      for (const value of ["true", "-1", "11", "1.5", "1e1"]) {
        const { message } = yield* Effect.flip(Settings.read({ TRUST_PROXY: value }))
        assertTrue(message.startsWith("TRUST_PROXY"), message)
      }
    })
  )

  it.effect("accepts only valid addresses, and names the variable that is wrong", () =>
    Effect.gen(function* () {
      for (const name of ["PUBLIC_URL", "SANDBOX_WEBHOOK_URL"]) {
        for (const value of ["http://127.0.0.1:9000/hook", "https://example.com"]) {
          assertTrue(Result.isSuccess(yield* Effect.result(Settings.read({ [name]: value }))), `${name}=${value}`)
        }
        for (const value of ["example.com", "ftp://example.com", "http://", "http://a b"]) {
          const rejected = yield* Effect.result(Settings.read({ [name]: value }))
          assertTrue(Result.isFailure(rejected) && String(rejected.failure).includes(name), `${name}=${value}`)
        }
      }
    })
  )

  it.effect("bounds requests and connections as set, and 0 takes a bound away", () =>
    Effect.gen(function* () {
      const bounded = yield* Settings.read({
        ACCOUNT_REQUESTS_PER_SECOND: "10",
        ACCOUNT_REQUESTS_AT_ONCE: "3",
        ACCOUNT_REQUESTS_IN_WORK: "2",
        COMPANY_WRITES_IN_WORK: "0",
        ACCOUNT_BYTES_AT_ONCE: "1000",
        ADDRESS_REQUESTS_PER_SECOND: "0",
        ADDRESS_REQUESTS_AT_ONCE: "0",
        ADDRESS_BYTES_AT_ONCE: "0",
        MAX_CONNECTIONS: "0",
        ADDRESS_CONNECTIONS: "0"
      })
      const none = Number.POSITIVE_INFINITY
      deepStrictEqual(bounded.allowances, {
        account: { perSecond: 10, burst: 50, concurrent: 3, concurrentBytes: 1_000 },
        address: { perSecond: none, burst: none, concurrent: none, concurrentBytes: none },
        share: 2,
        writes: none
      })
      const onPostgres = yield* Settings.read({ DATABASE_URL: "postgres://localhost/crossdock" })
      strictEqual(onPostgres.allowances.writes, 2)
      deepStrictEqual([bounded.maxConnections, bounded.addressConnections], [none, none])
      for (const value of ["-1", "1.5", "many", "1e3"]) {
        const rejected = yield* Effect.result(Settings.read({ ACCOUNT_REQUESTS_AT_ONCE: value }))
        assertTrue(Result.isFailure(rejected) && String(rejected.failure).includes("ACCOUNT_REQUESTS_AT_ONCE"), value)
      }
    })
  )

  it("decides whether the sandbox is on; without a setting, only on a loopback address and a database of no other integrations", () => {
    for (const host of [
      "127.0.0.1",
      "127.1.2.3",
      "::1",
      "localhost",
      "0.0.0.0",
      "::",
      "192.168.1.7",
      "127.0.0.1.evil.test"
    ]) {
      const isLoopback = ["127.0.0.1", "127.1.2.3", "::1", "localhost"].includes(host)
      for (const own of [true, false]) {
        strictEqual(Settings.isSandbox({ host, sandbox: Option.some(true) }, own), true)
        strictEqual(Settings.isSandbox({ host, sandbox: Option.some(false) }, own), false)
        strictEqual(Settings.isSandbox({ host, sandbox: Option.none() }, own), isLoopback && !own, host)
      }
    }
  })
})
