/**
 * `npm run audit -- <command>`: verifies, exports, signs and erases audit trails; `usage` lists the commands.
 *
 * A checkpoint signs the present end of a trail. Kept elsewhere, it proves later that no record before it was changed or
 * cut off. Erasing a person breaks neither the chain nor checkpoints.
 */
import "./NodeVersion.ts"
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { Directory } from "@crossdock/access"
import {
  type AuditChain,
  AuditExport,
  AuditLog,
  AuditTrail,
  Checkpoint,
  CompanyWrite,
  type Head
} from "@crossdock/audit"
import { DigestNode, NonceNode, SignerNode } from "@crossdock/crypto"
import { UserAgentsBowser } from "@crossdock/http"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Clock, Effect, Layer, Redacted, Result, Schema, Stream } from "effect"
import { StartFailure } from "./StartFailure.ts"
import * as Storage from "./Storage.ts"

const key = process.env.AUDIT_KEY ?? ""
const keyBytes = 32
const signer = SignerNode.make(Redacted.make(key))
const print = (text: string) => process.stdout.write(`${text}\n`)

const usage = `npm run audit -- <command>

  verify DATABASE_URL COMPANY               checks the trail and names its first broken record
  verify FILE.jsonl                         checks an exported trail
  export DATABASE_URL COMPANY [jsonl|csv]   writes the trail, as jsonl by default
  checkpoint DATABASE_URL COMPANY           prints a signed checkpoint of the trail
  erase DATABASE_URL COMPANY PERSON         erases a person, by user id, e-mail address or name

With --out FILE, export writes to a new file, otherwise to standard output: use npm run --silent audit there, since npm
prints two lines of its own. With --checkpoint FILE, verify also compares the trail with a checkpoint. AUDIT_KEY, at least
32 bytes, is the key of the signatures.

Exit codes: 0 done, and the trail is intact; 1 it is broken, or the command can't be done; 2 the arguments can't be used.
`

const rejectArguments = (message: string): never => {
  process.stderr.write(`${message}\n\n${usage}`)
  process.exit(2)
}

const argumentsOf = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { checkpoint: { type: "string" }, out: { type: "string" }, help: { type: "boolean", short: "h" } }
    })
  } catch (error) {
    return rejectArguments(error instanceof Error ? error.message : String(error))
  }
}

const { positionals, values } = argumentsOf()
const [command = "", source = "", company = "", detail = ""] = positionals
const isDatabase = Storage.isUrl(source)

if (values.help) {
  print(usage.trimEnd())
  process.exit(0)
}

const services = AuditTrail.layer.pipe(
  Layer.provide(CompanyWrite.layer),
  Layer.provideMerge(Storage.layer(source)),
  Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, UserAgentsBowser.layer])
)

/** What stops a command before it opens the database; undefined when nothing does. */
const obstacle = (): string | undefined => {
  const signs = command === "checkpoint" || values.checkpoint !== undefined
  if (signs && Buffer.byteLength(key) < keyBytes)
    return `AUDIT_KEY must have at least ${keyBytes} bytes: set it to the key of your checkpoints`
  const path = source.startsWith("sqlite:") ? source.slice("sqlite:".length) : undefined
  if (path !== undefined && !existsSync(path)) return `There is no database ${path}: check DATABASE_URL`
  if (!isDatabase && !existsSync(source)) return `There is no file ${source}: check its path`
  return undefined
}

/** Where an export goes. */
const destination = () => (values.out === undefined ? process.stdout : createWriteStream(values.out, { flags: "wx" }))

/** Writes the lines one after the other, each when the one before was taken. */
const writeAll = <E>(lines: Stream.Stream<string, E>, end: string) =>
  Effect.gen(function* () {
    const out = destination()
    const write = (text: string) =>
      Effect.callback<void, StartFailure>((resume) => {
        out.write(text, (error) => resume(error ? Effect.fail(unwritable(error)) : Effect.void))
      })
    out.on("error", () => {})
    yield* Stream.runForEach(lines, (line) => write(`${line}${end}`))
    if (out !== process.stdout) yield* Effect.callback<void>((resume) => void out.end(() => resume(Effect.void)))
  })

const unwritable = (cause: Error) =>
  new StartFailure({ message: `The export can't be written (${cause.message}): choose another --out`, cause })

/** The checkpoint to compare with, if one is given; or a sentence why it can't be used. */
const givenCheckpoint = (): Result.Result<Checkpoint.Checkpoint | undefined, string> => {
  const { checkpoint: path } = values
  if (path === undefined) return Result.succeed(undefined)
  return Result.try({
    try: () => readFileSync(path, "utf8"),
    catch: () => `There is no file ${path}: check --checkpoint`
  }).pipe(
    Result.flatMap((text) =>
      Result.mapError(
        Schema.decodeResult(Schema.fromJsonString(Checkpoint.Checkpoint))(text),
        () => `${path} is not a checkpoint: give the file that "npm run --silent audit checkpoint" printed`
      )
    )
  )
}

// The reader of an export may close the pipe early.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.stderr.write(`${message}\n`)
  process.exit(code === "EPIPE" ? 0 : 1)
})

/**
 * Prints the outcome of a verification; answers the exit code.
 */
const verdict = (records: number, fault: string | undefined): number => {
  print(fault ?? `${records} records: the chain is intact`)
  return fault === undefined ? 0 : 1
}

const breakText = (broken: AuditChain.Break | undefined): string | undefined =>
  broken === undefined ? undefined : `record ${broken.sequence} ${broken.reason}`

/** The trail that a checkpoint is compared with: where it begins and ends, and the hash at the checkpoint's record. */
interface Trail {
  readonly anchor: Pick<Head, "sequence" | "hash">
  readonly end: number
  readonly hashAt: string | undefined
}

/**
 * Compares a trail with a checkpoint: the signed record must be unchanged, or be the last one that was dropped.
 */
const checkpointFault = (checkpoint: Checkpoint.Checkpoint | undefined, { anchor, end, hashAt }: Trail) => {
  if (checkpoint === undefined) return undefined
  const { hash, sequence } = checkpoint
  if (sequence < anchor.sequence) return `record ${sequence} was dropped, so its checkpoint proves nothing any more`
  if (!Checkpoint.isGenuine(checkpoint, signer))
    return `record ${sequence} has a checkpoint that was signed with another key. Set AUDIT_KEY to the key of the checkpoint`
  if (sequence > end) {
    const missing = sequence === end + 1 ? `record ${sequence} is` : `records ${end + 1} to ${sequence} are`
    return `The trail ends at record ${end}; ${missing} missing.`
  }
  return (sequence === anchor.sequence ? anchor.hash : hashAt) === hash
    ? undefined
    : `record ${sequence} differs from the record that the checkpoint signed`
}

const verifyFile = async (checkpoint: Checkpoint.Checkpoint | undefined): Promise<number> => {
  let reading = AuditExport.begin
  let hashAt: string | undefined
  for await (const line of createInterface({ input: createReadStream(source) })) {
    reading = AuditExport.read(reading, line, DigestNode.make.sha256)
    if (reading.broken !== undefined) break
    if (reading.head.sequence === checkpoint?.sequence) hashAt = reading.head.hash
  }
  const anchor = reading.anchor ?? AuditExport.begin.head
  const broken = breakText(AuditExport.firstBreak(reading))
  return verdict(reading.records, broken ?? checkpointFault(checkpoint, { anchor, end: reading.head.sequence, hashAt }))
}

const onDatabase = (checkpoint: Checkpoint.Checkpoint | undefined) =>
  Effect.gen(function* () {
    const id = CompanyId.make(Number(company))
    const trail = yield* AuditTrail.AuditTrail
    if ((yield* (yield* Directory).company(id)) === undefined) {
      process.stderr.write(`There is no company ${company} in this database\n`)
      return 1
    }
    if (command === "export") {
      const csv = Stream.concat(Stream.succeed(AuditExport.csvHead), Stream.map(trail.records(id), AuditExport.csvLine))
      const [lines, end] = detail === "csv" ? [csv, "\r\n"] : [trail.jsonLines(id), "\n"]
      yield* writeAll(lines, end)
      return 0
    }
    if (command === "erase") {
      const caller = { principal: { kind: "system", id: "audit" }, requestId: null } as const
      print(`records from which the person was erased: ${yield* trail.erase(caller, id, detail)}`)
      return 0
    }
    const { broken, head, records } = yield* trail.verify(id)
    if (command === "checkpoint" && broken === undefined) {
      print(JSON.stringify(Checkpoint.make(head, yield* Clock.currentTimeMillis, signer)))
      return 0
    }
    const log = yield* AuditLog
    const [at] = checkpoint === undefined ? [] : yield* log.read(id, checkpoint.sequence - 1, 1)
    const compared = { anchor: yield* log.anchor(id), end: head.sequence, hashAt: at?.hash }
    return verdict(records, breakText(broken) ?? checkpointFault(checkpoint, compared))
  })

const isOfCompany = isDatabase && /^[1-9]\d{0,14}$/.test(company)
/** Whether the arguments fit each command. */
const possible: Readonly<Record<string, boolean>> = {
  verify: isOfCompany || (!isDatabase && source !== ""),
  export: isOfCompany,
  checkpoint: isOfCompany,
  erase: isOfCompany && detail !== ""
}
if (!Object.hasOwn(possible, command) || !possible[command]) {
  process.stderr.write(usage)
  process.exit(2)
}
const hinder = (sentence: string): never => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
const hindered = obstacle()
if (hindered !== undefined) hinder(hindered)
const checkpoint = Result.getOrElse(givenCheckpoint(), hinder)
const printFailure = ({ message }: StartFailure) =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    return 1
  })
const audited = onDatabase(checkpoint).pipe(
  Storage.patiently,
  Effect.provide(services),
  Effect.catchTag("StartFailure", printFailure)
)
process.exitCode = isDatabase ? await Effect.runPromise(audited) : await verifyFile(checkpoint)
