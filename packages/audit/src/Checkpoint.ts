/** Signed checkpoints. Stored outside the database, they reveal whether a trail was shortened or rewritten later. */
import * as Schema from "effect/Schema"
import type { Head } from "./AuditChain.ts"

/** An Ed25519 public key as a JWK (RFC 8037). `kid` is the key's thumbprint (RFC 7638). */
export const PublicKey = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  kid: Schema.String,
  x: Schema.String
})

/** The public keys of an operator as a JWKS (RFC 7517). Keep earlier keys, since their checkpoints need them. */
export const PublicKeys = Schema.Struct({ keys: Schema.Array(PublicKey) })

export type PublicKeys = typeof PublicKeys.Type

/** Port: signs with the operator's private key. */
export interface Signer {
  /** The `kid` of the public key. */
  readonly kid: string
  /** The Ed25519 signature of the text's UTF-8 bytes, in Base64url. */
  readonly sign: (text: string) => string
}

/** Port: whether the signature of a text is valid under the public key `kid`. False for an unknown key. */
export type Verifier = (kid: string, text: string, signature: string) => boolean

/** A signed head of a trail as JSON. It proves what the trail contained at a time. */
export const Checkpoint = Schema.Struct({
  company: Schema.Int,
  sequence: Schema.Int,
  hash: Schema.String,
  root: Schema.String,
  /** The time in epoch milliseconds. */
  at: Schema.Int,
  kid: Schema.String,
  signature: Schema.String
})

export type Checkpoint = typeof Checkpoint.Type

const textOf = ({ at, company, hash, root, sequence }: Omit<Checkpoint, "kid" | "signature">): string =>
  `crossdock audit checkpoint ${company} ${sequence} ${hash} ${root} ${at}`

/** Makes the checkpoint of a trail with this head and root at `at` (epoch milliseconds). */
export const make = (
  { head, root }: { readonly head: Head; readonly root: string },
  at: number,
  { kid, sign }: Signer
): Checkpoint => {
  const content = { company: head.companyId, sequence: head.sequence, hash: head.hash, root, at }
  return { ...content, kid, signature: sign(textOf(content)) }
}

/**
 * Whether a checkpoint was signed with one of the verifier's keys and hasn't been changed since.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Checkpoint } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * // CheckpointKey of crypto signs with Ed25519.
 * const sign = (text: string) => text.toUpperCase()
 * const trail = { head: { companyId: CompanyId.make(1), sequence: 500, hash: "5f2a" }, root: "81b0" }
 * const checkpoint = Checkpoint.make(trail, Date.UTC(2026, 0, 31), { kid: "1", sign })
 * strictEqual(Checkpoint.isGenuine(checkpoint, (kid, text, signature) => kid === "1" && signature === sign(text)), true)
 * ```
 */
export const isGenuine = (checkpoint: Checkpoint, verifies: Verifier): boolean =>
  verifies(checkpoint.kid, textOf(checkpoint), checkpoint.signature)
