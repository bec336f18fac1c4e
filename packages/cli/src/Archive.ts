/**
 * Moves completed orders and old audit records from the database to monthly files. Orders have one folder, and each company's
 * audit trail has its own. Rows are deleted once their file was flushed and read back. A row that differs from its file is
 * kept. A crash loses nothing, since the next run continues.
 */
import { randomBytes } from "node:crypto"
import { basename, dirname, join, relative } from "node:path"
import { CompanyWrite } from "@crossdock/audit"
import { type CompanyId, Ids } from "@crossdock/kernel"
import { mayMoveStock } from "@crossdock/shipments"
import { OrderArchive } from "@crossdock/storage-sql"
import { Effect, FileSystem, Option, type PlatformError, Schema, Stream } from "effect"
import * as ArchiveFile from "./ArchiveFile.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as FileFailure from "./FileFailure.ts"
import { caller } from "./Management.ts"
import * as RecordFile from "./RecordFile.ts"
import { progress } from "./Terminal.ts"

/** The month of a time (epoch milliseconds), such as `2026-01`, in UTC. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/** The beginning, in UTC, of the month that is `later` months after the month of `at`. */
export const beginningOf = (at: number, later = 0): number => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

/** The failure of a file that was damaged or edited. */
export const damaged = (file: string, where = "") =>
  new CommandFailure(`${file} is not as it was written${where}: restore it from a backup`)

/** Checks a file of the archive, and returns its first and last lines. */
export const checked = (file: string) => ArchiveFile.checked(file, damaged(file))

/** Creates a folder and its parents. */
const makeFolder = (folder: string): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    if (yield* files.exists(folder)) return
    yield* makeFolder(dirname(folder))
    yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
    yield* RecordFile.synced(dirname(folder))
  })

/** Gives a file the first name of its month that no other file has. */
const named = Effect.fnUntraced(function* (part: string, folder: string, month: string) {
  const files = yield* FileSystem.FileSystem
  for (let nth = 1; ; nth++) {
    const file = join(folder, `${month}${nth === 1 ? "" : `.${nth}`}.jsonl.gz`)
    const isNew = yield* Effect.catchIf(
      Effect.as(files.link(part, file), true),
      (error) => FileFailure.codeOf(error) === "EEXIST",
      () => Effect.succeed(false)
    )
    if (!isNew) continue
    yield* RecordFile.synced(folder)
    return file
  }
})

/** Writes and checks a file, and only then gives it its name. Returns the name, or undefined without lines. */
export const published = <E, R>(
  folder: string,
  month: string,
  header: object,
  lines: Stream.Stream<string, E, R>,
  last: () => object
) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    yield* makeFolder(folder)
    const part = join(folder, `${month}.${randomBytes(6).toString("hex")}.part`)
    let isEmpty = true
    const counted = Stream.map(lines, (line) => {
      isEmpty = false
      return line
    })
    const work = Effect.gen(function* () {
      yield* Effect.scoped(ArchiveFile.write(part, { format: 1, ...header }, counted, last))
      if (isEmpty) return undefined
      yield* checked(part)
      return yield* named(part, folder, month)
    })
    return yield* Effect.ensuring(work, Effect.ignore(files.remove(part)))
  })

/** The file, with its fault if the check fails. */
export const faultOf = <E extends Error, R>(file: string, check: Effect.Effect<void, E, R>) =>
  Effect.match(check, {
    onSuccess: () => ({ file, fault: null }),
    onFailure: ({ message }) => ({ file, fault: message })
  })

const pageSize = 200

const ordersBetween = (from: number, to: number) =>
  Stream.paginate(Ids.hexOf(from), (after) =>
    Effect.map(OrderArchive.page(after, Ids.hexOf(to), pageSize), (page) => [
      page,
      Option.fromNullishOr(page.length < pageSize ? undefined : page.at(-1)?.order.id)
    ])
  )

/** Deletes the orders of a file, except those that have changed since the file was written. */
const removeOrders = Effect.fnUntraced(function* (file: string, lines: ReadonlyArray<string>) {
  const { run } = yield* CompanyWrite.CompanyWrite
  const written = new Map(lines.map((line) => [(JSON.parse(line) as OrderArchive.WholeOrder).order.id, line]))
  return yield* run(caller, {
    load: OrderArchive.load([...written.keys()]),
    decide: (loaded) => {
      const same = loaded.filter((one) => written.get(one.order.id) === JSON.stringify(one))
      const companies = new Set(same.flatMap(({ shipments }) => shipments.map(({ companyId }) => companyId)))
      const changes = [...companies].map((companyId: CompanyId) => ({
        companyId,
        entity: { type: "orders", id: file, action: "archive" },
        save: () =>
          Effect.as(OrderArchive.remove(companyId, same), {
            logs: { request: { file }, response: { first: same[0]?.order.id, last: same.at(-1)?.order.id } },
            events: []
          })
      }))
      return Effect.succeed({ answer: same.length, changes })
    }
  })
})

/** Moves the completed orders of one month, and returns their number. */
const moveOrdersBetween = Effect.fnUntraced(function* (directory: string, from: number, to: number, before: number) {
  let orders = 0
  const lines = ordersBetween(from, to).pipe(
    // By the rules, such orders can't change any more.
    Stream.filter(
      ({ shipments }) => shipments.length > 0 && shipments.every((one) => !mayMoveStock(one) && one.modifiedAt < before)
    ),
    Stream.map((order) => {
      orders++
      return JSON.stringify(order)
    })
  )
  const month = monthOf(from)
  const file = yield* published(join(directory, "orders"), month, { orders: month }, lines, () => ({ orders }))
  if (file === undefined) return 0
  const name = relative(directory, file)
  return yield* ArchiveFile.lines(file, damaged(file)).pipe(
    Stream.grouped(pageSize),
    Stream.mapEffect((some) => removeOrders(name, some)),
    Stream.runFold(
      () => 0,
      (sum, removed) => sum + removed
    )
  )
})

/** Moves the orders placed and completed before `before`, which is the beginning of a month. Returns how many. */
export const moveOrders = Effect.fnUntraced(function* (directory: string, before: number) {
  const [first] = yield* OrderArchive.page("", Ids.hexOf(before), 1)
  let moved = 0
  if (first === undefined) return moved
  for (let from = beginningOf(Ids.timeOf(first.order.id)); from < before; from = beginningOf(from, 1))
    moved += yield* moveOrdersBetween(directory, from, beginningOf(from, 1), before)
  return moved
})

/** The files of a folder, newest first. Of several files of one month, the last written file is first. */
export const filesOf = Effect.fnUntraced(function* (folder: string) {
  const files = yield* FileSystem.FileSystem
  return ((yield* files.exists(folder)) ? yield* files.readDirectory(folder) : [])
    .flatMap((name) => /^(\d{4}-\d\d(\.\d+)?)\.jsonl\.gz$/.exec(name)?.[1] ?? [])
    .sort((one, other) => other.localeCompare(one, "en", { numeric: true }))
    .map((name) => join(folder, `${name}.jsonl.gz`))
})

/** Whether the directory has a file of an archive. */
export const isBegun = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const names = (yield* files.exists(directory)) ? yield* files.readDirectory(directory) : []
  const folders = names.filter((name) => /^(orders|company-\d+)$/.test(name))
  return (yield* Effect.forEach(folders, (name) => filesOf(join(directory, name)))).flat().length > 0
})

const Line = Schema.fromJsonString(
  Schema.Struct({
    order: Schema.Struct({ id: Schema.String, draft: Schema.Struct({ externalOrderId: Schema.String }) }),
    shipments: Schema.Array(
      Schema.Struct({
        id: Schema.String,
        courier: Schema.NullOr(Schema.Struct({ awbNumbers: Schema.Array(Schema.String) }))
      })
    )
  })
)

/** The newest order with this id, external id, shipment or AWB. Reads new files first, but those later than an id last. */
export const find = Effect.fnUntraced(function* (directory: string, text: string) {
  const id = (yield* OrderArchive.idOf(text)) ?? text
  const files = yield* filesOf(join(directory, "orders"))
  // An id contains the time of its creation, and a return is created later than its order.
  const isId = /^(\d{20}|[\da-f]{24})$/.test(id)
  const isLater = (file: string) => isId && basename(file).slice(0, 7) > monthOf(Ids.timeOf(id))
  const quoted = JSON.stringify(id)
  for (const file of [...files.filter((one) => !isLater(one)), ...files.filter(isLater)]) {
    yield* progress(file)
    const found = yield* Stream.zipWithIndex(ArchiveFile.lines(file, damaged(file))).pipe(
      Stream.filter(([line]) => line.includes(quoted)),
      Stream.filterEffect(([line, at]) =>
        Effect.map(
          Effect.mapError(Schema.decodeEffect(Line)(line), () => damaged(file, ` in line ${at + 2}`)),
          ({ order, shipments }) =>
            [order.id, order.draft.externalOrderId].includes(id) ||
            shipments.some((one) => one.id === id || one.courier?.awbNumbers.includes(id))
        )
      ),
      Stream.map(([line]): OrderArchive.WholeOrder => JSON.parse(line)),
      Stream.runLast
    )
    if (Option.isSome(found)) return found.value
  }
  return yield* new CommandFailure(`${directory} has no order with the id, external id, shipment or AWB ${text}`)
})
