/**
 * `crossdock audit`: verifies, signs, exports, erases and drops records of audit trails.
 *
 * A checkpoint signs the current end of a trail. Keep the checkpoint outside the database: then it can prove later that no
 * earlier record was changed or removed. If a person is erased, the chain and the checkpoints remain valid.
 */
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import type { AuditChain, Head } from "@crossdock/audit"
import { AuditExport, AuditSearch, AuditStore, AuditTrail, Checkpoint, FeedRestored } from "@crossdock/audit"
import { CheckpointKey, DigestNode } from "@crossdock/crypto"
import { type CompanyId, Instant } from "@crossdock/kernel"
import { Clock, Effect, FileSystem, Redacted, Stream } from "effect"
import { Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import * as Checkpoints from "../Checkpoints.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as FileFailure from "../FileFailure.ts"
import { caller, define, onDatabase } from "../Management.ts"
import * as RecordFile from "../RecordFile.ts"
import { progress, Terminal } from "../Terminal.ts"
import * as TextFile from "../TextFile.ts"
import * as AuditProof from "./AuditProof.ts"
import * as Company from "./Company.ts"

/** A trail to compare with a checkpoint: its first and last record, and the hash of the record that the checkpoint signed. */
interface Trail {
  readonly anchor: Pick<Head, "sequence" | "hash">
  readonly end: number
  readonly hashAt: string | undefined
  /** The first record of a restore, if the database was restored since the checkpoint was made. */
  readonly restoredAt?: number | undefined
}

/** The fault of a trail compared with a checkpoint. The signed record must be unchanged, or the last that was dropped. */
const checkpointFault = (
  { hash, sequence }: Checkpoint.Checkpoint,
  { anchor, end, hashAt, restoredAt }: Trail
): string | undefined => {
  if (sequence < anchor.sequence) return `record ${sequence} was dropped, so its checkpoint proves nothing any more`
  if ((sequence === anchor.sequence ? anchor.hash : hashAt) === hash) return undefined
  const missingFrom = (first: number) =>
    `${sequence === first ? `record ${sequence} is` : `records ${first} to ${sequence} are`} missing.`
  if (restoredAt !== undefined)
    return `The database was restored from an older copy; ${missingFrom(restoredAt)} Record ${restoredAt} is of the restore.`
  return sequence > end
    ? `The trail ends at record ${end}; ${missingFrom(end + 1)}`
    : `record ${sequence} differs from the record that the checkpoint signed`
}

const breakText = (broken: AuditChain.Break | undefined): string | undefined =>
  broken === undefined ? undefined : `record ${broken.sequence} ${broken.reason}`

/** A trail's verdict. `earlier` is the number of earlier records, which were archived or dropped. */
const verdictOf = (trail: string, records: number, fault: string | null = null, earlier = 0) => ({
  trail,
  records,
  earlier,
  fault
})

type Verdict = ReturnType<typeof verdictOf>

const intact = ({ earlier, records }: Verdict) =>
  `${Answer.counted(records, "record")}, the chain is intact${earlier === 0 ? "" : `; ${Answer.counted(earlier, "earlier one was", "earlier ones were")} archived or dropped`}`

/** The answer with one line per trail. If any trail is broken, the exit code is 1. */
const answerOf = (verdicts: ReadonlyArray<Verdict>) => {
  const lines = verdicts.map((verdict) => `${verdict.trail}: ${verdict.fault ?? intact(verdict)}`)
  const isBroken = verdicts.some(({ fault }) => fault !== null)
  return Answer.sentence(lines.join("\n"), verdicts, isBroken)
}

const verifyFile = Effect.fnUntraced(function* (file: string, checkpoint: Checkpoint.Checkpoint | undefined) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(file))) return yield* new CommandFailure(`There is no file ${file}: check its path`)
  const { hashAt, reading } = yield* Effect.tryPromise({
    try: async () => {
      let reading = AuditExport.begin
      let hashAt: string | undefined
      for await (const line of createInterface({ input: createReadStream(file) })) {
        reading = AuditExport.read(reading, line, DigestNode.make.sha256)
        if (reading.broken !== undefined) break
        if (reading.head.sequence === checkpoint?.sequence) hashAt = reading.head.hash
      }
      return { reading, hashAt }
    },
    catch: (error) => FileFailure.of(error, file)
  })
  const trail = { anchor: reading.anchor ?? AuditExport.begin.head, end: reading.head.sequence, hashAt }
  const broken = breakText(AuditExport.firstBreak(reading))
  const compared = checkpoint && checkpointFault(checkpoint, trail)
  return answerOf([verdictOf(file, reading.records, broken ?? compared)])
})

const verifyCompany = Effect.fnUntraced(function* (id: CompanyId, checkpoint: Checkpoint.Checkpoint | undefined) {
  const [trail, log] = [yield* AuditTrail.AuditTrail, yield* AuditStore]
  const { broken, head, records } = yield* trail.verify(id)
  const name = `company ${id}`
  if (broken !== undefined || checkpoint === undefined)
    return verdictOf(name, records, breakText(broken), head.sequence - records)
  const [at] = yield* log.read(id, checkpoint.sequence - 1, 1)
  const pairs = [{ field: "entity.action", value: "restored" }] as const
  const window = { after: null, through: checkpoint.sequence, descending: false, limit: 100 }
  const restores = yield* log.candidates(id, { ...AuditSearch.everything, pairs, from: checkpoint.at }, window)
  // A restore before the checkpoint lost none of the records that the checkpoint signed.
  const restoredAt = restores.find((one) => one.at > checkpoint.at && FeedRestored.isRestore(one))?.sequence
  const compared = { anchor: yield* log.anchor(id), end: head.sequence, hashAt: at?.hash, restoredAt }
  return verdictOf(name, records, checkpointFault(checkpoint, compared), head.sequence - records)
})

/** Writes the texts to standard output, or to a new file that only its owner can read. On failure, nothing of it remains. */
export const written = <E, R>(out: string | null, texts: Stream.Stream<string, E, R>) =>
  out === null
    ? Effect.flatMap(Terminal, ({ write }) => Stream.runForEach(texts, write))
    : RecordFile.created(out, Stream.encodeText(texts))

export const command = CommandLine.group("audit", "The audit trails of companies.", [
  CommandLine.define({
    name: "key",
    does: "Makes a key pair for checkpoints: prints the private key once, and adds the public key to a file that hosts publish (AUDIT_PUBLIC_KEYS). Earlier keys stay in the file, so that their checkpoints can still be verified.",
    examples: ["audit key audit-keys.json > audit.key"],
    options: { file: CommandLine.argument("file", "the public keys, as JWKS; created if it doesn't exist") },
    *run({ file }) {
      const files = yield* FileSystem.FileSystem
      const { keys } = (yield* files.exists(file))
        ? yield* TextFile.readAs(file, Checkpoint.PublicKeys, "a set of keys")
        : { keys: [] }
      const { privateKey, publicKey } = CheckpointKey.generate()
      const text = JSON.stringify({ keys: [...keys, publicKey] }, null, 2)
      yield* RecordFile.replaced(file, Stream.succeed(`${text}\n`))
      const pem = Redacted.value(privateKey)
      return Answer.sentence(pem.trim(), { privateKey: pem, publicKey })
    }
  }),
  CommandLine.define({
    name: "checkpoint",
    does: "Prints a checkpoint of a trail, signed with AUDIT_SIGNING_KEY. The checkpoint later proves that no earlier record was changed or deleted. Anyone with the public key can verify it. Keep key and checkpoint apart from the database.",
    examples: ["audit checkpoint 7 > checkpoint-7.json"],
    options: { company: Company.companyId },
    *run({ company }) {
      const signer = yield* Checkpoints.signing
      return yield* onDatabase(
        Effect.gen(function* () {
          yield* Company.find(company)
          const { broken, head, records, root } = yield* (yield* AuditTrail.AuditTrail).verify(company)
          if (broken !== undefined) return answerOf([verdictOf(`company ${company}`, records, breakText(broken))])
          const made = Checkpoint.make({ head, root }, yield* Clock.currentTimeMillis, signer)
          return Answer.sentence(JSON.stringify(made), made)
        })
      )
    }
  }),
  define({
    name: "export",
    does: "Writes a trail to standard output or a new file.",
    examples: ["audit export 7 --out trail-7.jsonl", "audit export 7 --format csv > trail-7.csv"],
    options: {
      company: Company.companyId,
      format: Flag.Literals("format", ["jsonl", "csv"]).pipe(
        Flag.withDescription("JSON lines, which can be verified without the database, or CSV (default: jsonl)"),
        Flag.withDefault("jsonl" as const)
      ),
      out: CommandLine.optional("out", "a file that doesn't exist yet (default: standard output)")
    },
    *run({ company, format, out }) {
      yield* Company.find(company)
      const trail = yield* AuditTrail.AuditTrail
      const csv = () =>
        Stream.concat(Stream.succeed(AuditExport.csvHead), Stream.map(trail.records(company), AuditExport.csvLine))
      const [lines, end] = format === "csv" ? [csv(), "\r\n"] : [trail.jsonLines(company), "\n"]
      const texts = Stream.map(lines, (line) => `${line}${end}`)
      yield* written(out, texts)
      return undefined
    }
  }),
  CommandLine.define({
    name: "verify",
    does: "Finds the first changed, added or removed record of each trail. With --checkpoint, it also compares a trail with a checkpoint and verifies the checkpoint's signature. Exits with 1 if a trail is broken.",
    examples: [
      "audit verify",
      "audit verify --company 7 --checkpoint checkpoint-7.json",
      "audit verify --file trail-7.jsonl"
    ],
    options: {
      company: Company.everyCompany,
      file: CommandLine.optional("file", "an exported trail instead of the database's"),
      checkpoint: CommandLine.optional("checkpoint", "the checkpoint to compare the trail with"),
      publicKey: Checkpoints.publicKey
    },
    *run({ checkpoint: path, company, file, publicKey }) {
      if (path !== null && company === null && file === null)
        return yield* new CommandFailure("A checkpoint belongs to one trail: name its --company or --file")
      const checkpoint = path === null ? undefined : yield* Checkpoints.genuine(path, publicKey, company ?? undefined)
      if (file !== null) return yield* verifyFile(file, checkpoint)
      return yield* onDatabase(
        Effect.gen(function* () {
          const companies = yield* Company.chosen(company)
          const verdicts = yield* Effect.forEach(companies, ({ id }) =>
            Effect.andThen(progress(`company ${id}`), verifyCompany(id, checkpoint))
          )
          return companies.length === 0 ? Answer.sentence("There is no company yet.", []) : answerOf(verdicts)
        })
      )
    }
  }),
  AuditProof.prove,
  AuditProof.verify,
  define({
    name: "erase",
    does: "Erases a person from a trail. The chain stays intact.",
    examples: ["audit erase 7 asha@example.com"],
    options: {
      company: Company.companyId,
      person: CommandLine.argument("person", "a user id, an e-mail address, a telephone number or a name")
    },
    *run({ company, person }) {
      yield* Company.find(company)
      const erased = yield* (yield* AuditTrail.AuditTrail).erase(caller, company, person)
      return Answer.sentence(`Erased the person from ${Answer.counted(erased, "record")}.`, { erased })
    }
  }),
  define({
    name: "retain",
    does: "Deletes a trail's records older than --days, but never the newest record. The rest can still be verified. This can't be undone: export the trail first.",
    examples: ["audit retain 7 --days 3650"],
    options: { company: Company.companyId, days: CommandLine.whole("days", "how many days records are kept", 1) },
    *run({ company, days }) {
      yield* Company.find(company)
      const before = (yield* Clock.currentTimeMillis) - days * Instant.dayMillis
      const dropped = yield* (yield* AuditTrail.AuditTrail).retain(caller, company, before)
      return Answer.sentence(`Dropped ${Answer.counted(dropped, "record")}.`, { dropped })
    }
  })
])
