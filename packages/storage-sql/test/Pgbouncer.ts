/**
 * pgbouncer in front of a PostgreSQL, in transaction mode, where it is installed.
 */
import { spawn } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

/** The program; Debian puts it where only root looks. */
export const program: string | undefined = [
  ...(process.env.PATH ?? "").split(delimiter),
  "/usr/sbin",
  "/usr/local/sbin"
]
  .map((folder) => join(folder, "pgbouncer"))
  .find((path) => existsSync(path))

/** Like PostgreSQL, it does not run as root. */
const nobody = 65_534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const answers = (port: number) =>
  Effect.callback<void, Error>((resume) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resume(Effect.void)
    }).once("error", (error) => resume(Effect.fail(error)))
  })

const configuration = (server: URL, port: number, sessions: number) => `
[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = ${sessions}
max_db_connections = ${sessions}
`

/**
 * The address of the database `url` through a pgbouncer of its own, which has at most `sessions` sessions of the server.
 */
export const make = (url: string, sessions: number): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const server = new URL(url)
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-pgbouncer-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(folder, "pgbouncer.ini")
    writeFileSync(file, configuration(server, port, sessions))
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
    chmodSync(file, 0o644)
    yield* Effect.acquireRelease(
      Effect.sync(() => spawn(program ?? "pgbouncer", ["-q", file], { ...user, cwd: folder, stdio: "ignore" })),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null) return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGKILL")
        })
    )
    yield* Effect.orDie(Effect.retry(answers(port), { schedule: Schedule.spaced("50 millis"), times: 200 }))
    server.port = String(port)
    return server.href
  })
