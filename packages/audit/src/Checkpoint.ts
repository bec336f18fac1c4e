/**
 * A signed word on how far a trail had come: kept elsewhere, it shows a trail that was cut short or written anew.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type { Head } from "./AuditLog.ts"

/**
 * Port: signatures with the host's own key.
 */
export class Signer extends Context.Service<
  Signer,
  {
    /** Of the text's UTF-8 bytes. */
    readonly sign: (text: string) => string
    readonly isSigned: (text: string, signature: string) => boolean
  }
>()("@crossdock/audit/Signer") {}

export const Checkpoint = Schema.Struct({
  company: Schema.Int,
  sequence: Schema.Int,
  hash: Schema.String,
  /** Epoch milliseconds. */
  at: Schema.Int,
  signature: Schema.String
})

export type Checkpoint = typeof Checkpoint.Type

const textOf = ({ at, company, hash, sequence }: Omit<Checkpoint, "signature">): string =>
  `crossdock audit checkpoint ${company} ${sequence} ${hash} ${at}`

export const make = (head: Head, at: number, signer: typeof Signer.Service): Checkpoint => {
  const said = { company: head.companyId, sequence: head.sequence, hash: head.hash, at }
  return { ...said, signature: signer.sign(textOf(said)) }
}

/**
 * Whether nobody but the holder of the key made it.
 */
export const isGenuine = (checkpoint: Checkpoint, signer: typeof Signer.Service): boolean =>
  signer.isSigned(textOf(checkpoint), checkpoint.signature)
