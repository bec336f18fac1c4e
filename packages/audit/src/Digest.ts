/**
 * Port: SHA-256, which domain packages don't implement.
 */
import * as Context from "effect/Context"

/**
 * Computes SHA-256.
 */
export class Digest extends Context.Service<
  Digest,
  {
    /** The digest of the text's UTF-8 bytes, as 64 hex characters. */
    readonly sha256: (text: string) => string
  }
>()("@crossdock/audit/Digest") {}
