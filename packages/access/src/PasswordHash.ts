/**
 * Port: salted, slow hashes of passwords, as text that names its own parameters.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

export class PasswordHash extends Context.Service<
  PasswordHash,
  {
    readonly hash: (password: string) => Effect.Effect<string>
    /** False for a hash that it can't read, too. Takes the same time whatever the answer. */
    readonly verify: (password: string, hash: string) => Effect.Effect<boolean>
  }
>()("@crossdock/access/PasswordHash") {}
