/** `crossdock doctor`: finds faults of a set-up and says how to correct them. */
import { Directory } from "@crossdock/access"
import type { Services } from "@crossdock/host"
import { DatabaseFacts, Migrations } from "@crossdock/storage-sql"
import { Effect, Option, Result } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import * as DatabaseChecks from "../doctor/DatabaseChecks.ts"
import { type Finding, fault, ok, warning } from "../doctor/Finding.ts"
import * as SettingsChecks from "../doctor/SettingsChecks.ts"
import { onDatabaseOf, settings } from "../Management.ts"
import * as Payments from "../Payments.ts"
import type { Settings } from "../Settings.ts"
import * as Storage from "../Storage.ts"
import * as StoredSecrets from "../StoredSecrets.ts"
import { type Environment, Terminal } from "../Terminal.ts"

/** Checks whether the database can be reached and has the schema of this release. */
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

/** Checks whether hosts reach the same database through the pooler. */
const pooler = (url: string, through: string) => {
  const todo = "unset it, or set DATABASE_URL to the server behind the pooler"
  const unused = "DATABASE_POOLER_URL is not used, since DATABASE_URL is not of PostgreSQL"
  if (!/^postgres/.test(url)) return Effect.succeed(warning("pooler", unused, todo))
  return Effect.as(DatabaseFacts.server, ok("pooler", Storage.nameOf(through))).pipe(
    Effect.provide(Storage.connection(url, { pooler: through })),
    Effect.catch((error) =>
      Effect.succeed(
        fault("pooler", Storage.sentenceOf(error, "DATABASE_POOLER_URL"), "correct that, then run doctor again")
      )
    )
  )
}

type Findings<R, E = unknown> = Effect.Effect<ReadonlyArray<Finding>, E, R>

const business = Effect.fnUntraced(function* (settings: Settings) {
  const { accounts, audit, billing, endpoints, shipments, webhooks } = DatabaseChecks
  const found = yield* Effect.all([accounts, webhooks, endpoints, shipments, billing, audit])
  const hasOwnIntegrations = yield* (yield* Directory).hasOwnIntegrations
  const secrets = yield* StoredSecrets.finding(settings)
  return [
    SettingsChecks.sandbox(settings, hasOwnIntegrations),
    Payments.finding(settings, hasOwnIntegrations),
    secrets,
    ...found.flat()
  ]
})

const ofSettings = (settings: Settings, environment: Environment) => [
  SettingsChecks.misspelt(environment),
  SettingsChecks.tokenSecret(settings),
  SettingsChecks.publicUrl(settings),
  SettingsChecks.retention(settings)
]

/** Checks a database. `run` runs the checks of the database's content. */
const ofDatabase = Effect.fnUntraced(function* <R>(
  settings: Settings,
  run: (work: Findings<Services.Services | SqlClient>) => Findings<R>
) {
  const { databaseUrl: url } = settings
  const found = yield* database(settings)
  const ofPooler = yield* Effect.all(Option.toArray(Option.map(settings.databasePooler, (one) => pooler(url, one))))
  const file = Storage.fileOf(url)
  const ofFile = file !== undefined && Storage.exists(url) ? yield* DatabaseChecks.file(file) : []
  const needed = ["database", "schema", "shards"]
  const isUsable = !found.some(({ check, state }) => state === "fault" && needed.includes(check))
  // A database in memory has no connection for these checks.
  const byConnection = Effect.all([DatabaseChecks.clock, DatabaseChecks.idempotency])
  const ofBusiness = isUsable
    ? yield* run(Effect.zipWith(byConnection, business(settings), (some, others) => [...some, ...others]))
    : [warning("everything else", "not checked", "correct the database first")]
  return [...found, ...ofPooler, ...ofFile, ...ofBusiness]
})

/** The findings about a running host. Its services check the content of its database. */
export const onHost = (settings: Settings, environment: Environment): Findings<Services.Services, never> =>
  (Storage.isInMemory(settings.databaseUrl)
    ? business(settings)
    : ofDatabase(settings, Effect.provide(Storage.connection(settings.databaseUrl)))
  ).pipe(
    Effect.map((found) => [...ofSettings(settings, environment), ...found]),
    Effect.catch((error) => Effect.succeed([fault("database", Storage.sentenceOf(error), "correct that first")]))
  )

export const command = CommandLine.define({
  name: "doctor",
  does: "Finds faults of a host and says what to do. Checks settings, database, clock, accounts, webhooks, endpoints, open shipments, background work and the newest audit records. Changes nothing. Exits with 1 if it finds a fault, with 0 if there are only warnings.",
  examples: ["doctor", "doctor --json"],
  *run() {
    const read = yield* Effect.result(settings)
    const found = Result.isFailure(read)
      ? [fault("settings", read.failure.message, "then run doctor again, which checks the rest")]
      : [
          ...ofSettings(read.success, (yield* Terminal).environment),
          ...(yield* ofDatabase(read.success, (work) => onDatabaseOf(read.success, work)))
        ]
    const lines = found.map(({ check, says, state, todo }) => ({
      state: state === "ok" ? state : state.toUpperCase(),
      check,
      found: todo === null ? says : `${says}. To do: ${todo}`
    }))
    const table = Answer.table(lines, ["state", "check", "found"], found)
    const isFaulty = found.some(({ state }) => state === "fault")
    return Answer.faulty(table, isFaulty)
  }
})
