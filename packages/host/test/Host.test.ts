import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Directory, type Integration } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { brands, productInput, referenceData } from "@crossdock/catalog/testing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { Edge } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { afterAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, Redacted, Stream, Tracer } from "effect"

const acme = CompanyId.make(1)
const globex = CompanyId.make(2)
const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }
const password = "correct horse battery"
const secret = Redacted.make("0123456789abcdef0123456789abcdef")

const integration = (id: string, companyId = acme): Integration => ({
  kind: "integration",
  id,
  integrationId: id,
  companyId,
  locations: null,
  stockPolicy: "set"
})

const hosts: Array<Host.Host> = []
afterAll(() => Promise.all(hosts.map((host) => host.dispose())))

const options = {
  storage: StorageMemory.layer,
  runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
  payments: PaymentProviderTest.layer,
  publicUrl: "https://shop.example",
  tokenSecret: secret,
  addressOf: (request: Request) => request.headers.get("x-address") ?? "192.0.2.1",
  observability: Logger.layer([])
} satisfies Host.Options

const start = async (more: Partial<Host.Options> = {}) => {
  const host = await Host.make({ ...options, ...more })
  hosts.push(host)
  return host
}

const setup = { principal: { kind: "system", id: "setup" }, requestId: null } as const

/** A host with a company, a location, a seller's system and reference data. */
const furnished = async (more: Partial<Host.Options> = {}) => {
  const host = await start(more)
  const { accounts, companies, productImport } = host.services
  const done = { ok: true, value: undefined } as const
  deepStrictEqual(await companies.register(setup, { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location]), done)
  deepStrictEqual(await accounts.register(setup, integration("acme"), password), done)
  deepStrictEqual(await productImport.reference(referenceData, brands), done)
  return host
}

const send = async (
  host: Host.Host,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {}
) => {
  const answer = await host.handler(
    new Request(`https://shop.example${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) }
}

const signIn = (host: Host.Host, username: string, headers = {}, tried = password) =>
  send(host, "POST", "/aggregator/v1/token", { username, password: tried }, headers)

const tokenOf = async (host: Host.Host, username = "acme") => {
  const { body } = await signIn(host, username)
  return { "x-access-token": body.access_token as string }
}

const codes = (outcome: { readonly ok: boolean; readonly error?: unknown }) => {
  const { error } = outcome
  if (typeof error !== "object" || error === null) return undefined
  return "violations" in error
    ? (error.violations as ReadonlyArray<{ path: string; code: string }>).map(({ code, path }) => `${path} ${code}`)
    : (error as { readonly _tag: string })._tag
}

const setupError = async (more: Partial<Host.Options>) => {
  const failed = await Host.make({ ...options, ...more }).then(
    () => "it started",
    (error: unknown) => error
  )
  return failed instanceof Error ? failed.message : failed
}

describe("A host", () => {
  it("takes a registered seller from sign-in to stock through its web handler, and background work processes its products", async () => {
    const host = await furnished({ workers: false })
    const token = await tokenOf(host)
    const created = await send(
      host,
      "POST",
      "/v3/catalog/product",
      { template: "apparel", products: [productInput("T")] },
      token
    )
    strictEqual(created.status, 200, JSON.stringify(created.body))
    const stock = [{ location_id: "BLR1", sku: "T-S", quantity: 5 }]
    deepStrictEqual(await host.once(), {
      notifications: [],
      eventWebhooks: [],
      billing: [],
      idempotency: []
    })
    strictEqual((await send(host, "PUT", "/ims/v3/inventory", stock, token)).body.data.failed_count, 0)
    const levels = await host.services.inventory.listings(
      { principal: integration("acme"), requestId: null },
      ["T-S"],
      { size: 10, number: 1 }
    )
    assertTrue(levels.ok)
    deepStrictEqual(
      levels.value.map(({ sku }) => sku),
      ["T-S"]
    )
    deepStrictEqual(await host.run(Effect.flatMap(Inventory.Inventory, ({ verify }) => verify(acme))), [])
  })

  it("on a database file has the same companies after a restart, and its storage is closed when it is disposed of", async () => {
    const folder = mkdtempSync(join(tmpdir(), "host-"))
    const storage = Layer.provide(StorageSql.layer, BetterSqlite3.layer(join(folder, "shop.db")))
    const first = await Host.make({ ...options, storage })
    await first.services.companies.register(setup, { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
    await first.dispose()
    const second = await Host.make({ ...options, storage })
    const found = await second.services.companies.find(acme)
    deepStrictEqual(found, {
      ok: true,
      value: {
        company: { id: acme, name: "Acme", legalName: "Acme Ltd" },
        locations: [{ ...location, companyId: acme }]
      }
    })
    await second.dispose()
    // SQLite deletes it when the last connection is closed.
    strictEqual(existsSync(join(folder, "shop.db-wal")), false)
    rmSync(folder, { recursive: true })
  })

  it("serves only the interfaces that it is asked for", async () => {
    const host = await start({ interfaces: ["seller"] })
    strictEqual((await send(host, "POST", "/aggregator/v1/token", {})).status, 400)
    strictEqual((await send(host, "POST", "/auth/bazaar/token", {})).status, 404)
    strictEqual((await send(host, "GET", "/metrics")).status, 404)
    strictEqual((await send(host, "GET", "/health/ready")).status, 200)
  })

  it("shows metrics and documents when it is asked to", async () => {
    const host = await start({ admin: true })
    strictEqual((await send(host, "GET", "/openapi/seller.json")).status, 200)
  })

  it("mounted under a prefix answers its paths below it alone, with their own 404 and 405", async () => {
    const host = await start({ prefix: "/partner", publicUrl: "https://shop.example/partner" })
    strictEqual((await send(host, "GET", "/partner/health/live")).status, 200)
    strictEqual((await send(host, "GET", "/health/live")).status, 404)
    strictEqual((await send(host, "GET", "/partnerships/health/live")).status, 404)
    const wrong = await send(host, "GET", "/partner/ims/v3/inventory")
    deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "PUT"])
    const missing = await send(host, "GET", "/partner/nothing")
    strictEqual(missing.status, 404)
    assertTrue(missing.body.message.includes("/partner/nothing"), missing.body.message)
  })

  it("mounted under a prefix leads from its root to a page of its own", async () => {
    const host = await start({ admin: true, prefix: "/partner", publicUrl: "https://shop.example/partner" })
    for (const root of ["/partner", "/partner/"]) {
      const { headers, status } = await send(host, "GET", root)
      const page = new URL(headers.get("location") ?? "", `https://shop.example${root}`)
      deepStrictEqual([status, page.href], [302, "https://shop.example/partner/docs"])
    }
    strictEqual((await send(await start({ admin: true }), "GET", "/")).headers.get("location"), "/docs")
  })

  it("accepts the callers that its own sign-in knows, and no tokens, on that interface", async () => {
    const seller = async (request: Request) =>
      request.headers.get("cookie") === "session=42" ? integration("acme") : undefined
    const host = await furnished({ signIn: { seller } })
    strictEqual((await send(host, "GET", "/ims/v3/listings", undefined, { cookie: "session=42" })).status, 200)
    const rejected = await send(host, "GET", "/ims/v3/listings", undefined, await tokenOf(host))
    deepStrictEqual([rejected.status, rejected.body.code], [401, "TOKEN_INVALID"])
  })

  it("accepts nobody of a closed company, even if its own sign-in knows them", async () => {
    const client = { kind: "platform_client", id: "office", companyId: acme, scopes: ["company/audit/read"] } as const
    const host = await furnished({ signIn: { seller: async () => integration("acme"), platform: async () => client } })
    const paths = ["/ims/v3/listings", `/service/platform/audit-trail/v1.0/company/${acme}/entity-types`]
    const statuses = async () => {
      const answers = await Promise.all(paths.map((path) => send(host, "GET", path)))
      return answers.map(({ status }) => status)
    }
    strictEqual((await host.services.companies.close(setup, acme)).ok, true)
    deepStrictEqual(await statuses(), [401, 401])
    strictEqual((await host.services.companies.reopen(setup, acme)).ok, true)
    deepStrictEqual(await statuses(), [200, 200])
  })

  it("counts failed sign-ins by the address that the program gives", async () => {
    const host = await furnished()
    const from = (address: string, username: string, tried?: string) =>
      signIn(host, username, { "x-address": address }, tried)
    for (let nth = 0; nth < 10; nth++) await from("198.51.100.7", `guess-${nth}`, "wrong")
    strictEqual((await from("198.51.100.7", "acme")).status, 429)
    strictEqual((await from("203.0.113.9", "acme")).status, 200)
  })

  it("never shows credentials of a URL in a log, a trace or an answer", async () => {
    const logged: Array<string> = []
    const logger = Logger.layer([
      Logger.make((entry) => logged.push(JSON.stringify(Logger.formatStructured.log(entry))))
    ])
    const host = await furnished({ observability: logger })
    const answer = await send(
      host,
      "GET",
      `/aggregator/v1/token?username=acme&password=${encodeURIComponent(password)}`
    )
    strictEqual(answer.status, 200)
    assertTrue(logged.some((line) => line.includes("/aggregator/v1/token")))
    deepStrictEqual(
      logged.filter((line) => /correct|horse/.test(line)),
      []
    )
  })

  it("shows no credentials after a separator that is escaped, however often, in a log or a trace", async () => {
    const shown: Array<string> = []
    const logger = Logger.make((entry) => shown.push(JSON.stringify(Logger.formatStructured.log(entry))))
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const note = span.attribute.bind(span)
        span.attribute = (key, value) => {
          shown.push(`${key} ${value}`)
          note(key, value)
        }
        shown.push(span.name)
        return span
      }
    })
    const traced = Layer.merge(Logger.layer([logger]), Layer.succeed(Tracer.Tracer, tracer))
    const host = await furnished({ observability: traced })
    const separators =
      "? & ; # / , %3F %3f %3B %23 %26 %2%36 %253F %25253f %25%33%46 %EF%BC%9F /acme:canary@host/".split(" ")
    for (const separator of separators)
      for (const [equals, name] of [
        ["=", "password"],
        ["%3D", "pass%77ord"]
      ])
        for (const path of ["/aggregator/v1/token", "/aggregator/v1/tokens", "/ims/v3/listings", "/auth/token/x"]) {
          const url = `${path}${separator}username${equals}acme&${name}${equals}canary`
          const answer = await send(host, "GET", url)
          strictEqual(JSON.stringify(answer.body).includes("canary"), false, url)
        }
    assertTrue(shown.some((line) => line.includes("/aggregator/v1/token")))
    deepStrictEqual(
      shown.filter((line) => line.includes("canary")),
      []
    )
  })

  it("takes no credentials from the header that only the host itself may set", async () => {
    const host = await furnished()
    const header = { [Edge.credentialsHeader]: `username=acme&password=${encodeURIComponent(password)}` }
    strictEqual((await send(host, "GET", "/aggregator/v1/token", undefined, header)).status, 400)
  })

  it("without workers warns of what doesn't happen, by name, and runs them when asked", async () => {
    const logged: Array<unknown> = []
    const host = await start({
      workers: false,
      observability: Logger.layer([Logger.make(({ message }) => logged.push(message))])
    })
    const warning = String(logged[0])
    for (const name of ["notifications", "eventWebhooks", "billing", "idempotency"])
      assertTrue(warning.includes(name), warning)
    deepStrictEqual((await send(host, "GET", "/health/ready")).body.workers, [])
    await Promise.all([host.runWorkers(), host.runWorkers()])
    const { workers } = (await send(host, "GET", "/health/ready")).body
    deepStrictEqual(workers.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`).sort(), [
      "billing working",
      "event webhooks working",
      "idempotency working",
      "notifications working"
    ])
  })

  it("doesn't start with settings that can't work, and says what to change", async () => {
    const short = await setupError({ tokenSecret: Redacted.make("short") })
    assertTrue(String(short).startsWith("tokenSecret must have at least 32 bytes"), String(short))
    const weak = await setupError({ secrets: { key: Redacted.make("a password") } })
    assertTrue(String(weak).startsWith("secrets.key must be 32 bytes as hex or Base64"), String(weak))
    const unlike = { key: Redacted.make("0f".repeat(32)), previous: Redacted.make("0f") }
    assertTrue(String(await setupError({ secrets: unlike })).startsWith("secrets.previous must be 32 bytes"))
    assertTrue(String(await setupError({ publicUrl: "shop.example" })).startsWith("publicUrl must be"))
    assertTrue(String(await setupError({ prefix: "partner" })).startsWith("prefix must be a path"))
    for (const name of ["storage", "runtime", "payments", "publicUrl", "addressOf"]) {
      const message = String(await setupError({ [name]: undefined }))
      assertTrue(message.startsWith(`${name} must be a`) || message.startsWith(`${name} must be the`), message)
    }
    strictEqual(
      await setupError({ interfaces: ["sellers" as never] }),
      "interfaces has sellers: use seller, marketplace, platform, operator"
    )
    assertTrue(
      String(await setupError({ prefix: "/partner" })).startsWith("publicUrl must end with the prefix /partner")
    )
    const storage = Layer.provide(StorageSql.layer, BetterSqlite3.layer("/nowhere/at/all/shop.db"))
    assertTrue(String(await setupError({ storage: Layer.orDie(storage) })).includes("directory does not exist"))
  })

  it("without a secret of its own keeps one in the database, with which another host on it accepts the tokens", async () => {
    const folder = mkdtempSync(join(tmpdir(), "host-"))
    const storage = Layer.provide(StorageSql.layer, BetterSqlite3.layer(join(folder, "shop.db")))
    const { tokenSecret: _, ...unsigned } = options
    const [first, second] = [await Host.make({ ...unsigned, storage }), await Host.make({ ...unsigned, storage })]
    await first.services.companies.register(setup, { id: acme, name: "Acme", legalName: "Acme Ltd" }, [location])
    await first.services.accounts.register(setup, integration("acme"), password)
    const token = await tokenOf(first)
    strictEqual((await send(second, "GET", "/ims/v3/listings", undefined, token)).status, 200)
    await Promise.all([first.dispose(), second.dispose()])
    rmSync(folder, { recursive: true })
  })

  it("calls a defect of a service a rejected promise, not an outcome", async () => {
    const storage = Layer.effect(
      Directory,
      Effect.map(Directory, (directory) => ({ ...directory, company: () => Effect.die(new Error("a bug")) }))
    ).pipe(Layer.provideMerge(StorageMemory.layer))
    const { services } = await start({ storage })
    const failed = await services.companies.find(acme).catch((error: unknown) => error)
    assertTrue(failed instanceof Error && failed.message === "a bug", String(failed))
  })
})

describe("Companies", () => {
  const place = { address1: "1 Road", address2: null, city: "Bengaluru", state: "Karnataka", pincode: "560001" }
  const road = { ...place, country: "India", phone: null, gstin: null }

  it("are rejected with everything that is wrong, and nothing is registered", async () => {
    const { companies } = (await start()).services
    const wrong = [
      location,
      { ...location, name: "", currency: "XXX?", handlingHours: 0 },
      { ...location, code: "a/b" },
      { ...location, code: "B", handlingHours: 8_761 },
      {
        ...location,
        code: "C",
        address: { ...road, address1: "1\u0000 Road", city: "\ud800", phone: "1".repeat(2001) }
      }
    ]
    deepStrictEqual(codes(await companies.register(setup, { id: acme, name: " ", legalName: "Acme Ltd" }, wrong)), [
      "/name INVALID_VALUE",
      "/locations/1/code DUPLICATE_RECORD",
      "/locations/1/name INVALID_VALUE",
      "/locations/1/currency INVALID_CURRENCY",
      "/locations/1/handlingHours INVALID_VALUE",
      "/locations/2/code INVALID_VALUE",
      "/locations/3/handlingHours INVALID_VALUE",
      "/locations/4/address/address1 INVALID_VALUE",
      "/locations/4/address/city INVALID_VALUE",
      "/locations/4/address/phone INVALID_VALUE"
    ])
    deepStrictEqual(await companies.find(acme).then(codes), "UnknownCompany")
  })

  it("have GSTINs in capitals without blanks around them, or are rejected", async () => {
    const { companies } = (await start()).services
    const at = (gstin: string) => ({ ...location, address: { ...road, gstin } })
    const named = { id: acme, name: "Acme", legalName: "Acme Ltd" }
    deepStrictEqual(codes(await companies.register(setup, named, [at("29 AAAAA0000A1Z5")])), [
      "/locations/0/address/gstin INVALID_VALUE"
    ])
    strictEqual((await companies.register(setup, named, [at(" 29aaaaa0000a1z5 ")])).ok, true)
    const found = await companies.find(acme)
    assertTrue(found.ok)
    strictEqual(found.value.locations[0]?.address?.gstin, "29AAAAA0000A1Z5")
  })

  it("can change their names and locations, but not the currency that prices and orders are in", async () => {
    const { companies } = (await furnished()).services
    const renamed = { id: acme, name: "Acme Retail", legalName: "Acme Ltd" }
    strictEqual((await companies.register(setup, renamed, [{ ...location, name: "Whitefield" }])).ok, true)
    deepStrictEqual(codes(await companies.register(setup, renamed, [{ ...location, currency: "USD" }])), [
      "/locations/0/currency CURRENCY_MISMATCH"
    ])
    const found = await companies.find(acme)
    assertTrue(found.ok)
    deepStrictEqual([found.value.company.name, found.value.locations[0]?.name], ["Acme Retail", "Whitefield"])
  })
})

describe("Accounts", () => {
  it("can't be registered before their company, which the error says how to do", async () => {
    const { accounts } = (await start()).services
    const outcome = await accounts.register(setup, integration("acme"), password)
    assertTrue(!outcome.ok)
    strictEqual(outcome.error.message, "Company 1 is not registered: call Companies.register first.")
  })

  it("are rejected for a short password, an unknown location or scope, and a username of another company", async () => {
    const { accounts, companies } = (await furnished()).services
    await companies.register(setup, { id: globex, name: "Globex", legalName: "Globex Ltd" }, [])
    const some = { ...integration("acme-blr1"), locations: ["BLR1", "BOM1"] }
    deepStrictEqual(codes(await accounts.register(setup, some, "short")), [
      "/locations/1 UNKNOWN_LOCATION",
      "/password INVALID_VALUE"
    ])
    const client = { kind: "platform_client", id: "a:b", companyId: acme, scopes: ["company/everything"] } as const
    deepStrictEqual(codes(await accounts.register(setup, client, password)), [
      "/id INVALID_VALUE",
      "/scopes/0 INVALID_VALUE"
    ])
    deepStrictEqual(codes(await accounts.register(setup, integration("acme", globex), password)), [
      "/id USERNAME_TAKEN"
    ])
  })

  it("sign in with a new password alone, and not at all while they are disabled", async () => {
    const host = await furnished()
    const { accounts } = host.services
    const key = { kind: "integration", companyId: acme, username: "acme" } as const
    deepStrictEqual(codes(await accounts.setPassword(setup, key, "short")), ["/password INVALID_VALUE"])
    strictEqual((await accounts.setPassword(setup, key, "a newer password")).ok, true)
    deepStrictEqual(
      [(await signIn(host, "acme")).status, (await signIn(host, "acme", {}, "a newer password")).status],
      [401, 200]
    )
    strictEqual((await accounts.setEnabled(setup, key, false)).ok, true)
    strictEqual((await signIn(host, "acme", {}, "a newer password")).status, 401)
    // Other locations or another password are no reason to let it sign in.
    strictEqual((await accounts.register(setup, integration("acme", acme), "a newer password")).ok, true)
    strictEqual((await signIn(host, "acme", {}, "a newer password")).status, 401)
    strictEqual((await accounts.setEnabled(setup, key, true)).ok, true)
    strictEqual((await signIn(host, "acme", {}, "a newer password")).status, 200)
    deepStrictEqual(codes(await accounts.setEnabled(setup, { ...key, companyId: globex }, false)), "UnknownAccount")
  })

  it("leave each change in the company's audit trail, and never a password", async () => {
    const host = await furnished()
    const { accounts, auditTrail } = host.services
    const key = { kind: "integration", companyId: acme, username: "acme" } as const
    await accounts.setEnabled(setup, key, true)
    await accounts.setEnabled(setup, key, false)
    const text = JSON.stringify(await host.run(Stream.runCollect(auditTrail.records(acme))))
    for (const action of ["create", "register", "disable"]) assertTrue(text.includes(action), text)
    strictEqual(/correct horse|\$scrypt/.test(text), false)
  })
})
