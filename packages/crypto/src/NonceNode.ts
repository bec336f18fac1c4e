/**
 * Adapter: unguessable randomness by the runtime's own library.
 */

import { randomBytes } from "node:crypto"
import { Nonce } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The `Nonce` of kernel: 128 random bits, as 32 hex characters.
 */
export const make = Nonce.of({ hex: Effect.sync(() => randomBytes(16).toString("hex")) })

/**
 * Provides `Nonce`. It requires nothing.
 */
export const layer: Layer.Layer<Nonce> = Layer.succeed(Nonce, make)
