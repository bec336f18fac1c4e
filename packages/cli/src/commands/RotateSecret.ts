/** `crossdock rotate-secret`: replaces secrets, with as little interruption as possible. */
import { TokenSecrets } from "@crossdock/host"
import { WebhookSecrets } from "@crossdock/notifications"
import { Effect, Option } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { onDatabase, settings } from "../Management.ts"

export const command = CommandLine.group("rotate-secret", "New secrets and keys, with an overlap.", [
  CommandLine.define({
    name: "token",
    does: "Replaces the signing secret of tokens and links. Tokens and links with the old secret stay valid for two more days or, with --revoke, until the hosts restart. Restart all hosts afterwards, because they read the secret when they start. If TOKEN_SECRET is set, the command changes nothing and says what to set.",
    examples: ["rotate-secret token", "rotate-secret token --revoke"],
    options: { revoke: CommandLine.toggle("revoke", "ends tokens and links of the old secret once the hosts restart") },
    *run({ revoke }) {
      const { tokenSecret } = yield* settings
      if (Option.isSome(tokenSecret))
        return yield* new CommandFailure(
          revoke
            ? "The secret is TOKEN_SECRET, not in the database: set TOKEN_SECRET to a new one (openssl rand -base64 32), unset TOKEN_SECRET_PREVIOUS, and restart all hosts"
            : "The secret is TOKEN_SECRET, not in the database: set TOKEN_SECRET_PREVIOUS to it, TOKEN_SECRET to a new one (openssl rand -base64 32), and restart all hosts. Unset TOKEN_SECRET_PREVIOUS after two days"
        )
      const until = yield* onDatabase(TokenSecrets.rotate({ revoke }))
      const next = revoke
        ? "Restart all hosts now: all users must sign in again, and links end."
        : `Restart all hosts; tokens and links of the old one are valid until ${Answer.time(until)}.`
      return Answer.sentence(`The secret is replaced. ${next}`, { revoked: revoke, previousUntil: until })
    }
  }),
  CommandLine.define({
    name: "secrets-key",
    does: "Encrypts the stored secrets of all webhooks with SECRETS_KEY: those in plain text, and those encrypted with SECRETS_KEY_PREVIOUS, which you can then unset. Hosts with both keys keep sending meanwhile. If the command is interrupted, run it again. Exits with 1 if a secret can't be decrypted.",
    examples: ["rotate-secret secrets-key"],
    *run() {
      if (Option.isNone((yield* settings).secrets))
        return yield* new CommandFailure(
          "SECRETS_KEY is unset: make a key (openssl rand -base64 32), set SECRETS_KEY to it in every host and here, restart the hosts, and run this again"
        )
      const encrypting = Effect.flatMap(WebhookSecrets.WebhookSecrets, ({ encrypt }) => encrypt)
      const { encrypted, unchanged, unreadable } = yield* onDatabase(encrypting)
      const done = `Encrypted the secrets of ${Answer.counted(encrypted, "webhook")} with SECRETS_KEY; ${unchanged} already were.`
      const left = unreadable.map((name) => `${name}: its secrets can't be decrypted and are unchanged.`)
      const next =
        left.length === 0
          ? "SECRETS_KEY_PREVIOUS can be unset."
          : "Set SECRETS_KEY_PREVIOUS to the key that encrypted them and run this again. If it is lost, replace them: crossdock marketplace rotate-secret --lost, crossdock endpoint rotate-secret --lost."
      const text = [done, ...left, next].join("\n")
      return Answer.sentence(text, { encrypted, unchanged, unreadable }, unreadable.length > 0)
    }
  })
])
