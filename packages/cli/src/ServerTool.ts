/** Runs PostgreSQL's `pg_dump` and `pg_restore`. The environment names the database, so no argument contains a password. */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { CommandFailure } from "./CommandFailure.ts"

/** The variable of libpq for each parameter of a URL. */
const variables = {
  host: "PGHOST",
  port: "PGPORT",
  dbname: "PGDATABASE",
  user: "PGUSER",
  password: "PGPASSWORD",
  application_name: "PGAPPNAME",
  connect_timeout: "PGCONNECT_TIMEOUT",
  options: "PGOPTIONS",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY"
} as const

/** The variables with which libpq uses the same database and encryption as our own client does with `url`. */
export const addressOf = (url: string): Readonly<Record<string, string>> => {
  const { hostname, password, pathname, port, searchParams, username } = new URL(url)
  const given = Object.entries(variables).flatMap(([parameter, variable]) => {
    const value = searchParams.get(parameter)
    return value === null ? [] : [[variable, value] as const]
  })
  return {
    // libpq reads an IPv6 address without the brackets of a URL.
    PGHOST: hostname.replace(/^\[(.*)\]$/, "$1") || "localhost",
    PGPORT: port || "5432",
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    ...(username === "" ? {} : { PGUSER: decodeURIComponent(username) }),
    ...(password === "" ? {} : { PGPASSWORD: decodeURIComponent(password) }),
    // Without this, libpq would verify no certificate. Our own client uses the system's authorities.
    ...(searchParams.get("sslmode") === "verify-full" ? { PGSSLROOTCERT: "system" } : {}),
    ...Object.fromEntries(given)
  }
}

/** Runs a client tool of PostgreSQL on the database of `url`. Fails if the tool is missing, or with its error output. */
export const run = (tool: "pg_dump" | "pg_restore", args: ReadonlyArray<string>, url: string) =>
  Effect.callback<void, CommandFailure>((resume) => {
    const child = spawn(tool, args, { env: { ...process.env, ...addressOf(url) }, stdio: ["ignore", "ignore", "pipe"] })
    let errors = ""
    child.stderr.setEncoding("utf8").on("data", (text) => {
      errors += text
    })
    const fail = (message: string) => resume(new CommandFailure(message))
    child.once("error", (error) =>
      fail(
        "code" in error && error.code === "ENOENT"
          ? `${tool} isn't installed here: install PostgreSQL's client programs, of the server's version or later, or copy the database in another way`
          : `${tool} can't be started: ${error.message}`
      )
    )
    const reason = () =>
      errors.includes("server version mismatch")
        ? `${tool} is older than the server: install PostgreSQL's client programs of the server's version or later`
        : `${tool} failed: ${errors.trim()}`
    child.once("close", (code) => (code === 0 ? resume(Effect.void) : fail(reason())))
    return Effect.sync(() => child.kill("SIGTERM"))
  })
