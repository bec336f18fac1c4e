/**
 * Signed checkpoints: the number and hash of a trail's last record at some time, and the root of its Merkle tree. Kept outside the database, a checkpoint
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
  /** The root of the trail's Merkle tree. */
  root: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Int,
  signature: Schema.String
})

/** A signed head of a trail: proof of what the trail contained at a time, kept outside the database. */
export type Checkpoint = typeof Checkpoint.Type

const textOf = ({ at, company, hash, root, sequence }: Omit<Checkpoint, "signature">): string =>
  `crossdock audit checkpoint ${company} ${sequence} ${hash} ${root} ${at}`

/**
 * The checkpoint of a trail that has this head and root at `at` (epoch milliseconds), signed with the host's key.
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
 * const trail = { head: { companyId: CompanyId.make(1), sequence: 500, hash: "5f2a" }, root: "81b0" }
 * const checkpoint = Checkpoint.make(trail, Date.UTC(2026, 0, 31), signer)
 * strictEqual(checkpoint.sequence, 500)
 * strictEqual(Checkpoint.isGenuine(checkpoint, signer), true)
 * ```
 */
export const make = (
  { head, root }: { readonly head: Head; readonly root: string },
  at: number,
  signer: typeof Signer.Service
): Checkpoint => {
  const content = { company: head.companyId, sequence: head.sequence, hash: head.hash, root, at }
  return { ...content, signature: signer.sign(textOf(content)) }
}

/** Whether a checkpoint was made with the signer's key and not changed since. */
export const isGenuine = (checkpoint: Checkpoint, signer: typeof Signer.Service): boolean =>
  signer.isSigned(textOf(checkpoint), checkpoint.signature)
