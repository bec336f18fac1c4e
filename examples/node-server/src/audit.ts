/**
 * `npm run audit -- verify DATABASE_URL COMPANY`, `verify FILE.jsonl`: names the first broken record of a company's trail.
 * `npm run audit -- export DATABASE_URL COMPANY jsonl|csv`: writes the trail to standard output.
 * `npm run audit -- checkpoint DATABASE_URL COMPANY`: a signed word on how far the trail has come, to be kept elsewhere.
 * `npm run audit -- erase DATABASE_URL COMPANY PERSON`: erases what the records say of a person, who is named by a user
 * id, an e-mail address or a name. Checkpoints and the chain hold as before.
 *
 * With `--checkpoint FILE` a verification also holds the trail to what was signed. AUDIT_KEY is the key of signatures.
 */
import "./NodeVersion.ts"
import { createReadStream, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
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
import { Clock, Effect, Layer, Redacted, Schema, Stream } from "effect"
import type { StartRejected } from "./StartRejected.ts"
import * as Storage from "./Storage.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { checkpoint: { type: "string" } } })
const [command = "", source = "", company = "1", detail = ""] = positionals
const signer = SignerNode.make(Redacted.make(process.env.AUDIT_KEY ?? ""))
const say = (text: string) => process.stdout.write(`${text}\n`)

const services = AuditTrail.layer.pipe(
  Layer.provide(CompanyWrite.layer),
  Layer.provideMerge(Storage.layer(source)),
  Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, UserAgentsBowser.layer])
)

const signed = () =>
  values.checkpoint === undefined
    ? undefined
    : Schema.decodeSync(Schema.fromJsonString(Checkpoint.Checkpoint))(readFileSync(values.checkpoint, "utf8"))

// Whoever reads the export may have had enough of it.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.stderr.write(`${message}\n`)
  process.exit(code === "EPIPE" ? 0 : 1)
})

/**
 * Says how it came out; the exit code says it too.
 */
const verdict = (records: number, broken: AuditChain.Break | undefined): number => {
  say(broken === undefined ? `${records} records: the chain holds` : `record ${broken.sequence} ${broken.reason}`)
  return broken === undefined ? 0 : 1
}

/**
 * The record that a checkpoint names must be there as it was signed for, or be the last one that was dropped.
 */
const against = (
  checkpoint: Checkpoint.Checkpoint | undefined,
  anchor: Pick<Head, "sequence" | "hash">,
  found: string | undefined
) => {
  if (checkpoint === undefined) return undefined
  const { sequence } = checkpoint
  if (sequence < anchor.sequence) return { sequence, reason: "was dropped: its checkpoint proves nothing any more" }
  const hashAt = sequence === anchor.sequence ? anchor.hash : found
  if (!Checkpoint.isGenuine(checkpoint, signer))
    return { sequence, reason: "has a checkpoint that was not signed with this key" }
  return hashAt === checkpoint.hash ? undefined : { sequence, reason: "is not what was signed for" }
}

const verifyFile = async (): Promise<number> => {
  const checkpoint = signed()
  let reading = AuditExport.begin
  let hashAt: string | undefined
  for await (const line of createInterface({ input: createReadStream(source) })) {
    reading = AuditExport.read(reading, line, DigestNode.make.sha256)
    if (reading.broken !== undefined) break
    if (reading.head.sequence === checkpoint?.sequence) hashAt = reading.head.hash
  }
  const anchor = reading.anchor ?? AuditExport.begin.head
  return verdict(reading.records, AuditExport.firstBreak(reading) ?? against(checkpoint, anchor, hashAt))
}

const onDatabase = Effect.gen(function* () {
  const id = CompanyId.make(Number(company))
  const trail = yield* AuditTrail.AuditTrail
  if (command === "export") {
    const csv = Stream.concat(Stream.succeed(AuditExport.csvHead), Stream.map(trail.records(id), AuditExport.csvLine))
    const [lines, end] = detail === "csv" ? [csv, "\r\n"] : [trail.jsonLines(id), "\n"]
    yield* Stream.runForEach(lines, (line) => Effect.sync(() => process.stdout.write(`${line}${end}`)))
    return 0
  }
  if (command === "erase") {
    const caller = { principal: { kind: "system", id: "audit" }, requestId: null } as const
    say(`records that do not name the person any more: ${yield* trail.erase(caller, id, detail)}`)
    return 0
  }
  const { broken, head, records } = yield* trail.verify(id)
  if (command === "checkpoint" && broken === undefined) {
    say(JSON.stringify(Checkpoint.make(head, yield* Clock.currentTimeMillis, signer)))
    return 0
  }
  const checkpoint = signed()
  const log = yield* AuditLog
  const [at] = checkpoint === undefined ? [] : yield* log.read(id, checkpoint.sequence - 1, 1)
  return verdict(records, broken ?? against(checkpoint, yield* log.anchor(id), at?.hash))
})

const isDatabase = Storage.isUrl(source)
/** Whether what was asked for can be done with what was given. */
const asked: Readonly<Record<string, boolean>> = {
  verify: true,
  export: isDatabase,
  checkpoint: isDatabase,
  erase: isDatabase && detail !== ""
}
if (!Object.hasOwn(asked, command) || !asked[command]) {
  process.stderr.write(
    "audit verify|export|checkpoint DATABASE_URL COMPANY, audit erase DATABASE_URL COMPANY PERSON, or audit verify FILE.jsonl\n"
  )
  process.exit(2)
}
const rejected = ({ message }: StartRejected) =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    return 1
  })
const audited = onDatabase.pipe(Effect.provide(services), Effect.catchTag("StartRejected", rejected))
process.exitCode = isDatabase ? await Effect.runPromise(audited) : await verifyFile()
