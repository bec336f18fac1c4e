/**
 * Port: salted, slow hashes of passwords, as text that contains its parameters. Source:
 * docs/reference/authentication.md#passwords.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Hashes and verifies passwords.
 */
export class PasswordHash extends Context.Service<
  PasswordHash,
  {
    readonly hash: (password: string) => Effect.Effect<string>
    /** Whether the password matches; false also for an unreadable hash. The duration doesn't depend on the answer. */
    readonly verify: (password: string, hash: string) => Effect.Effect<boolean>
  }
>()("@crossdock/access/PasswordHash") {}
