/** Makes secrets of webhooks, and reports to `crossdock doctor` and a starting host's log how stored ones are protected. */
import { randomBytes } from "node:crypto"
import { SecretCipher } from "@crossdock/kernel"
import { StoredWebhook } from "@crossdock/marketplaces"
import { WebhookSecrets } from "@crossdock/notifications"
import { Effect, Option, Result } from "effect"
import * as Answer from "./Answer.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import { type Finding, fault, ok, warning } from "./doctor/Finding.ts"
import { isPublic, type Settings } from "./Settings.ts"

const check = "webhook secrets"

const encryptAll = "run crossdock rotate-secret secrets-key"

const makeKey =
  "set SECRETS_KEY to a key (openssl rand -base64 32) in every host, restart them, and run crossdock rotate-secret secrets-key"

type Reach = Pick<Settings, "host" | "publicUrl" | "secrets">

type Webhooks = ReadonlyArray<WebhookSecrets.ProtectedWebhook>

const names = (webhooks: Webhooks): string => {
  const shown = webhooks.slice(0, 3).map(({ name }) => name)
  const others = webhooks.length - shown.length
  return `${shown.join(", ")}${others === 0 ? "" : ` and ${others} more`}`
}

const findingOf = (settings: Reach, all: Webhooks): Finding => {
  const of = (protection: WebhookSecrets.ProtectedWebhook["protection"]) =>
    all.filter((webhook) => webhook.protection === protection)
  const [lost, plain, previous] = [of("unreadable"), of("plain"), of("previous")]
  const [unreadable] = lost.flatMap(({ fault }) => (fault === null ? [] : [fault]))
  if (unreadable !== undefined)
    return fault(check, `nothing is sent to ${names(lost)}: the secret ${unreadable.why}`, unreadable.todo)
  const [stored, old] = [Answer.counted(plain.length, "webhook"), Answer.counted(previous.length, "webhook")]
  if (Option.isNone(settings.secrets)) {
    const says = `the secrets of ${stored} are stored in plain: every copy of the database contains them`
    return plain.length > 0 && isPublic(settings)
      ? warning(check, says, makeKey)
      : ok(check, `${stored}, stored in plain`)
  }
  if (plain.length > 0) return warning(check, `the secrets of ${stored} are not encrypted yet`, encryptAll)
  return previous.length > 0
    ? warning(check, `the secrets of ${old} are still encrypted with SECRETS_KEY_PREVIOUS`, encryptAll)
    : ok(check, `${Answer.counted(all.length, "webhook")}, all encrypted with SECRETS_KEY`)
}

/** What `crossdock doctor` says about the stored secrets, for a host with these settings. */
export const finding = (settings: Reach) =>
  Effect.flatMap(WebhookSecrets.WebhookSecrets, ({ list }) => Effect.map(list, (all) => findingOf(settings, all)))

/** Logs the finding at the start of a host if it isn't ok. A secret that can't be decrypted doesn't stop the host. */
export const announced = (settings: Reach) =>
  Effect.flatMap(finding(settings), ({ says, state, todo }) => {
    const text = `Webhook secrets: ${says}. To do: ${todo}`
    return state === "ok" ? Effect.void : state === "fault" ? Effect.logError(text) : Effect.logWarning(text)
  })

/** A random secret of 256 bits. */
export const random: Effect.Effect<string> = Effect.sync(() => `whsec_${randomBytes(32).toString("base64")}`)

/** The flag `--lost`, which says that the current secret can no longer be decrypted. */
export const lost = CommandLine.toggle(
  "lost",
  "replaces a secret whose SECRETS_KEY is lost; the old secret is invalid immediately"
)

/** How the secret that replaces a lost one is stored. It is unencrypted if SECRETS_KEY isn't set. */
export const storedAs = Effect.map(SecretCipher.SecretCipher, ({ encrypt }) =>
  encrypt("", "") === undefined ? "in plain, since SECRETS_KEY is not set" : "encrypted"
)

/** Whether a webhook's secret can be decrypted. If not, this fails without `lost`, because other hosts may have the key. */
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
