/**
 * Adapter: unguessable randomness by WebCrypto.
 */
import { Nonce } from "@crossdock/kernel"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The `Nonce` of kernel: 128 random bits, as 32 hex characters.
 */
export const make = Nonce.of({ hex: Effect.sync(() => bytesToHex(crypto.getRandomValues(new Uint8Array(16)))) })

/**
 * Provides `Nonce`. It requires nothing.
 */
export const layer: Layer.Layer<Nonce> = Layer.succeed(Nonce, make)
