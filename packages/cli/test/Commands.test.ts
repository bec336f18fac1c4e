import { existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Directory } from "@crossdock/access"
import { CompanyId } from "@crossdock/kernel"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import * as Storage from "../src/Storage.ts"
import { leaves } from "./CommandTree.ts"
import * as InProcess from "./InProcess.ts"

const folder = temporaryFolder()
let databases = 0
const absent = () => `sqlite:${join(folder, `commands-${databases++}.db`)}`
const fresh = async () => {
  const url = absent()
  await Effect.runPromise(Storage.migrate(url))
  return url
}

const call = (url: string, line: string, input?: string) =>
  InProcess.run(InProcess.words(line), {
    environment: { DATABASE_URL: url },
    ...(input === undefined ? {} : { input })
  })

const json = async (url: string, line: string, input?: string) => {
  const { code, stderr, stdout } = await call(url, `${line} --json`, input)
  deepStrictEqual([line, code, stderr], [line, 0, ""])
  return JSON.parse(stdout)
}

/** These create a database, need none, or call a host. */
const without =
  /^(start|migrate|restore|audit key|audit verify-proof|doctor|listen|clock( .*)?|trigger .*|import .*|export|init)$/

describe("Every command", () => {
  it("that needs a database creates none, and says how to", async () => {
    for (const { command, path } of leaves.filter(({ path }) => !without.test(path))) {
      const url = absent()
      const example = command.examples[0]?.command.replace(/^crossdock | --database \S+/g, "").split(" > ")[0] ?? ""
      const args = InProcess.words(example).map((word) => (/\.json$/.test(word) ? "-" : word))
      const keys = { ...InProcess.auditKeys(), SECRETS_KEY: "5e".repeat(32) }
      const environment = { DATABASE_URL: url, ...keys }
      const { code, stderr, stdout } = await InProcess.run(args, { environment, input: "{}" })
      deepStrictEqual([path, code, stdout, existsSync(url.slice("sqlite:".length))], [path, 1, "", false])
      assertTrue(stderr.startsWith(`There is no database at ${url}. Create it with "crossdock migrate"`), stderr)
    }
  })

  it("rejects a database in memory, an empty one on a server, and one of an earlier release", async () => {
    const inMemory = await call("memory:", "company list")
    deepStrictEqual([inMemory.code, inMemory.stderr.startsWith("memory: ends with its process")], [1, true])
    await PostgresDatabase.make(inject("postgres"), { isEmpty: true }).pipe(
      Effect.tap((url) =>
        Effect.promise(async () => {
          const empty = await call(Redacted.value(url), "company list")
          deepStrictEqual(
            [
              empty.code,
              /^The database at postgres\S+ is empty\. Create its tables with "crossdock migrate"/.test(empty.stderr)
            ],
            [1, true]
          )
          assertTrue(!empty.stderr.includes(new URL(Redacted.value(url)).password || "@@"))
          strictEqual((await call(Redacted.value(url), "migrate")).code, 0)
          strictEqual((await call(Redacted.value(url), "company list")).stdout, "none\n")
        })
      ),
      Effect.scoped,
      Effect.runPromise
    )
  })

  it("rejects a database that can't be reached in one sentence", async () => {
    for (const name of ["company list", "migrate", "migrate --check"]) {
      const { code, stderr } = await call("postgres://crossdock:wrong@127.0.0.1:1/crossdock", name)
      deepStrictEqual(
        [name, code, /^The database can't be used \(.+\): make it available/.test(stderr)],
        [name, 1, true]
      )
      assertTrue(!stderr.includes("wrong") && stderr.split("\n").length === 2, stderr)
    }
  })

  it("says what to correct where a server answers that knows no such database", async () => {
    const url = new URL(inject("postgres"))
    url.pathname = "/crossdok"
    const { code, stderr } = await call(url.href, "company list")
    deepStrictEqual(
      [code, stderr],
      [
        1,
        `The database can't be used (database "crossdok" does not exist): create it, or correct its name in DATABASE_URL\n`
      ]
    )
  })

  it("prints its answer alone on standard output, and what is logged on standard error", async () => {
    const url = await fresh()
    const index = (sql: SqlClient.SqlClient) => sql`CREATE INDEX mine ON crossdock_orders (marketplace)`
    await Effect.runPromise(Effect.provide(Effect.flatMap(SqlClient.SqlClient, index), Storage.connection(url)))
    const { code, stderr, stdout } = await call(url, "company list --json")
    deepStrictEqual([code, JSON.parse(stdout)], [0, []])
    assertTrue(stderr.includes("The database has the index mine of crossdock_orders, which no migration made"), stderr)
  })

  it("marks the options that must be given", async () => {
    const { stdout } = await call("memory:", "company add --help")
    assertTrue(/--legal-name string\s+the name on invoices and labels \(required\)/.test(stdout), stdout)
    assertTrue(!(await call("memory:", "trigger order --help")).stdout.includes("(required)"))
  })

  it("neutralises what would change a terminal", async () => {
    const url = await fresh()
    // Stored before names had to be one line, or by a program of its own.
    const add = async (id: number, name: string) => {
      await json(url, `company add ${id} --name Bakery --legal-name X`)
      const change = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE crossdock_companies SET name = ${name} WHERE id = ${id}`
      })
      await Effect.runPromise(Effect.provide(change, BetterSqlite3.layer(url.replace("sqlite:", ""))))
    }
    await add(7, "Night\u001b[2J\u202eBakery")
    const { stdout } = await call(url, "company list")
    assertTrue(stdout.includes("Night\\u{1b}[2J\\u{202e}Bakery"), JSON.stringify(stdout))
    // JSON has no C1 control escaped of itself, and a terminal takes U+009B for ESC [.
    const name = "Day\u009b2J\u202eBakery"
    await add(8, name)
    const printed = await call(url, "company list --json")
    deepStrictEqual(
      [/[\u0080-\u009f\u202e]/.test(printed.stdout), printed.stdout.includes("Day\\u009b2J")],
      [false, true]
    )
    deepStrictEqual(JSON.parse(printed.stdout)[1].name, name)
    // A table has one line for each thing, whatever it is called.
    await add(9, "Noon\n10  Forged")
    strictEqual((await call(url, "company list")).stdout.trim().split("\n").length, 4)
  })

  it("neutralises what a host answers with", async () => {
    const body = JSON.stringify({ code: "FORBIDDEN", message: "\u001b]0;owned\u0007no" })
    const server = createServer((_, response) =>
      response.writeHead(403, { "content-type": "application/json" }).end(body)
    )
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    )
    const args = ["export", "stock", join(folder, "none.csv"), "--url", `http://127.0.0.1:${port}`]
    const { code, stderr } = await InProcess.run(args, { environment: { CROSSDOCK_PASSWORD: "acme-secret" } })
    server.close()
    deepStrictEqual([code, stderr.includes("\u001b"), stderr.includes("\\u{1b}]0;owned\\u{7}no")], [1, false, true])
  })

  it("shows its help with an example, and suggests what was meant", async () => {
    for (const { path } of leaves) {
      const { code, stderr, stdout } = await call("memory:", `${path} --help`)
      deepStrictEqual([path, code, stderr], [path, 0, ""])
      assertTrue(stdout.includes("EXAMPLES") && stdout.includes(`crossdock ${path}`), stdout)
    }
    const meant = await call("memory:", "compny list")
    deepStrictEqual([meant.code, meant.stdout], [2, ""])
    assertTrue(meant.stderr.includes("company"), meant.stderr)
  })
})

describe("migrate", () => {
  it("--check says what is to do and changes nothing; a repeat of migrate changes nothing", async () => {
    const url = absent()
    const before = await call(url, "migrate --check")
    deepStrictEqual([before.code, existsSync(url.slice("sqlite:".length))], [1, false])
    const created = await json(url, "migrate")
    assertTrue(created.migrated.length > 0)
    deepStrictEqual((await json(url, "migrate")).migrated, [])
    deepStrictEqual((await json(url, "migrate --check")).pending, [])
  })

  it("--distribute needs Citus, and says so", async () => {
    const needs = "Only a PostgreSQL with Citus distributes tables: install it on each server, and run"
    const rejected = async (url: string) => {
      const { code, stderr, stdout } = await call(url, "migrate --distribute")
      deepStrictEqual([code, stderr.startsWith(needs), stdout], [1, true, ""])
      deepStrictEqual((await json(url, "migrate --check")).pending, [])
    }
    await rejected(absent())
    await PostgresDatabase.make(inject("postgres")).pipe(
      Effect.tap((url) => Effect.promise(() => rejected(Redacted.value(url)))),
      Effect.scoped,
      Effect.runPromise
    )
  })

  it("--print gives a script that creates the database for another tool, and nothing afterwards", async () => {
    const url = absent()
    const file = url.slice("sqlite:".length)
    const { stdout } = await call(url, "migrate --print")
    strictEqual(existsSync(file), false)
    const database = new Database(file)
    database.exec(stdout)
    database.close()
    deepStrictEqual((await json(url, "migrate --check")).pending, [])
    deepStrictEqual((await json(url, "migrate")).migrated, [])
    deepStrictEqual(await json(url, "migrate --print"), [])
    strictEqual((await call(url, "doctor")).code, 0)
  })
})

describe("company, location, seller and client", () => {
  it("set up a company, whose accounts can sign in until they are disabled", async () => {
    const url = await fresh()
    await json(url, `company add 7 --name "Night Bakery" --legal-name "Night Bakery Private Limited"`)
    await json(url, "location add 7 NGT1 --name One --currency INR")
    const { password } = await json(url, "seller add 7 bakery --generate")
    await json(url, "client add 7 office --scopes company/audit/read", "a long password\n")
    deepStrictEqual(await json(url, "company list"), [
      { id: 7, name: "Night Bakery", legalName: "Night Bakery Private Limited", closedAt: null }
    ])
    const host = await startHost(settings({ databaseUrl: url, sandbox: settings().sandbox }))
    const token = (username: string, secret: string) =>
      fetch(`${host.url}/aggregator/v1/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}` }
      }).then(({ status }) => status)
    strictEqual(await token("bakery", password), 200)
    await json(url, "seller disable bakery")
    strictEqual(await token("bakery", password), 401)
    await json(url, "seller enable bakery")
    await json(url, "seller set-password bakery", "another password")
    deepStrictEqual([await token("bakery", password), await token("bakery", "another password")], [401, 200])
    deepStrictEqual(await json(url, "company close 7"), { company: 7, marketplaces: [], agreements: 0 })
    strictEqual(await token("bakery", "another password"), 401)
    await json(url, "company reopen 7")
    strictEqual(await token("bakery", "another password"), 200)
    await host.stop()
    const trail = await call(url, "audit export 7")
    for (const action of ["create", "register", "disable", "enable", "set_password", "close", "reopen"])
      assertTrue(
        trail.stdout.includes(`\\"action\\":\\"${action}\\"`) || trail.stdout.includes(`"action":"${action}"`),
        action
      )
    assertTrue(!trail.stdout.includes("another password") && !trail.stdout.includes(password))
  })

  it("show an account that isn't limited to some locations as one of all", async () => {
    const url = await fresh()
    await json(url, "company add 7 --name A --legal-name B")
    await json(url, "location add 7 NGT1 --name One --currency INR")
    const added = await call(url, "seller add 7 bakery --generate")
    const limited = await call(url, "seller add 7 bakery-ngt1 --locations NGT1 --generate")
    const locationsOf = ({ stdout }: InProcess.Ended) => /^locations +(.+)$/m.exec(stdout)?.[1]
    deepStrictEqual([locationsOf(added), locationsOf(limited)], ["all", "NGT1"])
    const { stdout } = await call(url, "seller list")
    deepStrictEqual(
      stdout.split("\n").map((line) => line.split(/ {2,}/)[2]),
      ["locations", "all", "NGT1", undefined]
    )
    deepStrictEqual((await json(url, "seller list"))[0].locations, null)
  })

  it("change what they say of a location; what they leave out stays", async () => {
    const url = await fresh()
    await json(url, "company add 7 --name A --legal-name B")
    const address =
      "--address1 Road --city Pune --state Maharashtra --pincode 411001 --country India --gstin 27AAAAA0000A1Z5"
    await json(url, `location add 7 NGT1 --name One --currency INR --handling-hours 48 ${address}`)
    await json(url, "location add 7 NGT1 --name Two --currency INR")
    const [{ address: kept, handlingHours, name }] = await json(url, "location list")
    deepStrictEqual([name, handlingHours, kept?.city, kept?.gstin], ["Two", 48, "Pune", "27AAAAA0000A1Z5"])
  })

  it("show no custom fields, which may be personal", async () => {
    const url = await fresh()
    const own = { customFields: { owner: "Asha" } }
    const id = CompanyId.make(7)
    const put = Effect.flatMap(Directory, ({ putCompanies, putLocations }) =>
      Effect.andThen(
        putCompanies([{ id, name: "A", legalName: "B", ...own }]),
        putLocations([
          { companyId: id, code: "NGT1", name: "One", currency: "INR", handlingHours: 24, address: null, ...own }
        ])
      )
    )
    await Effect.runPromise(Effect.provide(put, Storage.existing(url)))
    deepStrictEqual(await json(url, "company list"), [{ id: 7, name: "A", legalName: "B", closedAt: null }])
    const [place] = await json(url, "location list")
    deepStrictEqual(Object.keys(place), ["companyId", "code", "name", "currency", "handlingHours", "address"])
  })

  it("report what is wrong without a stack", async () => {
    const url = await fresh()
    for (const [line, says] of [
      ["location add 7 NGT1 --name One --currency INR", "There is no company 7"],
      [`company add 7 --name "" --legal-name X`, "/name must be one line of 1 to 300 characters"],
      ["seller add 7 bakery --generate", "There is no company 7"],
      ["seller disable nobody", 'There is no seller "nobody"'],
      ["location disable 7 NGT1", "Company 7 has no location NGT1"],
      ["stock explain X Y --company 7", "Company 7 has no location Y"]
    ] as const) {
      const { code, stderr, stdout } = await call(url, line)
      deepStrictEqual([line, code, stdout], [line, 1, ""])
      assertTrue(stderr.startsWith(says) && !/\n\s+at /.test(stderr), stderr)
    }
    await json(url, "company add 7 --name A --legal-name B")
    const short = await call(url, "seller add 7 bakery", "short")
    deepStrictEqual([short.code, short.stderr], [1, "/password must be one line of 12 to 2,000 characters\n"])
    const scope = await call(url, "client add 7 office --scopes all --generate")
    assertTrue(scope.code === 1 && scope.stderr.startsWith("/scopes/0 must be one of"), scope.stderr)
    const half = await call(url, `location add 7 NGT1 --name One --currency INR --city Pune`)
    assertTrue(half.stderr.startsWith("An address needs --address1, --state, --pincode, --country too"), half.stderr)
  })
})

describe("location disable", () => {
  it("takes the location out of marketplaces, which then can't order from it", async () => {
    const url = absent()
    const host = await startHost(settings({ databaseUrl: url }))
    const before = await json(url, "marketplace list")
    const { marketplaces } = await json(url, "location disable 1 BOM1")
    deepStrictEqual(marketplaces, ["bazaar", "souk"])
    const codes = (all: ReadonlyArray<{ locations: ReadonlyArray<{ code: string }> }>) =>
      all.map(({ locations }) => locations.map(({ code }) => code))
    deepStrictEqual(codes(before), [["BLR1", "BOM1", "DEL1"], ["S-BOM"]])
    deepStrictEqual(codes(await json(url, "marketplace list")), [["BLR1", "DEL1"], []])
    await host.stop()
  })
})

describe("marketplace disable and set-password", () => {
  it("end its tokens and its sign-in, and are in the trails of its companies", async () => {
    const url = absent()
    const host = await startHost(settings({ databaseUrl: url }))
    const status = (password: string) =>
      fetch(`${host.url}/auth/bazaar/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`bazaar:${password}`).toString("base64")}` }
      }).then(({ status }) => status)
    strictEqual(await status("bazaar-secret"), 200)
    await json(url, "marketplace disable bazaar")
    await json(url, "marketplace disable bazaar")
    strictEqual(await status("bazaar-secret"), 401)
    await json(url, "marketplace enable bazaar")
    const short = await call(url, "marketplace set-password bazaar", "short")
    deepStrictEqual([short.code, short.stderr], [1, "/password: must be one line of 12 to 2,000 characters\n"])
    const { password } = await json(url, "marketplace set-password bazaar --generate")
    deepStrictEqual([await status("bazaar-secret"), await status(password)], [401, 200])
    await host.stop()
    for (const company of [1, 2]) {
      const { stdout } = await call(url, `audit export ${company}`)
      const times = (action: string) => stdout.split(`"action\\":\\"${action}`).length - 1
      deepStrictEqual([times("disable"), times("enable"), times("set_password")], [1, 1, 1])
    }
  })
})

describe("plan and coupon", () => {
  it("are added, listed and ended, with every error in a file at its place", async () => {
    const url = await fresh()
    const plan = { id: "pro", name: "Pro", price: 1499.5, currency: "INR", interval: "month", trialDays: 14 }
    const added = await json(url, "plan add -", JSON.stringify(plan))
    deepStrictEqual([added.amount, added.isActive, added.limits.team.limit], [149_950, true, -1])
    const wrong = await call(url, "plan add -", JSON.stringify({ ...plan, price: -1, interval: "week", extra: 1 }))
    const places = wrong.stderr
      .trim()
      .split("\n")
      .map((one) => one.split(":")[0])
    deepStrictEqual([wrong.code, places.toSorted()], [1, ["/extra", "/interval", "/price"]])
    const fine = await call(url, "plan add -", JSON.stringify({ ...plan, price: 1.001 }))
    assertTrue(fine.code === 1 && fine.stderr.startsWith("/price: "), fine.stderr)
    const other = await call(url, "plan add -", JSON.stringify({ ...plan, currency: "USD", interval: "year" }))
    deepStrictEqual(
      [
        other.code,
        other.stderr
          .trim()
          .split("\n")
          .map((one) => one.split(":")[0])
      ],
      [1, ["/currency", "/interval"]]
    )
    const dear = await call(url, "plan add -", JSON.stringify({ ...plan, price: 9_999_999_999_999 }))
    assertTrue(dear.code === 1 && dear.stderr.startsWith("/price: "), dear.stderr)
    await json(url, "plan disable pro")
    strictEqual((await call(url, "plan add -", JSON.stringify({ ...plan, price: 19 }))).code, 0)
    deepStrictEqual((await json(url, "plan list"))[0].isActive, false)
    await json(url, "coupon add TEN --percent 10 --plans pro")
    await json(url, "coupon add FIFTY --amount 50 --currency INR --uses 2 --until 2030-01-01")
    const coupons = await json(url, "coupon list")
    deepStrictEqual(
      coupons.map(({ code, maxUses, reduction, used }: never) => [code, reduction, maxUses, used]),
      [
        ["FIFTY", { kind: "fixed", amount: 5000, currency: "INR" }, 2, 0],
        ["TEN", { kind: "percent", hundredths: 1000 }, null, 0]
      ]
    )
    for (const [line, says] of [
      ["coupon add BOTH --percent 10 --amount 5 --currency INR", "Give either --percent"],
      ["coupon add NONE", "Give either --percent"],
      ["coupon add OTHER --percent 10 --plans max", 'There is no plan "max"'],
      ["coupon disable NOBODY", 'There is no coupon "NOBODY"']
    ] as const) {
      const { code, stderr } = await call(url, line)
      deepStrictEqual([line, code, stderr.startsWith(says)], [line, 1, true])
    }
    for (const until of ["2030-02-30", "2030-01-31T18:30", "9999-12-31T23:59-05:00", "+010000-01-01"]) {
      const { code, stderr } = await call(url, `coupon add LATE --percent 10 --until=${until}`)
      deepStrictEqual([until, code, stderr.includes("such as 2030-01-31T18:30:00Z")], [until, 2, true], stderr)
    }
    assertTrue((await json(url, "coupon disable TEN")).endsAt <= Date.now())
  })
})

describe("stock explain", () => {
  it("shows the movements of a level, and the shipments that reserve units of it", async () => {
    const url = absent()
    const host = await startHost(settings({ databaseUrl: url }))
    const [acme, bazaar] = [await Api.seller(host.url), await Api.marketplace(host.url)]
    await acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "85123A", quantity: 5 }])
    const { order } = await json(url, `trigger order --quantity 2 --url ${host.url}`)
    assertTrue(typeof order === "string")
    const explained = await json(url, "stock explain 85123A BLR1 --company 1")
    deepStrictEqual(explained.level, { onHand: 5, reserved: 2, unsellable: 0 })
    deepStrictEqual([explained.sum, explained.isSum], [explained.level, true])
    deepStrictEqual(
      explained.movements.map(({ onHand, reason, reserved }: never) => [reason, onHand, reserved]),
      [
        ["set", 5, 0],
        ["reserve", 0, 2]
      ]
    )
    deepStrictEqual(
      explained.reserved.map(({ status, units }: never) => [status, units]),
      [["placed", 2]]
    )
    acme.close()
    bazaar.close()
    await host.stop()
  })
})

describe("rotate-secret", () => {
  it("token lets hosts accept what the old secret signed, or with --revoke not", async () => {
    const url = absent()
    const chosen = settings({ databaseUrl: url })
    const signedIn = async () => {
      const host = await startHost(chosen)
      const token = await fetch(`${host.url}/aggregator/v1/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from("acme:acme-secret").toString("base64")}` }
      })
      const { access_token } = (await token.json()) as { access_token: string }
      return { host, access_token }
    }
    const accepts = async (token: string) => {
      const host = await startHost(chosen)
      const { status } = await fetch(`${host.url}/ims/v3/listings/count`, { headers: { "x-access-token": token } })
      await host.stop()
      return status
    }
    const { access_token, host } = await signedIn()
    await host.stop()
    strictEqual(await accepts(access_token), 200)
    await json(url, "rotate-secret token")
    strictEqual(await accepts(access_token), 200)
    await json(url, "rotate-secret token --revoke")
    strictEqual(await accepts(access_token), 401)
    const given = await InProcess.run(["rotate-secret", "token"], {
      environment: { DATABASE_URL: url, TOKEN_SECRET: "a secret of more than thirty-two bytes" }
    })
    assertTrue(given.code === 1 && given.stderr.includes("TOKEN_SECRET_PREVIOUS"), given.stderr)
    assertTrue(!given.stderr.includes("thirty-two"))
  })
})
