/**
 * Adapter: SHA-256 by the runtime's own library, which Node and workers with Node's modules have.
 */

import { createHash } from "node:crypto"
import { AuditChain } from "@crossdock/audit"
import * as Layer from "effect/Layer"

/**
 * The `AuditChain.Digest` of audit: SHA-256 of a text's UTF-8 bytes, as 64 hex characters.
 */
export const make = AuditChain.Digest.of({ sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex") })

/**
 * Provides `AuditChain.Digest`. It requires nothing.
 */
export const layer: Layer.Layer<AuditChain.Digest> = Layer.succeed(AuditChain.Digest, make)
