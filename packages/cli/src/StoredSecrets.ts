/** The protection of webhooks' stored secrets, for the host's log at its start and for `crossdock doctor`. */
import { WebhookSecrets } from "@crossdock/notifications"
import { Effect, Option } from "effect"
import * as Answer from "./Answer.ts"
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
  if (Option.isNone(settings.secrets))
    return plain.length > 0 && isPublic(settings)
      ? warning(
          check,
          `the secrets of ${Answer.counted(plain.length, "webhook")} are stored in plain: every copy of the database contains them`,
          makeKey
        )
      : ok(check, `${Answer.counted(plain.length, "webhook")}, stored in plain`)
  if (plain.length > 0)
    return warning(check, `the secrets of ${Answer.counted(plain.length, "webhook")} are not encrypted yet`, encryptAll)
  return previous.length > 0
    ? warning(
        check,
        `the secrets of ${Answer.counted(previous.length, "webhook")} are still encrypted with SECRETS_KEY_PREVIOUS`,
        encryptAll
      )
    : ok(check, `${Answer.counted(all.length, "webhook")}, all encrypted with SECRETS_KEY`)
}

/** The finding on the stored secrets, for a host with these settings. */
export const finding = (settings: Reach) =>
  Effect.map(
    Effect.flatMap(WebhookSecrets.WebhookSecrets, ({ list }) => list),
    (all) => findingOf(settings, all)
  )

/** Logs the finding at the start of a host, unless all is well. A lost secret doesn't stop the host. */
export const announced = (settings: Reach) =>
  Effect.flatMap(finding(settings), ({ says, state, todo }) => {
    const text = `Webhook secrets: ${says}. To do: ${todo}`
    return state === "ok" ? Effect.void : state === "fault" ? Effect.logError(text) : Effect.logWarning(text)
  })
