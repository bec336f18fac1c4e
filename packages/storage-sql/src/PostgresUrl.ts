/** The encryption parameters of a PostgreSQL address, with their meaning in libpq. Unknown parameters are rejected. */
import { readFileSync } from "node:fs"
import { type ConnectionOptions, createSecureContext } from "node:tls"
import { Text } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { UnusableUrl } from "./UnusableDatabase.ts"

export const parameters = [
  "application_name",
  "connect_timeout",
  "dbname",
  "host",
  "options",
  "password",
  "port",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslrootcert",
  "user"
] as const

const system = "system"

const rejected = (message: string) => Result.fail(new UnusableUrl({ message }))

const fileOf = (name: string, path: string | undefined) =>
  path === undefined
    ? Result.succeed(undefined)
    : Result.try({
        try: () => readFileSync(path, "utf8"),
        catch: (error) => {
          const code = error instanceof Error && "code" in error ? String(error.code) : "error"
          return new UnusableUrl({ message: `the file ${path} of ${name} can't be read (${code})` })
        }
      })

const faultOf = (query: URLSearchParams): string | undefined => {
  const unknown = [...query.keys()].find((key) => !parameters.some((known) => known === key))
  const mode = query.get("sslmode")
  const root = query.get("sslrootcert")
  if (unknown !== undefined) {
    const near = Text.nearestName(parameters, unknown)
    return `its parameter ${unknown} is not known: ${near === undefined ? "leave it out" : `did you mean ${near}?`}`
  }
  if (mode === "prefer" || mode === "allow")
    return `sslmode=${mode} lets a server ask for no encryption: set sslmode to verify-full, require or disable`
  if (mode !== null && !["disable", "require", "verify-ca", "verify-full"].includes(mode))
    return `sslmode must be disable, require, verify-ca or verify-full`
  if (mode === null && ["sslrootcert", "sslcert", "sslkey"].some((name) => query.has(name)))
    return "sslrootcert, sslcert and sslkey need an sslmode: set sslmode to verify-full"
  if (query.has("sslcert") !== query.has("sslkey")) return "sslcert and sslkey need each other: set both or none"
  if (mode === "verify-ca" && root === null)
    return "sslmode=verify-ca needs sslrootcert: set it to the file of the authority that signed the server's certificate"
  if (root === system && mode !== "verify-full" && mode !== "disable")
    return "sslrootcert=system needs sslmode=verify-full: anybody can get a certificate that the system trusts"
  return undefined
}

/** The encryption that `url` requires, with the files that it names, or false. `require` alone trusts every server. */
export const encryption = (url: string): Result.Result<ConnectionOptions | false, UnusableUrl> =>
  Result.gen(function* () {
    if (!URL.canParse(url)) return yield* rejected("it is not a URL")
    const { hostname, searchParams: query } = new URL(url)
    const fault = faultOf(query)
    if (fault !== undefined) return yield* rejected(fault)
    const mode = query.get("sslmode") ?? "disable"
    // As in libpq, local sockets aren't encrypted, because nobody else can read them.
    const isSocket = (query.get("host") ?? decodeURIComponent(hostname)).startsWith("/")
    if (mode === "disable" || isSocket) return false
    const root = query.get("sslrootcert") ?? undefined
    const ca = yield* fileOf("sslrootcert", root === system ? undefined : root)
    const cert = yield* fileOf("sslcert", query.get("sslcert") ?? undefined)
    const key = yield* fileOf("sslkey", query.get("sslkey") ?? undefined)
    const given = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key })
    }
    yield* Result.try({
      try: () => createSecureContext(given),
      catch: (error) =>
        new UnusableUrl({
          message: `sslrootcert, sslcert or sslkey is no certificate or key of PEM (${error instanceof Error ? error.message : error})`
        })
    })
    if (mode === "verify-full") return given
    if (ca === undefined) return { ...given, rejectUnauthorized: false }
    return { ...given, checkServerIdentity: () => undefined }
  })
