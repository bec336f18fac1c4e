/**
 * Adapter: SHA-256 by the runtime's own library, which Node and workers with Node's modules have.
 */

import { createHash } from "node:crypto"
import { Digest } from "@crossdock/audit"
import * as Layer from "effect/Layer"

/**
 * The digest.
 */
export const make = Digest.of({ sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex") })

/**
 * Provides the digest.
 */
export const layer: Layer.Layer<Digest> = Layer.succeed(Digest, make)
