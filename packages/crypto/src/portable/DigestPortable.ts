/**
 * Adapter: SHA-256 in JavaScript, at once as audit needs it: the digest of WebCrypto is a promise.
 */
import { AuditChain } from "@crossdock/audit"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Layer from "effect/Layer"

/**
 * The `AuditChain.Digest` of audit: SHA-256 of a text's UTF-8 bytes, as 64 hex characters.
 */
export const make = AuditChain.Digest.of({ sha256: (text) => bytesToHex(sha256(new TextEncoder().encode(text))) })

/**
 * Provides `AuditChain.Digest`. It requires nothing.
 */
export const layer: Layer.Layer<AuditChain.Digest> = Layer.succeed(AuditChain.Digest, make)
