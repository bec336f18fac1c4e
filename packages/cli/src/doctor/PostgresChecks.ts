/**
 * Checks of a PostgreSQL server, as a session of it sees them.
 */
import { Overview } from "@crossdock/storage-sql"
import { Effect } from "effect"
import { isLoopback } from "../Settings.ts"
import { type Finding, ok, warning } from "./Finding.ts"

const verified = "set sslmode=verify-full, and sslrootcert to the file of the server's authority, in DATABASE_URL"

/** Whether a session to the server at `url` is encrypted. On this machine nobody reads along. */
export const encryption = (url: string) =>
  Effect.map(Overview.encryption, (protocol): Finding => {
    const { hostname, searchParams } = new URL(url)
    const host = searchParams.get("host") ?? hostname
    const isNear = host === "" || host.startsWith("/") || isLoopback(host.replace(/^\[(.*)\]$/, "$1"))
    const isVerified = searchParams.get("sslmode") !== "require" || searchParams.has("sslrootcert")
    if (protocol === null)
      return isNear
        ? ok("encryption", "sessions are not encrypted, and don't leave this machine")
        : warning("encryption", "sessions are not encrypted: passwords and personal data can be read along", verified)
    return isVerified || isNear
      ? ok("encryption", protocol)
      : warning("encryption", `${protocol}, but the server's certificate isn't verified`, verified)
  })
