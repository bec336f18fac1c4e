/** `crossdock archive`: closed orders and old audit records in files. Source: docs/guides/growing.md#archive. */
import { join } from "node:path"
import { Directory } from "@crossdock/access"
import { AuditStore } from "@crossdock/audit"
import { Instant } from "@crossdock/kernel"
import { Clock, Effect } from "effect"
import * as Answer from "../Answer.ts"
import * as Archive from "../Archive.ts"
import * as ArchiveLock from "../ArchiveLock.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TrailArchive from "../TrailArchive.ts"

const directory = CommandLine.argument("directory", "the archive")

const noArchive = (directory: string) => new CommandFailure(`${directory} has no archive: check the path`)

/** Whether records of any company were archived or deleted, so that a directory without an archive may be mistyped. */
const isShortened = Effect.gen(function* () {
  const [{ companies }, { anchor }] = [yield* Directory, yield* AuditStore]
  const anchors = yield* Effect.forEach(yield* companies, ({ id }) => anchor(id))
  return anchors.some(({ sequence }) => sequence > 0)
})

/** Fails if a move to this directory would begin a second archive by mistake. */
const checkBeginning = Effect.fnUntraced(function* (directory: string, isNew: boolean) {
  const isBegun = yield* Archive.isBegun(directory)
  if (isNew && isBegun) return yield* new CommandFailure(`${directory} has an archive already: leave out --new`)
  if (!isNew && !isBegun && (yield* isShortened))
    return yield* new CommandFailure(
      `${directory} has no archive, but older records of this database were archived or deleted: check the path, or add --new to begin another archive`
    )
})

export const command = CommandLine.group("archive", "Closed orders and old audit records in files.", [
  define({
    name: "move",
    does: "Moves closed orders and audit records from the database to monthly files, once their month is older than --days. Only one such command can run on a database at a time. The files contain personal data: keep them as safe as a backup.",
    examples: ["archive move ./archive --days 400"],
    options: {
      directory: CommandLine.argument("directory", "the archive; the first move creates it"),
      days: CommandLine.whole("days", "how many days the database keeps orders and records", 90),
      isNew: CommandLine.toggle("new", "begins another archive, although older records were archived or deleted before")
    },
    *run({ days, directory, isNew }) {
      const before = Archive.beginningOf((yield* Clock.currentTimeMillis) - days * Instant.dayMillis)
      yield* ArchiveLock.acquire
      yield* checkBeginning(directory, isNew)
      // Trails are moved first. That fails if the archive is another database's, and then no order may be moved to it.
      const companies = yield* (yield* Directory).companies
      const moved = yield* Effect.forEach(companies, ({ id }) => TrailArchive.move(directory, id, before))
      const records = moved.reduce((sum, one) => sum + one, 0)
      const orders = yield* Archive.moveOrders(directory, before)
      const counts = `${Answer.counted(orders, "order")} and ${Answer.counted(records, "audit record")}`
      return Answer.sentence(`Moved ${counts} to ${directory}.`, { orders, records })
    }
  }),
  define({
    name: "find",
    does: "Prints the newest archived order with this id, and its shipments, as JSON. A search by AWB is slow, because it may read every file.",
    examples: ["archive find ./archive WEB-10001"],
    options: {
      directory,
      id: CommandLine.argument("id", "an order's id (Crossdock's or the marketplace's), a shipment's id, or an AWB")
    },
    *run({ directory, id }) {
      if (!(yield* Archive.isBegun(directory))) return yield* noArchive(directory)
      const found = yield* Archive.find(directory, id)
      return Answer.sentence(JSON.stringify(found, null, 2), found)
    }
  }),
  define({
    name: "verify",
    does: "Finds changed, truncated and missing files of an archive, and compares the end of each company's trail with the database. Exits with 1 if it finds a fault.",
    examples: ["archive verify ./archive"],
    options: { directory },
    *run({ directory }) {
      if (!(yield* Archive.isBegun(directory)) && (yield* isShortened)) return yield* noArchive(directory)
      const orders = yield* Effect.forEach(yield* Archive.filesOf(join(directory, "orders")), (file) =>
        Archive.faultOf(file, Effect.asVoid(Archive.checked(file)))
      )
      const companies = yield* (yield* Directory).companies
      const trails = yield* Effect.forEach(companies, ({ id }) => TrailArchive.verify(directory, id))
      const verdicts = [...orders.reverse(), ...trails.flat()]
      const lines = verdicts.map(({ fault, file }) => `${file}: ${fault ?? "intact"}`)
      const text = lines.length === 0 ? `${directory} has no file.` : lines.join("\n")
      const isFaulty = verdicts.some(({ fault }) => fault !== null)
      return Answer.sentence(text, verdicts, isFaulty)
    }
  })
])
