/**
 * Adapter: unguessable randomness by WebCrypto.
 */
import { Ids } from "@crossdock/kernel"
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The `Ids.Nonce` of kernel: 128 random bits, as 32 hex characters.
 */
export const make = Ids.Nonce.of({ hex: Effect.sync(() => bytesToHex(crypto.getRandomValues(new Uint8Array(16)))) })

/**
 * Provides `Ids.Nonce`. It requires nothing.
 */
export const layer: Layer.Layer<Ids.Nonce> = Layer.succeed(Ids.Nonce, make)
