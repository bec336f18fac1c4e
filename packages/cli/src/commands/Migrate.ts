/** `crossdock migrate`: creates the tables of a database, or brings its schema up to date. */
import { Migrations } from "@crossdock/storage-sql"
import { Effect } from "effect"
import * as Answer from "../Answer.ts"
import { StartFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { settings } from "../Management.ts"
import * as Storage from "../Storage.ts"

const state = Effect.tap(Storage.migrations, ({ applied, pending }) =>
  applied > 0 && pending.length === 0 ? Migrations.check : Effect.void
)

/** The state before the migration. A database that doesn't exist lacks all migrations. */
const before = (url: string) =>
  Storage.exists(url)
    ? Effect.provide(state, Storage.connection(url))
    : Effect.succeed({ applied: 0, pending: Object.keys(Migrations.migrations) })

const check = Effect.fnUntraced(function* (url: string) {
  const { applied, pending } = yield* before(url)
  const at = Storage.nameOf(url)
  const text =
    pending.length === 0
      ? `The database at ${at} is up to date.`
      : applied === 0
        ? Storage.exists(url)
          ? `The database at ${at} is empty.`
          : `There is no database at ${at}.`
        : `The database at ${at} lacks ${pending.join(", ")}.`
  return Answer.sentence(text, { database: at, applied, pending }, pending.length > 0)
})

const migrate = Effect.fnUntraced(function* (url: string) {
  if (Storage.isInMemory(url))
    return yield* new StartFailure({ message: `${url} ends with its process: set another DATABASE_URL` })
  const { applied, pending } = yield* before(url)
  yield* Storage.migrate(url)
  const at = Storage.nameOf(url)
  const text =
    applied === 0
      ? `Created the tables of the database at ${at}.`
      : pending.length === 0
        ? `The database at ${at} was up to date.`
        : `Brought the database at ${at} up to date: ${pending.join(", ")}.`
  return Answer.sentence(text, { database: at, migrated: pending })
})

/** Brings the schema up to date, and distributes the tables by company over the servers of Citus. */
const distribute = Effect.fnUntraced(function* (url: string) {
  yield* migrate(url)
  yield* Effect.provide(Storage.distribute, Storage.connection(url))
  const at = Storage.nameOf(url)
  return Answer.sentence(`The tables of the database at ${at} are distributed by company.`, { database: at })
})

/** Prints the pending migrations as a script. A semicolon ends each statement; one that creates a trigger contains more. */
const print = Effect.fnUntraced(function* (url: string) {
  const { applied } = yield* before(url)
  const scripts = Migrations.scripts(Storage.fileOf(url) === undefined ? "pg" : "sqlite", applied)
  const parts = scripts.map(({ check, name, statements }) =>
    [
      `-- ${name}`,
      ...(check === null ? [] : [`-- Before it, this must find nothing: ${check.replaceAll(/\s+/g, " ")};`]),
      ...statements.map((statement) => `${statement};`)
    ].join("\n")
  )
  return Answer.joined(scripts, parts)
})

export const command = CommandLine.define({
  name: "migrate",
  does: "Creates the tables, or brings the schema of an existing database up to date. On SQLite it creates a missing file; on PostgreSQL the database must exist. Stop all hosts before you use --distribute. With --check or --print, the command changes nothing. --check exits with 1 unless the database exists and is up to date.",
  examples: ["migrate", "migrate --check", "migrate --print"],
  options: {
    distribute: CommandLine.toggle("distribute", "also distributes the tables by company, over the servers of Citus"),
    check: CommandLine.toggle("check", "only reports the pending migrations"),
    print: CommandLine.toggle(
      "print",
      "only prints the SQL of the pending migrations, for a migration tool of your own"
    )
  },
  *run(options) {
    const { databaseUrl } = yield* settings
    return yield* (options.print ? print : options.check ? check : options.distribute ? distribute : migrate)(
      databaseUrl
    )
  }
})
