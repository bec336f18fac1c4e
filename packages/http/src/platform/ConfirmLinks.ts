/**
 * The secret links of confirm pages. Each is made of a seed and the secret of signed links, so that the answer which is stored
 * for an Idempotency-Key contains the seed and not the link.
 */
import { LinkSigner } from "@crossdock/access"
import { AuditChain } from "@crossdock/audit"
import * as Effect from "effect/Effect"

/**
 * Makes the link of a seed: 64 hex characters, always the same while the host's secret is.
 */
export const linkOf = Effect.gen(function* () {
  const signer = yield* LinkSigner
  const { sha256 } = yield* AuditChain.Digest
  return (seed: string): string => sha256(signer.sign(`confirm ${seed}`))
})
