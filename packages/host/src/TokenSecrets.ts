/** The secrets that sign tokens and links, by default in the database. Source: docs/reference/host.md#settings. */
import { Directory } from "@crossdock/access"
import { Ids, Instant, type StorageError } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** One text, so that all are replaced together: `secret`, then `until:secret` for each earlier one. */
const name = "token"

/** The longest validity of a signature: a link to a document. */
const overlapMillis = 2 * Instant.dayMillis

const random = Effect.gen(function* () {
  const nonce = yield* Ids.Nonce
  return `${yield* nonce.hex}${yield* nonce.hex}`
})

const stored = Effect.gen(function* () {
  const text = yield* (yield* Directory).secret(name, yield* random)
  const now = yield* Clock.currentTimeMillis
  const [secret = "", ...before] = text.split(" ")
  return { text, now, secret, accepted: before.filter((one) => Number.parseInt(one, 10) > now) }
})

/** The current secrets. `accepted` ones were replaced in the last two days; the signing secret is made once, at random. */
export const present: Effect.Effect<
  { readonly signs: Redacted.Redacted; readonly accepted: ReadonlyArray<Redacted.Redacted> },
  StorageError,
  Directory | Ids.Nonce
> = Effect.map(stored, ({ accepted, secret }) => ({
  signs: Redacted.make(secret),
  accepted: accepted.map((one) => Redacted.make(one.slice(one.indexOf(":") + 1)))
}))

/**
 * Replaces the secret with a random one. Hosts sign with it after their next start, and accept the old one for two more days,
 * or with `revoke` no longer. Returns the old one's end in epoch milliseconds.
 */
export const rotate = ({
  revoke
}: {
  readonly revoke: boolean
}): Effect.Effect<number, StorageError, Directory | Ids.Nonce> =>
  Effect.gen(function* () {
    const { accepted, now, secret, text } = yield* stored
    const until = now + (revoke ? 0 : overlapMillis)
    const before = revoke ? [] : [`${until}:${secret}`, ...accepted]
    const isReplaced = yield* (yield* Directory).replaceSecret(name, text, [yield* random, ...before].join(" "))
    return { isReplaced, until }
  }).pipe(
    // Another command rotated meanwhile: keep the secret that it replaced, too.
    Effect.repeat({ until: ({ isReplaced }) => isReplaced }),
    Effect.map(({ until }) => until)
  )
