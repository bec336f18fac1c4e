/** `crossdock backup` and `crossdock restore`. Source: docs/guides/back-up.md. */
import { constants } from "node:fs"
import { access, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { Directory } from "@crossdock/access"
import { FeedRestored } from "@crossdock/audit"
import { companiesOf, MarketplaceStore } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { DatabaseFacts, Migrations } from "@crossdock/storage-sql"
import { Clock, Effect, FileSystem, Option, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as CompanyArchive from "../CompanyArchive.ts"
import * as FileFailure from "../FileFailure.ts"
import { caller, define, onDatabaseOf, settings } from "../Management.ts"
import * as RecordFile from "../RecordFile.ts"
import * as ServerTool from "../ServerTool.ts"
import * as Storage from "../Storage.ts"
import { progress } from "../Terminal.ts"

const file = CommandLine.argument("file", "the file of the backup")

const sizeOf = (path: string) => Effect.option(Effect.tryPromise(async () => (await stat(path)).size))

/** Checks that every page of a SQLite file is readable, and that the file is a database of Crossdock. */
const checkedFile = (path: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [result] = yield* sql<{ integrity_check: string }>`PRAGMA integrity_check`
    return result?.integrity_check === "ok" && (yield* Migrations.state).applied > 0
  }).pipe(
    Effect.provide(Storage.connection(`sqlite:${path}`)),
    Effect.catchCause(() => Effect.succeed(false)),
    Effect.flatMap((fine) =>
      fine ? Effect.void : new CommandFailure(`${path} is not a whole database of Crossdock: use another file`)
    )
  )

const copiedFile = (url: string, path: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM INTO ${path}`).pipe(
    // Any other failure is one of the source database.
    Effect.mapError((error) =>
      FileFailure.codeOf(error.reason.cause) === "SQLITE_FULL" ? FileFailure.of(error.reason.cause, path) : error
    ),
    Effect.provide(Storage.connection(url))
  )

const copied = Effect.fnUntraced(function* (url: string, path: string) {
  const isFile = Storage.fileOf(url) !== undefined
  yield* isFile ? copiedFile(url, path) : ServerTool.run("pg_dump", ["--format=custom", `--file=${path}`], url)
  yield* RecordFile.synced(path, "r+")
  yield* progress("checking the copy")
  yield* isFile ? checkedFile(path) : ServerTool.run("pg_restore", ["--list", path], url)
})

export const backup = CommandLine.define({
  name: "backup",
  does: "Copies the database to a new file while hosts run, and checks the copy. The copy contains all data, so keep it as safe as the database. PostgreSQL requires pg_dump.",
  examples: ["backup crossdock-backup.db"],
  options: { file },
  *run({ file }) {
    const { databaseUrl } = yield* settings
    yield* Effect.provide(Storage.checkUpToDate(databaseUrl), Storage.connection(databaseUrl))
    yield* RecordFile.created(file, Stream.empty)
    yield* progress(`copying ${Storage.nameOf(databaseUrl)}`)
    const began = yield* Clock.currentTimeMillis
    yield* Effect.onError(copied(databaseUrl, file), () => Effect.promise(() => rm(file, { force: true })))
    // A standby can be copied but not written to.
    yield* Effect.catch(Effect.provide(DatabaseFacts.recordBackup(began), Storage.connection(databaseUrl)), () =>
      progress("the database doesn't keep the time of this backup, so the metric doesn't show it")
    )
    const bytes = Option.getOrElse(yield* sizeOf(file), () => 0)
    const text = `${Storage.nameOf(databaseUrl)} is copied to ${file}, and the copy is whole.`
    return Answer.sentence(text, { file, bytes })
  }
})

/** Fails unless the file and its folder are writable, since SQLite writes beside a database even to check it. */
const writable = (path: string) =>
  Effect.forEach([dirname(path), path], (one) =>
    Effect.tryPromise({
      try: () => access(one, constants.W_OK),
      catch: () =>
        new CommandFailure(
          `${JSON.stringify(one)} can't be written, which SQLite must do to check the backup: copy the backup to a folder of yours`
        )
    })
  )

const restoreSqlite = Effect.fnUntraced(function* (url: string, path: string) {
  const target = Storage.fileOf(url) ?? ""
  const todo = "stop the hosts and move it away, or set another DATABASE_URL"
  for (const one of [`${target}-wal`, `${target}-shm`])
    if (Option.isSome(yield* sizeOf(one))) return yield* new CommandFailure(`There is a file ${one} already: ${todo}`)
  yield* writable(path)
  yield* checkedFile(path)
  const files = yield* FileSystem.FileSystem
  yield* RecordFile.created(target, files.stream(path), todo)
})

const anyTable = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) LIMIT 1`
)

const restorePostgres = Effect.fnUntraced(function* (url: string, path: string) {
  if ((yield* Effect.provide(anyTable, Storage.connection(url))).length > 0)
    return yield* new CommandFailure(`The database at ${Storage.nameOf(url)} is not empty: restore into an empty one`)
  const name = ServerTool.addressOf(url).PGDATABASE
  const asOne = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
  yield* ServerTool.run("pg_restore", [...asOne, `--dbname=${name}`, path], url)
})

const faults = Effect.gen(function* () {
  const companies = yield* (yield* Directory).companies
  const found = yield* Effect.forEach(companies, ({ id }) =>
    Effect.andThen(progress(`checking company ${id}`), CompanyArchive.faultsOf(id))
  )
  return found.flatMap(({ faults }) => faults)
})

/** Makes new numbers and sequences greater than all that receivers know. They received changes that the copy lacks. */
const restart = Effect.gen(function* () {
  const companies = yield* (yield* Directory).companies
  for (const { id } of companies) yield* FeedRestored.restart(caller, id)
  const { reconcile } = yield* Notifications.Notifications
  const receivers = (yield* (yield* MarketplaceStore).all).filter(({ webhook }) => webhook !== null)
  for (const marketplace of receivers) yield* reconcile(caller, marketplace.slug, companiesOf(marketplace))
  return { companies: companies.length, marketplaces: receivers.map(({ slug }) => slug) }
})

const restartedText = ({ companies, marketplaces }: Effect.Success<typeof restart>) =>
  `The events of ${Answer.counted(companies, "company", "companies")} go on under new numbers. Hosts resend all stock to ${Answer.counted(marketplaces.length, "marketplace")}.`

export const restored = define({
  name: "restored",
  does: "Completes a restore made by hand: event numbers jump, so that none is used twice, and hosts resend all stock to every marketplace. Run it once, before you start hosts. `crossdock restore` includes it.",
  examples: ["restored"],
  *run() {
    const after = yield* restart
    return Answer.sentence(restartedText(after), after)
  }
})

export const restore = CommandLine.define({
  name: "restore",
  does: "Restores a backup into a new SQLite database or an empty PostgreSQL database, updates its schema, and checks its stock and audit trails. Exits with 1 if they are broken. Event numbers jump, so that none is used twice, and hosts resend all stock to every marketplace. Compare payments with your provider before you start hosts.",
  examples: ["restore crossdock-backup.db --database sqlite:./restored.db"],
  options: { file },
  *run({ file }) {
    const { databaseUrl } = yield* settings
    if (Storage.isInMemory(databaseUrl))
      return yield* new CommandFailure(`${databaseUrl} ends with its process: set another DATABASE_URL`)
    yield* Effect.tryPromise({
      try: () => access(file, constants.R_OK),
      catch: (error) =>
        FileFailure.codeOf(error) === "ENOENT"
          ? new CommandFailure(`There is no file ${file}: check its path`)
          : FileFailure.of(error, file)
    })
    yield* progress(`restoring ${file}`)
    yield* (Storage.fileOf(databaseUrl) === undefined ? restorePostgres : restoreSqlite)(databaseUrl, file)
    yield* Storage.migrate(databaseUrl)
    const [found, after] = yield* onDatabaseOf(yield* settings, Effect.all([faults, restart]))
    const at = Storage.nameOf(databaseUrl)
    const text = [
      `${file} is restored to ${at}.`,
      ...(found.length === 0 ? ["Its stock and audit trails are intact."] : found),
      restartedText(after),
      "Next: compare payments with your provider, then start the hosts."
    ]
    return Answer.sentence(text.join("\n"), { database: at, ...after, faults: found }, found.length > 0)
  }
})
