/** Checks the settings alone. These checks need no database. */
import { Option, Redacted } from "effect"
import * as Settings from "../Settings.ts"
import type { Environment } from "../Terminal.ts"
import { type Finding, fault, ok, warning } from "./Finding.ts"

/** Finds misspelt variables, which have no effect. */
export const misspelt = (environment: Environment): Finding => {
  const wrong = Settings.misspelt(environment)
  const says = `nothing reads ${wrong.map(({ sent }) => sent).join(", ")}`
  const todo = wrong.map(({ meant }) => `did you mean ${meant}?`).join(" ")
  return wrong.length === 0 ? ok("settings", "all valid") : warning("settings", says, todo)
}

/** Finds a sandbox on a host that other machines can reach. That is a fault, since its passwords are public. */
export const sandbox = (settings: Settings.Settings, hasOwnIntegrations: boolean): Finding => {
  const isOn = Settings.isSandbox(settings, hasOwnIntegrations)
  if (!isOn) return ok("sandbox", "off")
  return Settings.isPublic(settings)
    ? fault("sandbox", "on, and other machines can reach the host, although its passwords are public", "set SANDBOX=0")
    : ok("sandbox", "on, and only this machine can reach the host")
}

const fewestCharacters = 10

/** Whether a secret was probably typed by a person. Such a secret has fewer different characters than a random one. */
const isWeak = (secret: string): boolean => new Set(secret).size < fewestCharacters

const fresh = "make one with openssl rand -base64 32"

export const tokenSecret = ({ tokenSecret, tokenSecretPrevious }: Settings.Settings): Finding => {
  const name = "token secret"
  if (Option.isNone(tokenSecret)) return ok(name, "a random one, in the database")
  const secret = Redacted.value(tokenSecret.value)
  if (isWeak(secret)) return warning(name, "TOKEN_SECRET can be guessed: it has few different characters", fresh)
  const isSame = Option.exists(tokenSecretPrevious, (previous) => Redacted.value(previous) === secret)
  const same = "TOKEN_SECRET and TOKEN_SECRET_PREVIOUS are the same"
  return isSame
    ? warning(name, same, "set TOKEN_SECRET_PREVIOUS to the one before")
    : ok(name, Option.isNone(tokenSecretPrevious) ? "TOKEN_SECRET" : "TOKEN_SECRET; TOKEN_SECRET_PREVIOUS is valid too")
}

/** Checks the address that callers use. Callers of a host behind a proxy don't reach the address on which the host listens. */
export const publicUrl = (settings: Settings.Settings): Finding => {
  const [name, isOpen] = ["public URL", ["0.0.0.0", "::"].includes(settings.host)]
  const links = "links to documents lead to the address 0.0.0.0"
  if (Option.isNone(settings.publicUrl))
    return isOpen
      ? warning(name, links, "set PUBLIC_URL to the address that callers use")
      : ok(name, "the address that the host listens on")
  const url = settings.publicUrl.value
  const todo = "put a proxy with TLS in front of the host, and set PUBLIC_URL to its https address"
  return url.startsWith("http:") && Settings.isPublic(settings)
    ? warning(name, `${url} is not encrypted`, todo)
    : ok(name, url)
}

const names = {
  catalogWrites: "catalog writes",
  deadLetters: "dead letters",
  events: "events",
  movements: "movements"
} as const

export const retention = ({ retention }: Settings.Settings): Finding => {
  const kept = Object.entries(names).map(([key, name]) =>
    Option.match(retention[key as keyof typeof names], {
      onNone: () => `${name} for ever`,
      onSome: (days) => `${name} ${days} days`
    })
  )
  return ok("retention", `kept: ${kept.join(", ")}`)
}
