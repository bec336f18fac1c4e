/**
 * Moves audit records to monthly files, with one folder for each company. A file begins with the number and the hash of the
 * record before its first one. So the files of a company and the records in its database are one chain.
 */
import { basename, join } from "node:path"
import { AuditExport, type AuditRecord, AuditStore, AuditTrail, type Head } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import type { CompanyId } from "@crossdock/kernel"
import { Effect, Schema, Stream } from "effect"
import * as Archive from "./Archive.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { caller } from "./Management.ts"

type End = Pick<Head, "sequence" | "hash">

const End = Schema.Struct({ sequence: Schema.Int, hash: Schema.String })

/** The end of a file, which its last line has. */
const endOf = (file: string, last: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(End)(last), () => Archive.damaged(file))

const folderOf = (directory: string, company: CompanyId) => join(directory, `company-${company}`)

/** The number of records that are dropped at once. The company is locked meanwhile. */
const droppedAtOnce = 1000

/** Drops a file's records, all older than `before`, from the database. After a crash, some may be dropped already. */
const drop = Effect.fnUntraced(function* (company: CompanyId, before: number, end: End) {
  const trail = yield* AuditTrail.AuditTrail
  const { sequence } = yield* (yield* AuditStore).anchor(company)
  for (let from = sequence; from < end.sequence; from += droppedAtOnce)
    yield* trail.retain(caller, company, before, Math.min(from + droppedAtOnce, end.sequence))
  return Math.max(0, end.sequence - sequence)
})

/**
 * Checks that the files have all records that the database dropped, and that the newest file ends with a record of the
 * company's trail. The files are in the order newest first.
 */
const checkJoint = Effect.fnUntraced(function* (files: ReadonlyArray<string>, company: CompanyId, end: End) {
  const log = yield* AuditStore
  const anchor = yield* log.anchor(company)
  let next = end
  for (const file of files) {
    if (next.sequence <= anchor.sequence) break
    const { first, last } = yield* Archive.checked(file)
    const { hash, sequence } = yield* endOf(file, last)
    if (sequence !== next.sequence || hash !== next.hash) break
    next = AuditExport.read(AuditExport.begin, JSON.stringify(first), DigestNode.make.sha256).head
  }
  const missing = end.sequence < anchor.sequence ? anchor.sequence : next.sequence
  if (missing > Math.min(anchor.sequence, end.sequence))
    return yield* new CommandFailure(
      `The archive lacks the file of company ${company} that ends with record ${missing}: restore it, or use another directory`
    )
  const [record] = yield* log.read(company, end.sequence - 1, 1)
  if (end.hash !== (end.sequence === anchor.sequence ? anchor : record)?.hash)
    return yield* new CommandFailure(
      `Record ${end.sequence} of company ${company} in the archive isn't the database's, as after the restore of an older backup: use another directory`
    )
})

/** Moves a company's records older than `before`, a month's beginning, but never the last record. Returns how many. */
export const move = Effect.fnUntraced(function* (directory: string, company: CompanyId, before: number) {
  const [trail, log, folder] = [yield* AuditTrail.AuditTrail, yield* AuditStore, folderOf(directory, company)]
  const written = yield* Archive.filesOf(folder)
  // If the clock was set back, records with an earlier date go into the file of the later month, because the names of
  // files follow the order of the chain.
  let [moved, to] = [0, 0]
  if (written[0] !== undefined) {
    const { last } = yield* Archive.checked(written[0])
    const end = yield* endOf(written[0], last)
    yield* checkJoint(written, company, end)
    to = Archive.beginningOf(Date.parse(basename(written[0]).slice(0, 7)), 1)
    moved = yield* drop(company, to, end)
  }
  const [head] = yield* log.heads([company])
  for (;;) {
    const anchor = yield* log.anchor(company)
    const [first] = yield* log.read(company, anchor.sequence, 1)
    if (first === undefined || head === undefined || first.at >= before || first.sequence >= head.sequence) return moved
    to = Math.max(to, Archive.beginningOf(first.at, 1))
    let end: End = anchor
    const lines = trail.records(company).pipe(
      Stream.takeWhile(({ at, sequence }: AuditRecord) => at < Math.min(to, before) && sequence < head.sequence),
      Stream.map((record) => {
        end = { sequence: record.sequence, hash: record.hash }
        return AuditExport.jsonLine(record)
      })
    )
    const header: object = JSON.parse(AuditExport.anchorLine(anchor))
    yield* Archive.published(folder, Archive.monthOf(to - 1), header, lines, () => end)
    moved += yield* drop(company, to, end)
  }
})

/**
 * The files of a company, each with its fault if it has one. Each file must begin where the file before it ended, and the
 * database must begin where the last file ended.
 */
export const verify = Effect.fnUntraced(function* (directory: string, company: CompanyId) {
  const anchor = yield* (yield* AuditStore).anchor(company)
  const files = (yield* Archive.filesOf(folderOf(directory, company))).toReversed()
  let reached: End | undefined
  const follow = (where: string, from: End) =>
    reached === undefined || (reached.sequence === from.sequence && reached.hash === from.hash)
      ? Effect.void
      : new CommandFailure(
          `${where} begins after record ${from.sequence}, but the file before ends with record ${reached.sequence}`
        )
  const verdicts = []
  for (const file of files) {
    const check = Effect.gen(function* () {
      const { first, last } = yield* Archive.checked(file)
      const begun = AuditExport.read(AuditExport.begin, JSON.stringify(first), DigestNode.make.sha256)
      yield* follow("it", begun.head)
      const { broken, head } = yield* Stream.runFold(
        ArchiveFile.lines(file, Archive.damaged(file)),
        () => begun,
        (reading, line) => AuditExport.read(reading, line, DigestNode.make.sha256)
      )
      if (broken !== undefined) return yield* new CommandFailure(`record ${broken.sequence} ${broken.reason}`)
      const { hash, sequence } = yield* endOf(file, last)
      if (head.sequence !== sequence || head.hash !== hash) return yield* Archive.damaged(file)
      reached = head
    })
    verdicts.push(yield* Archive.faultOf(file, check))
  }
  return files.length === 0
    ? []
    : [...verdicts, yield* Archive.faultOf(`company ${company} in the database`, follow("it", anchor))]
})
