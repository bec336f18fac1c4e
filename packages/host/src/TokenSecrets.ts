/**
 * The secret that signs tokens and links, for hosts whose settings have none: it is kept in the database, the same for all
 * hosts on it. Source: docs/reference/host.md#settings.
 */
import { Directory } from "@crossdock/access"
import { Nonce, type StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const presentName = "token"
const previousName = "token-previous"

/** As long as the longest-lived thing that a secret signs: a link to a document. */
const overlapMillis = 2 * 86_400_000

const random = Effect.gen(function* () {
  const nonce = yield* Nonce
  return `${yield* nonce.hex}${yield* nonce.hex}`
})

/** The secret; a random one is made once. */
export const present: Effect.Effect<Redacted.Redacted, StorageError, Directory | Nonce> = Effect.gen(function* () {
  const directory = yield* Directory
  return Redacted.make(yield* directory.secret(presentName, yield* random))
})

/** The one before, for two days after it was replaced. Until then what it signed is still accepted. */
export const previous: Effect.Effect<ReadonlyArray<Redacted.Redacted>, StorageError, Directory> = Effect.gen(
  function* () {
    const stored = yield* (yield* Directory).findSecret(previousName)
    const [until = "0", secret = ""] = (stored ?? "").split(":")
    return Number(until) > (yield* Clock.currentTimeMillis) ? [Redacted.make(secret)] : []
  }
)

/**
 * Replaces the secret by a random one. Hosts sign with it from their next start on. What the old one signed is accepted for
 * two more days, or with `revoke` no longer. Returns when the old one ends, in epoch milliseconds.
 */
export const rotate = ({
  revoke
}: {
  readonly revoke: boolean
}): Effect.Effect<number, StorageError, Directory | Nonce> =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const until = (yield* Clock.currentTimeMillis) + (revoke ? 0 : overlapMillis)
    const old = Redacted.value(yield* present)
    yield* directory.putSecret(previousName, revoke ? "" : `${until}:${old}`)
    yield* directory.putSecret(presentName, yield* random)
    return until
  })
