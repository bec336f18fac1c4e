/**
 * Port: SHA-256, which a domain package can't compute by itself.
 */
import * as Context from "effect/Context"

export class Digest extends Context.Service<
  Digest,
  {
    /** Of the text's UTF-8 bytes, as 64 hex characters. */
    readonly sha256: (text: string) => string
  }
>()("@crossdock/audit/Digest") {}
