/**
 * `crossdock backup` and `crossdock restore`. Source: docs/guides/back-up.md.
 */
import { constants } from "node:fs"
import { copyFile, open, rm, stat } from "node:fs/promises"
import { Directory } from "@crossdock/access"
import { AuditTrail } from "@crossdock/audit"
import { Inventory } from "@crossdock/inventory"
import { Migrations } from "@crossdock/storage-sql"
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { onDatabaseOf, settings } from "../Management.ts"
import * as ServerTool from "../ServerTool.ts"
import * as Storage from "../Storage.ts"
import { progress } from "../Terminal.ts"

const file = Argument.String("file").pipe(Argument.withDescription("the file of the backup"))

const sizeOf = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      ({ size }) => Option.some(size),
      () => Option.none()
    )
  )

const rejectExisting = (path: string, todo: string) =>
  Effect.flatMap(sizeOf(path), (size) =>
    Option.isSome(size) ? new CommandFailure({ message: `There is a file ${path} already: ${todo}` }) : Effect.void
  )

/** A copy is for its owner alone, and must survive a crash of the machine. */
const sealed = (path: string) =>
  Effect.promise(async () => {
    const opened = await open(path, "r+")
    try {
      await opened.chmod(0o600)
      await opened.sync()
    } finally {
      await opened.close()
    }
  })

const isOurs = Effect.gen(function* () {
  const { applied } = yield* Migrations.state
  return applied > 0
})

/** Fails unless every page of a SQLite file can be read and it is a database of ours. */
const checkedFile = (path: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [result] = yield* sql<{ integrity_check: string }>`PRAGMA integrity_check`
    return result?.integrity_check === "ok" && (yield* isOurs)
  }).pipe(
    Effect.provide(Storage.connection(`sqlite:${path}`)),
    Effect.catchCause(() => Effect.succeed(false)),
    Effect.flatMap((fine) =>
      fine
        ? Effect.void
        : new CommandFailure({ message: `${path} is not a whole database of Crossdock: use another file` })
    )
  )

const backupSqlite = (url: string, path: string) =>
  Effect.gen(function* () {
    yield* Effect.provide(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`VACUUM INTO ${path}`
      }),
      Storage.connection(url)
    )
    yield* sealed(path)
    yield* progress("checking the copy")
    yield* checkedFile(path)
  })

const backupPostgres = (url: string, path: string) =>
  Effect.gen(function* () {
    yield* ServerTool.run("pg_dump", ["--format=custom", `--file=${path}`], url)
    yield* sealed(path)
    yield* progress("checking the copy")
    yield* ServerTool.run("pg_restore", ["--list", path], url)
  })

export const backup = CommandLine.define({
  name: "backup",
  does: "Copies the database to a new file while hosts run, and checks the copy. The copy is as secret as the database. PostgreSQL's pg_dump must be installed for a database of it.",
  examples: ["backup crossdock-backup.db"],
  options: { file },
  run: ({ file }) =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* settings
      yield* rejectExisting(file, "choose another name")
      yield* Effect.provide(Storage.checkUpToDate(databaseUrl), Storage.connection(databaseUrl))
      yield* progress(`copying ${Storage.nameOf(databaseUrl)}`)
      const isFile = Storage.fileOf(databaseUrl) !== undefined
      yield* Effect.onError((isFile ? backupSqlite : backupPostgres)(databaseUrl, file), () =>
        Effect.promise(() => rm(file, { force: true }))
      )
      const bytes = Option.getOrElse(yield* sizeOf(file), () => 0)
      return Answer.sentence(`${Storage.nameOf(databaseUrl)} is copied to ${file}, and the copy is whole.`, {
        file,
        bytes
      })
    })
})

const restoreSqlite = (url: string, path: string) =>
  Effect.gen(function* () {
    const target = Storage.fileOf(url) ?? ""
    for (const one of [target, `${target}-wal`, `${target}-shm`])
      yield* rejectExisting(one, "stop the hosts and move it away, or set another DATABASE_URL")
    yield* checkedFile(path)
    yield* Effect.mapError(
      Effect.tryPromise(() => copyFile(path, target, constants.COPYFILE_EXCL)),
      () => new CommandFailure({ message: `${target} can't be written: check its folder` })
    )
    yield* sealed(target)
  })

const isEmpty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (
    (yield* sql`SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace(current_schema()) LIMIT 1`).length === 0
  )
})

const restorePostgres = (url: string, path: string) =>
  Effect.gen(function* () {
    if (!(yield* Effect.provide(isEmpty, Storage.connection(url))))
      return yield* new CommandFailure({
        message: `The database at ${Storage.nameOf(url)} is not empty: restore into an empty one`
      })
    const name = decodeURIComponent(new URL(url).pathname.slice(1))
    const asOne = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    yield* ServerTool.run("pg_restore", [...asOne, `--dbname=${name}`, path], url)
  })

/** What is wrong with a restored database, company by company. */
const faults = Effect.gen(function* () {
  const [stock, trail] = [yield* Inventory.Inventory, yield* AuditTrail.AuditTrail]
  const companies = yield* (yield* Directory).companies
  const found = yield* Effect.forEach(companies, ({ id }) =>
    Effect.gen(function* () {
      yield* progress(`checking company ${id}`)
      const levels = (yield* stock.verify(id)).length
      const { broken } = yield* trail.verify(id)
      return [
        ...(levels > 0 ? [`company ${id}: ${levels} levels are not the sum of their movements`] : []),
        ...(broken === undefined ? [] : [`company ${id}: audit record ${broken.sequence} ${broken.reason}`])
      ]
    })
  )
  return { companies: companies.length, faults: found.flat() }
})

export const restore = CommandLine.define({
  name: "restore",
  does: "Restores a backup into a database that doesn't exist yet (SQLite) or is empty (PostgreSQL), brings its schema up to date, and checks its stock and audit trails. Ends with 1 when they are broken. docs/guides/back-up.md says what to do next.",
  examples: ["restore crossdock-backup.db --database sqlite:./restored.db"],
  options: { file },
  run: ({ file }) =>
    Effect.gen(function* () {
      const { databaseUrl } = yield* settings
      if (Storage.isInMemory(databaseUrl))
        return yield* new CommandFailure({ message: `${databaseUrl} ends with its process: set another DATABASE_URL` })
      if (Option.isNone(yield* sizeOf(file)))
        return yield* new CommandFailure({ message: `There is no file ${file}: check its path` })
      yield* progress(`restoring ${file}`)
      yield* (Storage.fileOf(databaseUrl) === undefined ? restorePostgres : restoreSqlite)(databaseUrl, file)
      yield* Storage.migrate(databaseUrl)
      const found = yield* onDatabaseOf(databaseUrl, faults)
      const at = Storage.nameOf(databaseUrl)
      const text = [
        `${file} is restored to ${at}: ${found.companies} companies.`,
        ...found.faults,
        "Next: compare payments and resend all stock (docs/guides/back-up.md)."
      ]
      return Answer.faulty(Answer.sentence(text.join("\n"), { database: at, ...found }), found.faults.length > 0)
    })
})
