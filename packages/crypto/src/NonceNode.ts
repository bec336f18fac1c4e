/**
 * Adapter: unguessable randomness by the runtime's own library.
 */

import { randomBytes } from "node:crypto"
import { Ids } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The `Ids.Nonce` of kernel: 128 random bits, as 32 hex characters.
 */
export const make = Ids.Nonce.of({ hex: Effect.sync(() => randomBytes(16).toString("hex")) })

/**
 * Provides `Ids.Nonce`. It requires nothing.
 */
export const layer: Layer.Layer<Ids.Nonce> = Layer.succeed(Ids.Nonce, make)
