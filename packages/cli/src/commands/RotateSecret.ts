/**
 * `crossdock rotate-secret`: new secrets, with as little interruption as possible.
 */

import { randomBytes } from "node:crypto"
import { TokenSecrets } from "@crossdock/host"
import { Marketplaces } from "@crossdock/marketplaces"
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, onDatabase, settings } from "../Management.ts"
import * as Marketplace from "./Marketplace.ts"
import * as SoldLocations from "./SoldLocations.ts"

const random = (bytes: number, encoding: "base64" | "base64url") =>
  Effect.sync(() => randomBytes(bytes).toString(encoding))

const token = CommandLine.define({
  name: "token",
  does: "Replaces the secret that signs tokens and links. What the old one signed is good for two more days, or with --revoke no longer. Hosts use the new one from their next start on: restart all of them. When TOKEN_SECRET is set, it only says what to set.",
  examples: ["rotate-secret token", "rotate-secret token --revoke"],
  options: { revoke: CommandLine.toggle("revoke", "ends what the old secret signed when the hosts restart") },
  run: ({ revoke }) =>
    Effect.flatMap(settings, ({ tokenSecret }) =>
      Option.isSome(tokenSecret)
        ? new CommandFailure({
            message: revoke
              ? "The secret is TOKEN_SECRET, not in the database: set TOKEN_SECRET to a new one (openssl rand -base64 32), unset TOKEN_SECRET_PREVIOUS, and restart all hosts"
              : "The secret is TOKEN_SECRET, not in the database: set TOKEN_SECRET_PREVIOUS to it, TOKEN_SECRET to a new one (openssl rand -base64 32), and restart all hosts. Unset TOKEN_SECRET_PREVIOUS after two days"
          })
        : onDatabase(
            Effect.map(TokenSecrets.rotate({ revoke }), (until) =>
              Answer.sentence(
                revoke
                  ? "The secret is replaced. Restart all hosts now: everybody signs in again, and links end."
                  : `The secret is replaced. Restart all hosts; what the old one signed is good until ${Answer.time(until)}.`,
                { revoked: revoke, previousUntil: until }
              )
            )
          )
    )
})

const webhook = CommandLine.define({
  name: "webhook",
  does: "Gives a marketplace's webhook a new secret and prints it once. For a day notifications are signed with both, so that the receiver can change over.",
  examples: ["rotate-secret webhook night-market"],
  options: { slug: Argument.String("slug").pipe(Argument.withDescription("the marketplace, by its slug")) },
  run: ({ slug }) =>
    onDatabase(
      Effect.gen(function* () {
        const registration = SoldLocations.registrationOf(yield* Marketplace.find(slug))
        if (registration.webhook === null)
          return yield* new CommandFailure({ message: `${slug} has no webhook, so it has no secret` })
        const secret = `whsec_${yield* random(32, "base64")}`
        const { register } = yield* Marketplaces.Marketplaces
        yield* register(caller, { ...registration, webhook: { ...registration.webhook, secret } })
        return Answer.record({ slug, secret })
      })
    )
})

const audit = CommandLine.define({
  name: "audit",
  does: "Makes a new key for checkpoints of audit trails and prints it once. Nothing is stored: keep it apart from the database, and the old one as long as you keep its checkpoints.",
  examples: ["rotate-secret audit"],
  options: {},
  run: () =>
    Effect.map(random(32, "base64url"), (key) => ({
      ...Answer.record({
        AUDIT_KEY: key,
        next: "sign a checkpoint of every trail with it: crossdock audit checkpoint COMPANY"
      }),
      json: { AUDIT_KEY: key }
    }))
})

export const command = CommandLine.group("rotate-secret", "New secrets for tokens, webhooks and checkpoints.", [
  token,
  webhook,
  audit
])
