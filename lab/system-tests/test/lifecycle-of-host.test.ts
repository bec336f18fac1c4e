import { spawn } from "node:child_process"
import { Agent, IncomingMessage, request, ServerResponse } from "node:http"
import { type AddressInfo, createServer, Socket } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Directory } from "@crossdock/access"
import * as Server from "@crossdock/cli/Server"
import * as Storage from "@crossdock/cli/Storage"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { beforeAll, expect } from "vitest"
import { temporaryFolder } from "../../../packages/http/test/TemporaryFolder.ts"
import * as HostProcess from "../src/HostProcess.ts"
import { compileCache } from "./TestCommand.ts"
import { send, tokenOf } from "./TestHost.ts"

const main = fileURLToPath(new URL("../../../packages/cli/bin/crossdock.js", import.meta.url))

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly log: string
}

/** Runs the host until it exits. Sends SIGTERM after its first answer, or as soon as it listens. */
const run = (environment: Readonly<Record<string, string>>, atOnce = false): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [main, "start"], {
      env: { PATH: process.env.PATH, PORT: "0", ...compileCache, ...environment }
    })
    let output = ""
    let log = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
      const url = /http:\S+/.exec(output)?.[0] ?? ""
      if (atOnce) child.kill("SIGTERM")
      else void send(url, "GET", "/health/ready").finally(() => child.kill("SIGTERM"))
    })
    child.stderr.on("data", (chunk) => {
      log += chunk
    })
    child.once("close", (code) => resolve({ code, output, log }))
  })

describe("the host process", () => {
  const folder = temporaryFolder()

  it("prints exactly one line once it is ready, with the free port that it picked, and exits with 0 on SIGTERM", async () => {
    // A secret's length is in bytes: this one has 32.
    const { code, output } = await run({ DATABASE_URL: "sqlite::memory:", SANDBOX: "0", TOKEN_SECRET: "é".repeat(16) })
    assertMatch(output, /^listening on http:\/\/127\.0\.0\.1:[1-9]\d*\n$/)
    strictEqual(code, 0)
  })

  it("exits with 0 on a SIGTERM sent as soon as the line is printed", async () => {
    strictEqual((await run({ DATABASE_URL: "memory:", SANDBOX: "0" }, true)).code, 0)
  })

  it("exits with 0 on SIGTERM while its background work is failing", async () => {
    const file = join(folder, "failing.db")
    const host = await HostProcess.start({ DATABASE_URL: `sqlite:${file}`, SANDBOX: "0" })
    const database = new Database(file)
    database.exec("ALTER TABLE crossdock_agreements RENAME TO crossdock_agreements_away")
    database.close()
    const readiness = () => send(host.url, "GET", "/health/ready").then(({ text }) => text)
    await expect.poll(readiness).toContain(`"name":"billing","state":"failing"`)
    strictEqual(await host.stop(), 0)
    // Each failure is one log line; the host's exit isn't logged as a failure.
    assertInclude(host.log(), "Background work failed and is tried again")
    assertTrue(!host.log().includes("interrupt"), host.log())
  })

  it("without SANDBOX loads no sandbox into a database that has its own integrations, and doesn't open it to sandbox accounts", async () => {
    const environment = { DATABASE_URL: `sqlite:${join(folder, "own.db")}` }
    await Effect.flatMap(Directory, (directory) =>
      directory.putAccounts([
        {
          username: "own",
          passwordHash: "none",
          enabled: true,
          generation: 1,
          sandbox: false,
          principal: {
            kind: "integration",
            id: "own",
            integrationId: "own",
            companyId: CompanyId.make(7),
            locations: null,
            stockPolicy: "set"
          }
        }
      ])
    ).pipe(Effect.provide(Storage.layer(environment.DATABASE_URL)), Effect.runPromise)
    const host = await HostProcess.start(environment)
    const signIn = await send(host.url, "GET", "/aggregator/v1/token?username=acme&password=acme-secret")
    strictEqual(await host.stop(), 0)
    strictEqual(signIn.status, 401)
    const loaded = await Effect.flatMap(Directory, (directory) => directory.account("integration", "acme")).pipe(
      Effect.provide(Storage.layer(environment.DATABASE_URL)),
      Effect.runPromise
    )
    strictEqual(loaded, undefined)
  })

  it("does not start with unusable settings, and prints nothing but the reason in one sentence", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as AddressInfo
    const cases = [
      [{ TOKEN_SECRET: "x".repeat(31) }, "TOKEN_SECRET must have at least 32 bytes"],
      [{ PORT: "70000" }, "PORT must be a whole number from 0 to 65535"],
      [{ PORT: String(port) }, `Port ${port} of 127.0.0.1 is in use`],
      [{ SANDBOX: "maybe" }, "SANDBOX must be 0, 1 or day"],
      [{ DATABASE_URL: "mysql://x" }, "DATABASE_URL must begin with"],
      [{ DATABASE_URL: `sqlite:${join(folder, "none", "x.db")}` }, "The database can't be used"],
      [{ DATABASE_URL: "postgres://u:a-password@127.0.0.1:1/x" }, "The database can't be used"]
    ] as const
    const started = cases.map(async ([environment, why]) => ({
      why,
      ...(await run({ DATABASE_URL: "memory:", ...environment }))
    }))
    for (const { code, log, output, why } of await Promise.all(started)) {
      deepStrictEqual([code, output, log.trim().split("\n").length], [1, "", 1], log)
      strictEqual(log.startsWith(why), true, log)
      strictEqual(/xxx|a-password/.test(log), false, "a secret is not printed")
    }
    taken.close()
  })

  it("does not start on a database of a later release or with another schema, and prints nothing but the difference", async () => {
    const file = join(folder, "schema.db")
    strictEqual((await run({ DATABASE_URL: `sqlite:${file}`, SANDBOX: "0" })).code, 0)
    const change = (statement: string) => {
      const database = new Database(file)
      database.exec(statement)
      database.close()
    }
    for (const [statement, why] of [
      [
        "DROP TRIGGER crossdock_shipments_moved",
        "The database's schema was changed by hand (trigger crossdock_shipments_moved is missing): undo the change, or restore a backup"
      ],
      [
        "INSERT INTO crossdock_migrations (migration_id, name) VALUES (99, 'x')",
        "The database was written by a later release (migration 99_x is unknown): start that release, or restore a backup"
      ]
    ] as const) {
      change(statement)
      const { code, log, output } = await run({ DATABASE_URL: `sqlite:${file}`, SANDBOX: "0" })
      deepStrictEqual([code, output, log], [1, "", `${why}\n`])
    }
  })
})

describe("a host process that is stopped and restarted", () => {
  const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(), "again.db")}` }
  const headers = { "x-access-token": "", "content-type": "application/json" }
  let host: HostProcess.HostProcess
  let before: unknown

  const read = async (url: string) => {
    const { text } = await send(url, "GET", "/ims/v3/listings", headers)
    return (JSON.parse(text) as { data: unknown }).data
  }

  beforeAll(async () => {
    host = await HostProcess.start(environment)
    headers["x-access-token"] = await tokenOf(host.url, "/aggregator/v1/token", "acme")
    const stock = [{ location_id: "BLR1", sku: "85123A", quantity: 42 }]
    strictEqual((await send(host.url, "PUT", "/ims/v3/inventory", headers, JSON.stringify(stock))).status, 200)
    before = await read(host.url)
  })

  it("answers a client whose body is too large, even while it is still sending", async () => {
    const text = " ".repeat(6 * 1024 * 1024)
    const answers: Array<unknown> = []
    for (let nth = 0; nth < 24; nth++) {
      const body = nth % 2 === 0 ? text : new Blob([text]).stream()
      const request: RequestInit & { readonly duplex: "half" } = { method: "PUT", headers, body, duplex: "half" }
      answers.push(
        await fetch(`${host.url}/ims/v3/inventory`, request).then(
          async (answer) => [answer.status, ((await answer.json()) as { readonly code: string }).code],
          ({ cause }) => String(cause)
        )
      )
    }
    deepStrictEqual(
      answers,
      answers.map(() => [413, "BODY_TOO_LARGE"])
    )
  })

  it("finishes running requests on SIGTERM, and accepts no new ones", async () => {
    // An unknown name's hash, unlike a sandbox account's, is slow, so the signal comes during each sign-in.
    const path = "/aggregator/v1/token?username=unknown&password=wrong"
    const running = Array.from({ length: 2 }, () => send(host.url, "GET", path))
    await send(host.url, "GET", "/health/live")
    const stopped = host.stop()
    const answers = await Promise.all(running)
    deepStrictEqual(
      answers.map(({ body, status }) => [status, body.code]),
      answers.map(() => [401, "CREDENTIALS_INVALID"])
    )
    strictEqual(await stopped, 0)
    const after = await send(host.url, "GET", "/health/live").then(
      () => "answered",
      () => "rejected"
    )
    strictEqual(after, "rejected")
  })

  it("keeps sandbox, tokens and stock when it starts again on the same database", async () => {
    const second = await HostProcess.start(environment)
    deepStrictEqual(await read(second.url), before)
    strictEqual((await tokenOf(second.url, "/auth/bazaar/token", "bazaar")).split(".").length, 3)
    strictEqual(await second.stop(), 0)
  })
})

describe("a starting host", () => {
  /** A port of this machine that was free a moment ago. */
  const freePort = () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        server.close(() => resolve(port))
      })
    })

  it("accepts no connection until it is ready, and answers the first request", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const database = `sqlite:${join(temporaryFolder(), "starting.db")}`
    const starting = HostProcess.start({ DATABASE_URL: database, PORT: String(port) })
    const seen: Array<string> = []
    while (!seen.some((one) => one === "200") && seen.length < 100_000)
      seen.push(
        await send(url, "GET", "/health/ready").then(
          ({ status }) => String(status),
          ({ code }) => code
        )
      )
    strictEqual(await (await starting).stop(), 0)
    deepStrictEqual([...new Set(seen)], ["ECONNREFUSED", "200"])
  })

  it("gives a request that arrives before its routes are there to them as soon as they are", async () => {
    const { server } = await Effect.runPromise(Server.make())
    const early = Object.assign(new IncomingMessage(new Socket()), { url: "/health/ready", headers: { host: "a" } })
    server.emit("request", early, new ServerResponse(early))
    const handled: Array<IncomingMessage> = []
    server.on("request", (request) => handled.push(request))
    await Promise.resolve()
    deepStrictEqual(handled, [early])
  })
})

describe("a host that stops", () => {
  it("is unready for DRAIN_SECONDS and serves every request meanwhile, then closes each connection with an answer", async () => {
    const host = await HostProcess.start({ DATABASE_URL: "memory:", SANDBOX: "1", DRAIN_SECONDS: "1" })
    const token = await tokenOf(host.url, "/aggregator/v1/token", "acme")
    const agent = new Agent({ keepAlive: true })
    const get = (path: string) =>
      new Promise<{ readonly status: number | undefined; readonly closes: boolean }>((resolve, reject) => {
        const sent = request(`${host.url}${path}`, { agent, headers: { "x-access-token": token } }, (answer) => {
          const { headers, statusCode } = answer.resume()
          answer.once("end", () => resolve({ status: statusCode, closes: headers.connection === "close" }))
        })
        sent.once("error", reject).end()
      })
    // Like a balancer, leaves with the first connection that the host closes.
    const caller = async () => {
      const seen: Array<number | undefined> = []
      for (;;) {
        const { closes, status } = await get("/ims/v3/listings")
        seen.push(status)
        if (closes) return seen
      }
    }
    const watcher = async () => {
      const since = performance.now()
      const seen: Array<number | undefined> = []
      for (;;) {
        const { closes, status } = await get("/health/ready")
        seen.push(status)
        if (closes) return { seen, millis: performance.now() - since }
      }
    }
    const callers = Array.from({ length: 20 }, caller)
    await get("/health/live")
    const [watching, stopped] = [watcher(), host.stop()]
    const answers = (await Promise.all(callers)).flat()
    const { millis, seen } = await watching
    strictEqual(await stopped, 0)
    deepStrictEqual([...new Set(answers)], [200])
    strictEqual(seen.at(-1), 503)
    assertTrue(millis >= 900, `${millis} ms`)
    agent.destroy()
  })

  it("stops at once on SIGINT, whatever DRAIN_SECONDS says", async () => {
    const host = await HostProcess.start({ DATABASE_URL: "memory:", SANDBOX: "0", DRAIN_SECONDS: "600" })
    const exited = new Promise((resolve) => host.child.once("exit", resolve))
    host.child.kill("SIGINT")
    strictEqual(await exited, 0)
  })
})
