/** Secrets that sign webhooks. */
import { randomBytes } from "node:crypto"
import { SecretCipher } from "@crossdock/kernel"
import { StoredWebhook } from "@crossdock/marketplaces"
import { Effect, Result } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"

/** A random secret of 256 bits. */
export const random: Effect.Effect<string> = Effect.sync(() => `whsec_${randomBytes(32).toString("base64")}`)

/** `--lost`: the current secret can no longer be decrypted. */
export const lost = CommandLine.toggle(
  "lost",
  "replaces a secret that can't be decrypted because its SECRETS_KEY is lost; the old secret is invalid at once"
)

/** The answer's note on how the replacement of a lost secret is stored: it may be unencrypted. */
export const storedAs = Effect.map(SecretCipher.SecretCipher, ({ encrypt }) =>
  encrypt("", "") === undefined ? "in plain, since SECRETS_KEY is not set" : "encrypted"
)

/** Whether a webhook's secret can be decrypted. Fails if it can't and isn't declared lost, since hosts may have the key. */
export const isReadable = (place: string, webhook: StoredWebhook.StoredWebhook, lost: boolean) =>
  Effect.gen(function* () {
    const cipher = yield* SecretCipher.SecretCipher
    const read = StoredWebhook.decrypted({ cipher, place }, webhook)
    if (Result.isSuccess(read)) return true
    if (lost) return false
    const { keyId, why } = read.failure
    const todo = keyId === null ? "" : "Set SECRETS_KEY or SECRETS_KEY_PREVIOUS to that key, as in the hosts. "
    return yield* new CommandFailure(
      `The current secret ${why}, so nothing was changed. ${todo}If it is lost, add --lost: the new secret then replaces it at once`
    )
  })
