/**
 * Audit records in files of a month, one folder for each company. A file begins with the number and the hash of the record
 * before it, so that the files of a company and the rest in its database are one chain.
 */
import { join } from "node:path"
import { AuditExport, type AuditRecord, AuditStore, AuditTrail, type Head } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import type { CompanyId } from "@crossdock/kernel"
import { Effect, Stream } from "effect"
import * as Archive from "./Archive.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { caller } from "./Management.ts"

type End = Pick<Head, "sequence" | "hash">

const folderOf = (directory: string, company: CompanyId) => join(directory, `company-${company}`)

/** A company is locked while this many records are dropped. */
const droppedAtOnce = 1000

/** Drops what is in a file. A crash may have left a part of it in the database. */
const drop = Effect.fnUntraced(function* (company: CompanyId, before: number, end: End) {
  const [trail, log] = [yield* AuditTrail.AuditTrail, yield* AuditStore]
  const { sequence } = yield* log.anchor(company)
  const [last] = yield* log.read(company, end.sequence - 1, 1)
  if (sequence < end.sequence && last?.hash !== end.hash)
    return yield* new CommandFailure(
      `The archive's record ${end.sequence} of company ${company} isn't the database's: use another directory`
    )
  for (let from = sequence; from < end.sequence; from += droppedAtOnce)
    yield* trail.retain(caller, company, before, Math.min(from + droppedAtOnce, end.sequence))
  return Math.max(0, end.sequence - sequence)
})

/** Fails unless the files, newest first, have every record after the anchor up to the end of the newest. */
const complete = Effect.fnUntraced(function* (files: ReadonlyArray<string>, end: End, anchor: End) {
  let next = end
  for (const file of files) {
    if (next.sequence <= anchor.sequence) return
    const { first, last } = yield* Archive.checked(file)
    const { hash, sequence } = last as End
    if (sequence !== next.sequence || hash !== next.hash) break
    next = AuditExport.read(AuditExport.begin, JSON.stringify(first), DigestNode.make.sha256).head
  }
  if (next.sequence > anchor.sequence)
    yield* new CommandFailure(
      `A file is missing before record ${next.sequence + 1}: restore it, or use another directory`
    )
})

/** Moves a company's records from before a beginning of a month, except for its last one, and counts them. */
export const move = Effect.fnUntraced(function* (directory: string, company: CompanyId, before: number) {
  const [trail, log, folder] = [yield* AuditTrail.AuditTrail, yield* AuditStore, folderOf(directory, company)]
  const written = yield* Archive.filesOf(folder)
  let moved = 0
  if (written[0] !== undefined) {
    const end = (yield* Archive.checked(written[0])).last as End
    yield* complete(written, end, yield* log.anchor(company))
    moved = yield* drop(company, before, end)
  }
  const [head] = yield* log.heads([company])
  for (;;) {
    const anchor = yield* log.anchor(company)
    const [first] = yield* log.read(company, anchor.sequence, 1)
    if (first === undefined || head === undefined || first.at >= before || first.sequence >= head.sequence) return moved
    const to = Archive.beginningOf(first.at, 1)
    let end: End = anchor
    const lines = trail.records(company).pipe(
      Stream.takeWhile(({ at, sequence }: AuditRecord) => at < to && sequence < head.sequence),
      Stream.map((record) => {
        end = { sequence: record.sequence, hash: record.hash }
        return AuditExport.jsonLine(record)
      })
    )
    const header: object = JSON.parse(AuditExport.anchorLine(anchor))
    yield* Archive.published(folder, Archive.monthOf(first.at), header, lines, () => end)
    moved += yield* drop(company, before, end)
  }
})

/** The faults of a company's files, each of which must begin where the one before ended, and the database after the last. */
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
      const { first } = yield* Archive.checked(file)
      const begun = AuditExport.read(AuditExport.begin, JSON.stringify(first), DigestNode.make.sha256)
      yield* follow("it", begun.head)
      const { broken, head } = yield* Stream.runFold(
        ArchiveFile.lines(file),
        () => begun,
        (reading, line) => AuditExport.read(reading, line, DigestNode.make.sha256)
      )
      if (broken !== undefined) return yield* new CommandFailure(`record ${broken.sequence} ${broken.reason}`)
      reached = head
    })
    verdicts.push(yield* Archive.faultOf(file, check))
  }
  return files.length === 0
    ? []
    : [...verdicts, yield* Archive.faultOf(`company ${company} in the database`, follow("it", anchor))]
})
