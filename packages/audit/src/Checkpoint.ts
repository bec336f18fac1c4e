/**
 * Signed checkpoints: the number and hash of a trail's last record at some time. Kept outside the database, a checkpoint
 * reveals a trail that was cut short or rewritten. Source: docs/reference/audit.md#chain.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type { Head } from "./AuditChain.ts"

/** Port: signatures with the host's own key. */
export class Signer extends Context.Service<
  Signer,
  {
    /** The signature of the text's UTF-8 bytes. */
    readonly sign: (text: string) => string
    readonly isSigned: (text: string, signature: string) => boolean
  }
>()("@crossdock/audit/Signer") {}

/** A checkpoint as it is stored, as JSON. */
export const Checkpoint = Schema.Struct({
  company: Schema.Int,
  sequence: Schema.Int,
  hash: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Int,
  signature: Schema.String
})

/** A signed head of a trail: proof of what the trail contained at a time, kept outside the database. */
export type Checkpoint = typeof Checkpoint.Type

const textOf = ({ at, company, hash, sequence }: Omit<Checkpoint, "signature">): string =>
  `crossdock audit checkpoint ${company} ${sequence} ${hash} ${at}`

/**
 * The checkpoint of a trail whose head at `at` (epoch milliseconds) is `head`, signed with the host's key.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHmac } from "node:crypto"
 * import { Checkpoint } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const sign = (text: string) => createHmac("sha256", "the host's key").update(text).digest("base64")
 * const signer = { sign, isSigned: (text: string, signature: string) => sign(text) === signature }
 *
 * const head = { companyId: CompanyId.make(1), sequence: 500, hash: "5f2a" }
 * const checkpoint = Checkpoint.make(head, Date.UTC(2026, 0, 31), signer)
 * strictEqual(checkpoint.sequence, 500)
 * strictEqual(Checkpoint.isGenuine(checkpoint, signer), true)
 * ```
 */
export const make = (head: Head, at: number, signer: typeof Signer.Service): Checkpoint => {
  const content = { company: head.companyId, sequence: head.sequence, hash: head.hash, at }
  return { ...content, signature: signer.sign(textOf(content)) }
}

/** Whether a checkpoint was made with the signer's key and not changed since. */
export const isGenuine = (checkpoint: Checkpoint, signer: typeof Signer.Service): boolean =>
  signer.isSigned(textOf(checkpoint), checkpoint.signature)
