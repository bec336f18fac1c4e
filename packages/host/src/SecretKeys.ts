/**
 * The keys by which a host encrypts the secrets that it stores. Source: docs/reference/host.md#encrypted-secrets.
 */
import { SecretCipher } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Runtime } from "./Runtime.ts"
import { SetupError } from "./SetupError.ts"

/**
 * 32 bytes each, as hex or Base64, the same for all hosts on a database. `key` encrypts; `previous` still decrypts, until
 * everything is encrypted with `key`.
 */
export interface SecretKeys {
  readonly key: Redacted.Redacted
  readonly previous?: Redacted.Redacted | undefined
}

const bytesOf = (name: string, key: Redacted.Redacted) => {
  const bytes = SecretCipher.keyOf(Redacted.value(key))
  return bytes === undefined
    ? new SetupError({
        message: `${name} must be 32 bytes as hex or Base64: make one with \`openssl rand -base64 32\``
      })
    : Effect.succeed(Redacted.make<Uint8Array>(bytes))
}

/** Provides the runtime's `SecretCipher`. Without keys, secrets are stored as they are. */
export const layer = (runtime: Runtime, keys: SecretKeys | undefined): Layer.Layer<never, SetupError> =>
  keys === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.gen(function* () {
          const key = yield* bytesOf("secrets.key", keys.key)
          const previous = keys.previous === undefined ? [] : [yield* bytesOf("secrets.previous", keys.previous)]
          return runtime.encryption(key, previous)
        })
      )
