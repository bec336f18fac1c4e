/** `crossdock doctor`: finds the faults of a set-up, with their remedies. */
import { Directory } from "@crossdock/access"
import { DatabaseFacts, Migrations } from "@crossdock/storage-sql"
import { Effect, Option, Result } from "effect"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import * as DatabaseChecks from "../doctor/DatabaseChecks.ts"
import { type Finding, fault, ok, warning } from "../doctor/Finding.ts"
import * as SettingsChecks from "../doctor/SettingsChecks.ts"
import { onDatabaseOf, settings, type Work } from "../Management.ts"
import * as Payments from "../Payments.ts"
import type { Settings } from "../Settings.ts"
import * as Storage from "../Storage.ts"
import * as StoredSecrets from "../StoredSecrets.ts"
import { Terminal } from "../Terminal.ts"

/** Whether the database exists and has the schema of this release. */
const database = (settings: Settings) => {
  const url = settings.databaseUrl
  return Effect.gen(function* () {
    const { version } = yield* DatabaseFacts.server
    const reachable = ok("database", `${Storage.nameOf(url)}, ${version}`)
    const ofServer =
      Storage.fileOf(url) === undefined
        ? [yield* DatabaseChecks.encryption(url), ...(yield* DatabaseChecks.server(settings))]
        : []
    const found = [reachable, ...ofServer]
    const { applied, pending } = yield* Migrations.state
    if (applied === 0) return [...found, fault("schema", "the database is empty", "crossdock migrate")]
    if (pending.length > 0)
      return [...found, fault("schema", `of an earlier release: it lacks ${pending.join(", ")}`, "crossdock migrate")]
    yield* Migrations.check
    return [...found, ok("schema", `${applied} migrations, none is pending`)]
  }).pipe(
    Effect.provide(Storage.connection(url)),
    Effect.catch((error) =>
      Effect.succeed([fault("database", Storage.sentenceOf(error), "correct that, then run doctor again")])
    )
  )
}

/** Whether hosts reach the same database through the pooler. */
const pooler = (url: string, through: string) =>
  /^postgres/.test(url) ? reached(url, through) : Effect.succeed(unusedPooler)

const unusedPooler = warning(
  "pooler",
  "DATABASE_POOLER_URL is not used, since DATABASE_URL is not of PostgreSQL",
  "unset it, or set DATABASE_URL to the server behind the pooler"
)

const reached = (url: string, through: string) =>
  Effect.as(DatabaseFacts.server, ok("pooler", Storage.nameOf(through))).pipe(
    Effect.provide(Storage.connection(url, { pooler: through })),
    Effect.catch((error) =>
      Effect.succeed(
        fault("pooler", Storage.sentenceOf(error, "DATABASE_POOLER_URL"), "correct that, then run doctor again")
      )
    )
  )

const checksOfDatabase: ReadonlyArray<Work<Finding | ReadonlyArray<Finding>>> = [
  DatabaseChecks.clock,
  DatabaseChecks.accounts,
  DatabaseChecks.webhooks,
  DatabaseChecks.endpoints,
  DatabaseChecks.shipments,
  DatabaseChecks.billing,
  DatabaseChecks.idempotency,
  DatabaseChecks.audit
]

/** The checks of the database's content. */
const business = Effect.fnUntraced(function* (settings: Settings) {
  const found = yield* Effect.forEach(checksOfDatabase, (check) => check)
  const hasOwnIntegrations = yield* (yield* Directory).hasOwnIntegrations
  const secrets = yield* StoredSecrets.finding(settings)
  return [
    SettingsChecks.sandbox(settings, hasOwnIntegrations),
    Payments.finding(settings, hasOwnIntegrations),
    secrets,
    ...found.flat()
  ]
})

const all = Effect.fnUntraced(function* (settings: Settings) {
  const { databaseUrl: url } = settings
  const ofSettings = [
    SettingsChecks.misspelt((yield* Terminal).environment),
    SettingsChecks.tokenSecret(settings),
    SettingsChecks.publicUrl(settings),
    SettingsChecks.retention(settings)
  ]
  const ofDatabase = yield* database(settings)
  const ofPooler = yield* Effect.all(
    Option.toArray(Option.map(settings.databasePooler, (through) => pooler(url, through)))
  )
  const file = Storage.fileOf(url)
  const ofFile = file !== undefined && Storage.exists(url) ? yield* DatabaseChecks.file(file) : []
  const isUsable = !ofDatabase.some(
    ({ check, state }) => state === "fault" && (check === "database" || check === "schema")
  )
  const ofBusiness = isUsable
    ? yield* onDatabaseOf(settings, business(settings))
    : [warning("everything else", "not checked", "correct the database first")]
  return [...ofSettings, ...ofDatabase, ...ofPooler, ...ofFile, ...ofBusiness]
})

const marks = { ok: "ok", warning: "WARNING", fault: "FAULT" } as const

export const command = CommandLine.define({
  name: "doctor",
  does: "Checks the settings, the database, its schema and file, the clock, accounts, webhooks and their secrets, endpoints of events, statuses of open shipments, background work and the newest audit records, and says what to do. Changes nothing. Exits with 1 if it finds a fault, with 0 if there are only warnings.",
  examples: ["doctor", "doctor --json"],
  options: {},
  *run() {
    const read = yield* Effect.result(settings)
    const found = Result.isFailure(read)
      ? [fault("settings", read.failure.message, "then run doctor again, which checks the rest")]
      : yield* all(read.success)
    const lines = found.map(({ check, says, state, todo }) => ({
      state: marks[state],
      check,
      found: todo === null ? says : `${says}. To do: ${todo}`
    }))
    const table = Answer.table(lines, ["state", "check", "found"], found)
    return Answer.faulty(
      table,
      found.some(({ state }) => state === "fault")
    )
  }
})
