/** The secrets that sign tokens and links. By default, they are in the database. Source: docs/reference/host.md#settings. */
import { Directory } from "@crossdock/access"
import { Ids, Instant, type Stored } from "@crossdock/kernel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** The name under which all secrets are stored as one text: the current one, and `until:secret` for each earlier one. */
const name = "token"

/** How long a replaced secret is accepted. No signature is valid for longer than a link to a document. */
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

/** The current secrets. The first read or `rotate` makes `signs` at random. `accepted` were replaced in the last two days. */
export const present: Stored<
  { readonly signs: Redacted.Redacted; readonly accepted: ReadonlyArray<Redacted.Redacted> },
  never,
  Directory | Ids.Nonce
> = Effect.map(stored, ({ accepted, secret }) => ({
  signs: Redacted.make(secret),
  accepted: accepted.map((one) => Redacted.make(one.slice(one.indexOf(":") + 1)))
}))

/**
 * Replaces the secret with a random one, which hosts use after their next start. The old one is accepted for two more days.
 * With `revoke`, no earlier secret is accepted. Returns the time at which the old one ends, in epoch milliseconds.
 */
export const rotate = ({ revoke }: { readonly revoke: boolean }): Stored<number, never, Directory | Ids.Nonce> =>
  Effect.gen(function* () {
    const { accepted, now, secret, text } = yield* stored
    const until = now + (revoke ? 0 : overlapMillis)
    const before = revoke ? [] : [`${until}:${secret}`, ...accepted]
    const isReplaced = yield* (yield* Directory).replaceSecret(name, text, [yield* random, ...before].join(" "))
    return { isReplaced, until }
  }).pipe(
    // This runs again if another command has replaced the secret meanwhile. The secret of that command is then kept too.
    Effect.repeat({ until: ({ isReplaced }) => isReplaced }),
    Effect.map(({ until }) => until)
  )
