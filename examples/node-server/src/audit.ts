/**
 * `npm run audit -- verify DATABASE_URL COMPANY`, `verify FILE.jsonl`: names the first broken record of a company's trail.
 * `npm run audit -- export DATABASE_URL COMPANY jsonl|csv`: writes the trail to standard output.
 * `npm run audit -- checkpoint DATABASE_URL COMPANY`: a signed word on how far the trail has come, to be kept elsewhere.
 *
 * With `--checkpoint FILE` a verification also holds the trail to what was signed. AUDIT_KEY is the key of signatures.
 */
import { createReadStream, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { Audit, AuditChain, AuditExport, AuditLog, AuditTrail, Checkpoint } from "@crossdock/audit"
import { DigestNode, NonceNode, SignerNode } from "@crossdock/crypto"
import { UserAgentsBowser } from "@crossdock/http"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Clock, Effect, Layer, Redacted, Schema, Stream } from "effect"
import * as Storage from "./Storage.ts"

const { positionals, values } = parseArgs({ allowPositionals: true, options: { checkpoint: { type: "string" } } })
const [command, source = "", company = "1", format = "jsonl"] = positionals
const signer = SignerNode.make(Redacted.make(process.env.AUDIT_KEY ?? ""))
const say = (text: string) => process.stdout.write(`${text}\n`)

const services = AuditTrail.layer.pipe(
  Layer.provide(Audit.layer),
  Layer.provideMerge(Storage.layer(source)),
  Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, UserAgentsBowser.layer])
)

const signed = () =>
  values.checkpoint === undefined
    ? undefined
    : Schema.decodeSync(Schema.parseJson(Checkpoint.Checkpoint))(readFileSync(values.checkpoint, "utf8"))

/**
 * Says how it came out; the exit code says it too.
 */
const verdict = (records: number, broken: AuditChain.Break | undefined): number => {
  say(broken === undefined ? `${records} records: the chain holds` : `record ${broken.sequence} ${broken.reason}`)
  return broken === undefined ? 0 : 1
}

/**
 * The record that a checkpoint names must be there as it was signed for.
 */
const against = (checkpoint: Checkpoint.Checkpoint | undefined, hashAt: string | undefined) => {
  if (checkpoint === undefined) return undefined
  const { sequence } = checkpoint
  if (!Checkpoint.isGenuine(checkpoint, signer))
    return { sequence, reason: "has a checkpoint that was not signed with this key" }
  return hashAt === checkpoint.hash ? undefined : { sequence, reason: "is not what was signed for" }
}

const verifyFile = async (): Promise<number> => {
  const checkpoint = signed()
  let head = { companyId: CompanyId.make(1), sequence: 0, hash: "" }
  let hashAt: string | undefined
  let records = 0
  for await (const line of createInterface({ input: createReadStream(source) })) {
    const record = AuditExport.fromJsonLine(line)
    if (record === undefined) return verdict(records, { sequence: head.sequence + 1, reason: "is no record" })
    const broken = AuditChain.fault(head, record, DigestNode.make.sha256)
    if (broken !== undefined) return verdict(records, broken)
    head = record
    records++
    if (record.sequence === checkpoint?.sequence) hashAt = record.hash
  }
  return verdict(records, against(checkpoint, hashAt))
}

const onDatabase = Effect.gen(function* () {
  const id = CompanyId.make(Number(company))
  const trail = yield* AuditTrail.AuditTrail
  if (command === "export") {
    const isCsv = format === "csv"
    if (isCsv) process.stdout.write(`${AuditExport.csvHead}\r\n`)
    const text = (line: string) => (isCsv ? `${line}\r\n` : `${line}\n`)
    yield* Stream.runForEach(trail.records(id), (record) =>
      Effect.sync(() => process.stdout.write(text(isCsv ? AuditExport.csvLine(record) : AuditExport.jsonLine(record))))
    )
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
  return verdict(records, broken ?? against(checkpoint, at?.hash))
})

const isDatabase = /^(sqlite|postgres|postgresql|memory):/.test(source)
if (!["verify", "export", "checkpoint"].includes(command ?? "") || (command !== "verify" && !isDatabase)) {
  process.stderr.write("audit verify|export|checkpoint DATABASE_URL COMPANY, or audit verify FILE.jsonl\n")
  process.exit(2)
}
process.exitCode = isDatabase ? await Effect.runPromise(onDatabase.pipe(Effect.provide(services))) : await verifyFile()
