/** The operator interface: every operation, who may call it, its rejections, and what it records. */
import { randomBytes } from "node:crypto"
import { Directory } from "@crossdock/access"
import { Findings, type Host, orThrow } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger, References } from "effect"
import * as DocumentedAnswers from "../../http/test/DocumentedAnswers.ts"
import { acme, start } from "./Shop.ts"

const password = "correct horse battery"
const base = "/operator/v1"
const secret = `whsec_${randomBytes(24).toString("base64")}`

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
type Body = Readonly<Record<string, any>>
type Sent = { readonly status: number; readonly body: Body; readonly headers: Headers }

const found = [{ check: "clock", state: "ok", says: "right", todo: null }] as const

const hostOf = async (more: Partial<Host.Options> = {}) => {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ fiber, message }) => {
    lines.push(message, JSON.stringify(fiber.getRef(References.CurrentLogAnnotations)))
  })
  const { host } = await start({
    signIn: {},
    interfaces: ["seller", "marketplace", "platform", "operator"],
    observability: Layer.merge(Logger.layer([logger]), Layer.succeed(Findings, Effect.succeed(found))),
    ...more
  })
  await orThrow(host.services.accounts.putOperator("asha", { password }))
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" }
    const answer = await host.handler(
      new Request(`https://shop.example${path}`, {
        method,
        headers: { ...type, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await answer.text()
    const given = { status: answer.status, headers: Object.fromEntries(answer.headers), text }
    deepStrictEqual(DocumentedAnswers.faults(method, path, given), [])
    assertTrue(!text.includes(password) && !text.includes(secret), `${method} ${path} answers with a secret`)
    return { status: answer.status, body: JSON.parse(text), headers: answer.headers } as Sent
  }
  const { body } = await send("POST", `${base}/token`, { username: "asha", password })
  const authorization = `Bearer ${body.access_token}`
  const as = (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) =>
    send(method, `${base}${path}`, sent, { authorization, ...headers })
  const done = async (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) => {
    const answer = await as(method, path, sent, headers)
    strictEqual(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  return { host, send, as, done, lines, authorization, token: body.access_token as string }
}

type Shop = Awaited<ReturnType<typeof hostOf>>

const location = { code: "NGT1", name: "Night Market 1", currency: "INR" }
const bakery = { name: "Night Bakery", legalName: "Night Bakery Private Limited" }
const market = {
  name: "Night Market",
  currency: "INR",
  locations: [{ companyId: 7, location: "NGT1", code: "N-1" }],
  webhook: { url: "https://market.example/hook", secret }
}
const plan = { name: "Pro", price: 499.5, currency: "INR", interval: "month" }

const errorsOf = ({ body, status }: Sent) => [
  status,
  body.code,
  (body.errors ?? []).map(({ code, path }: Body) => `${path} ${code}`)
]

describe("The operator interface", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await hostOf()
  })
  afterAll(() => shop.host.dispose())

  /** The newest records of a company's trail: what was done, and by whom. */
  const trailOf = async (company: number, limit: number) => {
    const caller = { principal: { kind: "platform_client", id: "x", companyId: CompanyId.make(company), scopes: [] } }
    const search = { filter: { words: [], pairs: [], from: null, to: null }, limit, after: null, descending: true }
    const { records } = await orThrow(
      shop.host.services.auditTrail.search({ ...caller, requestId: null } as never, search as never)
    )
    return records.map(({ entity, recorded_by }) => `${entity.type} ${entity.id} ${entity.action} by ${recorded_by.id}`)
  }

  it("adds, changes, closes and lists companies, recorded with the operator's name", async () => {
    const { done } = shop
    const added = await done("PUT", "/companies/7", { ...bakery, locations: [location] })
    const read = { ...location, handlingHours: 24, address: null }
    deepStrictEqual(added, { id: 7, ...bakery, locations: [read] })
    await done("PUT", "/companies/7", { ...bakery, name: "Late Bakery" })
    const { items, total } = await done("GET", "/companies?pageSize=1&pageNumber=2")
    deepStrictEqual([items, total], [[{ id: 7, ...bakery, name: "Late Bakery" }], 2])
    deepStrictEqual(await done("PUT", "/companies/7/closed", { closed: true }), { marketplaces: [], agreements: 0 })
    assertTrue((await done("GET", "/companies/7")).closedAt.length > 0)
    await done("PUT", "/companies/7/closed", { closed: false })
    deepStrictEqual(await trailOf(7, 4), [
      "company 7 reopen by operator:asha",
      "company 7 close by operator:asha",
      "company 7 update by operator:asha",
      "company 7 create by operator:asha"
    ])
    const { broken, records, sequence } = await done("GET", "/companies/7/audit-chain")
    deepStrictEqual([broken, records, sequence], [null, 4, 4])
  })

  it("adds accounts, disables them and sets their passwords", async () => {
    const { done, send } = shop
    const seller = { companyId: 7, password, locations: ["NGT1"], policy: "adjust" }
    const view = { username: "bakery", enabled: true, companyId: 7, locations: ["NGT1"], stockPolicy: "adjust" }
    const shown = { ...view, kind: "seller", integrationId: "bakery" }
    deepStrictEqual(await done("PUT", "/accounts/seller/bakery", seller), shown)
    await done("PUT", "/accounts/client/office", { companyId: 7, password, scopes: ["company/audit/read"] })
    deepStrictEqual((await done("GET", "/accounts?kind=seller&companyId=7")).items, [shown])
    const signIn = (sent: string) => send("POST", "/aggregator/v1/token", { username: "bakery", password: sent })
    strictEqual((await signIn(password)).status, 200)
    strictEqual((await done("PATCH", "/accounts/seller/bakery", { enabled: false })).enabled, false)
    strictEqual((await signIn(password)).status, 401)
    await done("PATCH", "/accounts/seller/bakery", { enabled: true, password: `${password}!` })
    deepStrictEqual([(await signIn(password)).status, (await signIn(`${password}!`)).status], [401, 200])
    deepStrictEqual(await trailOf(7, 5), [
      "account bakery enable by operator:asha",
      "account bakery set_password by operator:asha",
      "account bakery disable by operator:asha",
      "account office register by operator:asha",
      "account bakery register by operator:asha"
    ])
  })

  it("registers marketplaces, and keeps what is absent", async () => {
    const { as, done } = shop
    deepStrictEqual(errorsOf(await as("PUT", "/marketplaces/night", market)), [
      400,
      "VALIDATION_FAILED",
      ["/password INVALID_VALUE"]
    ])
    const added = await done("PUT", "/marketplaces/night", { ...market, password })
    const view = { slug: "night", skus: null, buffers: [], enabled: true, webhook: "https://market.example/hook" }
    deepStrictEqual(added, { ...view, name: market.name, currency: "INR", locations: market.locations })
    // What is absent stays.
    await done("PUT", "/marketplaces/night", { ...market, webhook: { url: "https://market.example/other" } })
    strictEqual((await done("GET", "/marketplaces/night")).webhook, "https://market.example/other")
    deepStrictEqual((await done("GET", "/marketplaces")).total, 2)
    strictEqual((await done("PATCH", "/accounts/marketplace/night", { enabled: false })).enabled, false)
    await done("PATCH", "/accounts/marketplace/night", { enabled: true, password })
    await done("PUT", "/marketplaces/night", market)
  })

  it("shows deliveries with their bodies, retries them, and resends dead letters", async () => {
    const { done, host } = shop
    const setup = host.system("setup")
    const endpoint = { url: "https://erp.example/events", secret, types: ["company.registered"], cursor: 0 }
    const erp = { companyId: CompanyId.make(7), id: "erp" }
    await orThrow(host.services.eventEndpoints.register(setup, { ...erp, ...endpoint }))
    const { body } = await done("GET", "/companies/7/deliveries/endpoint/erp")
    deepStrictEqual([body[0].type, body[0].data.isNew], ["company.registered", true])
    const { items } = await done("GET", "/companies/7/deliveries")
    deepStrictEqual(
      items.map(({ kind, receiver, state }: Body) => [kind, receiver, state]),
      [
        ["marketplace", "night", "accepted"],
        ["endpoint", "erp", "pending"]
      ]
    )
    const stateOf = async () => (await done("GET", "/companies/7/deliveries/endpoint/erp")).state
    await orThrow(host.services.eventEndpoints.disable(setup, erp))
    strictEqual(await stateOf(), "disabled")
    await done("POST", "/companies/7/deliveries/endpoint/erp/wake")
    strictEqual(await stateOf(), "pending")
    // Rejected three days ago, and not yet tried again.
    const companyId = CompanyId.make(7)
    const at = Date.now()
    const letter = { failures: 9, since: at - 1, at, failure: "answered with status 500" }
    const event = { companyId, number: 1, change: 1, at, type: "company.registered", version: 1, data: {} }
    const stock = {
      sku: "T-S",
      location: "NGT1",
      eventId: "e1",
      code: "N-1",
      quantity: 7,
      changeNumber: 1,
      sequence: 1
    }
    await host.run(
      Effect.gen(function* () {
        const endpoints = yield* EventEndpointStore
        yield* endpoints.putDeadLetter({ companyId, endpoint: "erp", id: "msg_1", events: [event], ...letter })
        const erp = yield* endpoints.find({ companyId, id: "erp" })
        const outstanding = {
          webhookId: "msg_9",
          failures: 3,
          since: at,
          nextAt: at + 3_600_000,
          failure: "x",
          upTo: 1
        }
        if (erp !== undefined) yield* endpoints.save({ ...erp, outstanding })
        const notifications = yield* NotificationStore
        const events = [{ ...stock, occurredAt: at }]
        yield* notifications.addDeadLetter({ companyId, marketplace: "night", id: "msg_2", events, ...letter })
      })
    )
    const { nextAt, state } = await done("GET", "/companies/7/deliveries/endpoint/erp")
    deepStrictEqual([state, Date.parse(nextAt) - at], ["rejected", 3_600_000])
    await done("POST", "/companies/7/deliveries/endpoint/erp/wake")
    assertTrue(Date.parse((await done("GET", "/companies/7/deliveries/endpoint/erp")).nextAt) <= Date.now())
    await done("POST", "/companies/7/deliveries/marketplace/night/wake")
    const letters = (await done("GET", "/companies/7/dead-letters")).items
    deepStrictEqual(
      letters.map(({ body: [sent], id, receiver }: Body) => [receiver, id, sent.type]),
      [
        ["night", "msg_2", "inventory.updated"],
        ["erp", "msg_1", "company.registered"]
      ]
    )
    await done("POST", "/companies/7/dead-letters/endpoint/erp/msg_1/resend")
    await done("POST", "/companies/7/dead-letters/marketplace/night/msg_2/resend")
    deepStrictEqual(
      (await done("GET", "/companies/7/dead-letters")).items.map(({ id }: Body) => id),
      ["msg_1"]
    )
    deepStrictEqual(await trailOf(7, 3), [
      "marketplace night resend by operator:asha",
      "event_endpoint erp resend by operator:asha",
      "event_endpoint erp wake by operator:asha"
    ])
  })

  it("adds, changes, disables, enables and removes endpoints, in the operator's name", async () => {
    const { as, done } = shop
    const path = "/companies/7/endpoints/search"
    const url = "https://search.example/events"
    const seen = ({ receiver, state, types, url }: Body) => [receiver, url, types, state]
    const after = async (method: string, at: string, sent?: object): Promise<Body> => {
      deepStrictEqual(await done(method, at, sent), { endpoint: "search" })
      return done("GET", "/companies/7/deliveries/endpoint/search")
    }
    const added = await after("PUT", path, { url, secret, types: ["order.placed"] })
    deepStrictEqual([added.kind, ...seen(added)], ["endpoint", "search", url, ["order.placed"], "accepted"])
    deepStrictEqual(seen(await after("PUT", path, { url })), ["search", url, null, "accepted"])
    deepStrictEqual(seen(await after("PUT", path, { url, cursor: 0 })), ["search", url, null, "pending"])
    strictEqual((await after("PUT", `${path}/enabled`, { enabled: false })).state, "disabled")
    strictEqual((await after("PUT", `${path}/enabled`, { enabled: true })).state, "pending")
    for (const [sent, fault] of [
      [{ url: "ftp://x" }, "/url INVALID_VALUE"],
      [{ url, secret: "short" }, "/secret INVALID_VALUE"],
      [{ url, types: ["order.eaten"] }, "/types/0 INVALID_VALUE"],
      [{ url, cursor: 1_000_000 }, "/cursor OUT_OF_RANGE"]
    ] as const)
      deepStrictEqual(errorsOf(await as("PUT", path, sent)), [400, "VALIDATION_FAILED", [fault]])
    const lacksSecret = await as("PUT", "/companies/7/endpoints/second", { url })
    deepStrictEqual(errorsOf(lacksSecret), [400, "VALIDATION_FAILED", ["/secret INVALID_VALUE"]])
    deepStrictEqual(await done("DELETE", path), { endpoint: "search" })
    strictEqual((await as("GET", "/companies/7/deliveries/endpoint/search")).status, 404)
    deepStrictEqual(
      (await trailOf(7, 3)).map((line) => line.split(" by ").at(1)),
      ["operator:asha", "operator:asha", "operator:asha"]
    )
  })

  it("keeps the price list, brands and the host's findings", async () => {
    const { done } = shop
    const added = await done("PUT", "/plans/pro", plan)
    deepStrictEqual(
      [added.id, added.price, added.trialDays, added.isActive, added.limits.team.limit],
      ["pro", 499.5, 0, true, -1]
    )
    strictEqual((await done("PUT", "/plans/pro/enabled", { enabled: false })).isActive, false)
    strictEqual((await done("GET", "/plans")).items[0].isActive, false)
    const all = {
      percent: null,
      amount: null,
      currency: null,
      plans: null,
      from: null,
      until: null,
      uses: null,
      used: 0
    }
    const tenth = { code: "TEN", ...all, percent: 10, plans: ["pro"], until: "2030-01-01T00:00:00.000Z", uses: 5 }
    const fixed = { code: "FIFTY", ...all, amount: 50.5, currency: "INR" }
    deepStrictEqual(
      [
        await done("PUT", "/coupons/TEN", { percent: 10, plans: ["pro"], until: "2030-01-01", uses: 5 }),
        await done("PUT", "/coupons/FIFTY", { amount: 50.5, currency: "INR" })
      ],
      [tenth, fixed]
    )
    deepStrictEqual(
      (await done("GET", "/coupons")).items.toSorted((a: Body, b: Body) => (a.code < b.code ? 1 : -1)),
      [tenth, fixed]
    )
    await done("PUT", "/coupons/TEN", { ...tenth, until: "2020-01-01" })
    deepStrictEqual((await done("GET", "/coupons")).items.map(({ until }: Body) => until).sort(), [
      "2020-01-01T00:00:00.000Z",
      null
    ])
    const brands = await done("PUT", "/companies/7/brands", { brands: [{ uid: 70, name: "Crumb" }] })
    deepStrictEqual([brands, await done("GET", "/companies/7/brands")], [brands, brands])
    deepStrictEqual(brands, { brands: [{ uid: 70, name: "Crumb" }] })
    deepStrictEqual(await done("GET", "/findings"), { items: found, total: 1 })
  })

  it("adds sellers in bulk: the valid ones, with and without an Idempotency-Key", async () => {
    const { done, send } = shop
    const sellerOf = (id: number, more: object = {}) => ({
      ...{ id, name: `Seller ${id}`, legalName: `Seller ${id} Ltd`, locations: [location] },
      ...{ username: `seller-${id}`, password, ...more }
    })
    const sent = [
      sellerOf(20),
      sellerOf(21, { password: "short" }),
      { id: 22 },
      sellerOf(23, { username: "bakery" }),
      sellerOf(20),
      sellerOf(24)
    ]
    for (const key of [undefined, "bulk-1", "bulk-1"]) {
      const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key }
      const { errors, failedCount, status, successCount } = await done("PUT", "/sellers", sent, headers)
      deepStrictEqual([status, successCount, failedCount], ["PARTIAL_SUCCESS", 2, 4])
      deepStrictEqual(
        errors.map(({ code, id, index, path }: Body) => [index, code, path, id]),
        [
          [1, "INVALID_VALUE", "/1/password", 21],
          [2, "INVALID_RECORD", "/2/name", 22],
          [3, "USERNAME_TAKEN", "/3/username", 23],
          [4, "DUPLICATE_RECORD", "/4/id", 20]
        ]
      )
    }
    const signedIn = await send("POST", "/aggregator/v1/token", { username: "seller-24", password })
    strictEqual(signedIn.status, 200)
    deepStrictEqual(await trailOf(24, 9), [
      "company 24 update by operator:asha",
      "account seller-24 register by operator:asha",
      "company 24 create by operator:asha"
    ])
    const { items } = await done("GET", "/companies?pageSize=100")
    deepStrictEqual(
      items.map(({ id }: Body) => id).filter((id: number) => id >= 20),
      [20, 24]
    )
    // Equal passwords of a bulk with a key, hashed before its transaction, have salts of their own.
    const again = [sellerOf(30), sellerOf(31), sellerOf(32, { generated: true })]
    strictEqual((await done("PUT", "/sellers", again, { "idempotency-key": "bulk-2" })).successCount, 3)
    const accounts = await shop.host.run(Effect.flatMap(Directory, (directory) => directory.accounts("integration")))
    const hashes = accounts.filter(({ username }) => /^seller-3[012]$/.test(username)).map((one) => one.passwordHash)
    strictEqual(new Set(hashes).size, 3)
  })

  it("rejects what the services reject, with the field's path, and names lists of what there is", async () => {
    const { as } = shop
    const notFound = [404, "NOT_FOUND", []]
    for (const [method, path, sent] of [
      ["GET", "/companies/99"],
      ["GET", "/companies/99/deliveries"],
      ["GET", "/companies/99/audit-chain"],
      ["PUT", "/companies/99/closed", { closed: true }],
      ["PUT", "/companies/99/brands", { brands: [] }],
      ["PATCH", "/accounts/seller/nobody", { enabled: true }],
      ["GET", "/marketplaces/none"],
      ["GET", "/companies/7/deliveries/endpoint/none"],
      ["POST", "/companies/7/dead-letters/marketplace/night/msg_0/resend"],
      ["POST", "/companies/7/deliveries/endpoint/none/wake"],
      ["PUT", "/plans/none/enabled", { enabled: true }],
      ["PUT", "/companies/7/endpoints/none/enabled", { enabled: true }],
      ["PUT", "/companies/99/endpoints/erp", { url: "https://erp.example", secret }],
      ["DELETE", "/companies/7/endpoints/none"]
    ] as const) {
      const answer = await as(method, path, sent)
      deepStrictEqual([path, ...errorsOf(answer)], [path, ...notFound])
    }
    for (const [method, path, sent, fault] of [
      [
        "PUT",
        "/companies/7",
        { ...bakery, locations: [{ ...location, currency: "USD" }] },
        "/locations/0/currency CURRENCY_MISMATCH"
      ],
      ["PUT", "/companies/0", bakery, "/company_id OUT_OF_RANGE"],
      ["PUT", "/companies/7", { name: 7, legalName: "x" }, "/name INVALID_TYPE"],
      ["PUT", "/accounts/seller/acme:1", { companyId: 7, password }, "/username INVALID_VALUE"],
      ["PUT", "/accounts/client/c", { companyId: 7, password, scopes: ["x"] }, "/scopes/0 INVALID_VALUE"],
      ["PUT", "/plans/pro", { ...plan, price: 1.234 }, "/price TOO_MANY_DECIMALS"],
      ["PUT", "/coupons/TEN", { percent: 100.5 }, "/percent INVALID_VALUE"],
      ["PUT", "/coupons/TEN", { amount: 1 }, "/percent INVALID_VALUE"],
      ["PUT", "/coupons/TEN", { percent: 1, plans: ["none"] }, "/plans/0 INVALID_VALUE"],
      ["PUT", "/coupons/TEN", { percent: 1, until: "tomorrow" }, "/until INVALID_VALUE"],
      ["PUT", "/coupons/T%20EN", { percent: 1 }, "/code INVALID_VALUE"],
      ["PUT", "/companies/7/brands", { brands: [{ uid: 1, name: "" }] }, "/brands/0/name REQUIRED"],
      ["GET", "/accounts?kind=operator", undefined, "/kind INVALID_VALUE"]
    ] as const)
      deepStrictEqual([path, ...errorsOf(await as(method, path, sent))], [path, 400, "VALIDATION_FAILED", [fault]])
  })

  it("gives a repeated Idempotency-Key the first answer, whatever the password", async () => {
    const { as } = shop
    const key = { "idempotency-key": "account-1" }
    const put = (sent: object) => as("PUT", "/accounts/seller/twice", sent, key)
    strictEqual((await put({ companyId: 7, password })).headers.get("idempotent-replayed"), null)
    strictEqual((await put({ companyId: 7, password: `${password}?` })).headers.get("idempotent-replayed"), "true")
    strictEqual((await put({ companyId: 7, password, policy: "adjust" })).status, 422)
    const [first, second] = [password, `${password}?`].map((sent) =>
      shop.send("POST", "/aggregator/v1/token", { username: "twice", password: sent })
    )
    deepStrictEqual([(await first)?.status, (await second)?.status], [200, 401])
  })

  it("keeps nothing of a body with passwords that isn't JSON, so that nobody can guess them from what is stored", async () => {
    const { host, authorization } = shop
    const replayed = async (body: string) => {
      const headers = { authorization, "content-type": "application/json", "idempotency-key": "broken-1" }
      const sent = new Request(`https://shop.example${base}/sellers`, { method: "PUT", headers, body })
      const { headers: given, status } = await host.handler(sent)
      return [status, given.get("idempotent-replayed")]
    }
    deepStrictEqual(
      [await replayed('[{"password":"one"'), await replayed('[{"password":"two"')],
      [
        [400, null],
        [400, "true"]
      ]
    )
  })

  it("writes no password, secret or token into the log", () => {
    const log = JSON.stringify(shop.lines)
    assertTrue(log.includes("operator:asha"))
    for (const one of [password, secret, shop.token]) assertTrue(!log.includes(one))
  })

  it("has succeeded with every operation", () => {
    const missing = DocumentedAnswers.operationsOf("operator").filter(
      (id) => !DocumentedAnswers.compared.succeeded.has(id)
    )
    deepStrictEqual(missing, [])
  })
})

describe("An operator's token", () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await hostOf()
    const { accounts } = shop.host.services
    const setup = shop.host.system("setup")
    const seller = { kind: "integration", id: "acme", integrationId: "acme", companyId: acme } as const
    await orThrow(accounts.register(setup, { ...seller, locations: null, stockPolicy: "set" }, password))
    const scopes = ["company/finance/read", "company/audit/read", "company/finance/write", "company/audit/write"]
    await orThrow(accounts.register(setup, { kind: "platform_client", id: "ops", companyId: acme, scopes }, password))
  })
  afterAll(() => shop.host.dispose())

  const codeWith = async (headers: Record<string, string>, method = "GET", path = `${base}/companies`) => {
    const { body, status } = await shop.send(method, path, undefined, headers)
    return `${status} ${body.code}`
  }

  it("is the only one that is accepted", async () => {
    const { host, send } = shop
    const seller = (await send("POST", "/aggregator/v1/token", { username: "acme", password })).body.access_token
    const market = (await send("POST", "/auth/bazaar/token", { username: "bazaar", password })).body.access_token
    const basic = { authorization: `Basic ${btoa(`ops:${password}`)}` }
    const grant = { grant_type: "client_credentials" }
    const oauth = "/service/panel/authentication/v1.0/company/1/oauth/token"
    const platform = (await send("POST", oauth, grant, basic)).body.access_token
    const none = { ...basic, authorization: `Basic ${btoa(`asha:${password}`)}` }
    for (const token of [seller, market, platform]) {
      assertTrue(typeof token === "string")
      strictEqual(await codeWith({ authorization: `Bearer ${token}` }), "401 TOKEN_INVALID")
    }
    strictEqual(await codeWith(none), "401 TOKEN_INVALID")
    strictEqual(await codeWith({}), "401 TOKEN_MISSING")
    // Neither in a cookie nor in the sellers' header: no page of another site can send it.
    strictEqual(await codeWith({ cookie: `crossdock_operator=${shop.token}` }), "401 TOKEN_MISSING")
    strictEqual(await codeWith({ "x-access-token": shop.token }), "401 TOKEN_MISSING")
    // And it is good for no other interface.
    strictEqual(await codeWith({ "x-access-token": shop.token }, "GET", "/ims/v3/listings"), "401 TOKEN_INVALID")
    const logs = "/service/platform/audit-trail/v1.0/company/1/logs?qs=x"
    strictEqual(await codeWith({ authorization: `Bearer ${shop.token}` }, "GET", logs), "401 TOKEN_INVALID")
    const unsigned = `${shop.token.split(".").slice(0, 2).join(".")}.`
    strictEqual(await codeWith({ authorization: `Bearer ${unsigned}` }), "401 TOKEN_INVALID")
    assertTrue((await host.services.accounts.putOperator("x:y", { password })).ok === false)
  })

  it("can't be got with other accounts' credentials, by a form, or in the URL", async () => {
    const { host, send } = shop
    for (const username of ["acme", "ops", "bazaar", "nobody"]) {
      const { body } = await send("POST", `${base}/token`, { username, password })
      strictEqual(body.code, "CREDENTIALS_INVALID")
    }
    const form = (type: string) =>
      host.handler(
        new Request(`https://shop.example${base}/token`, {
          method: "POST",
          headers: { "content-type": type },
          body: `username=asha&password=${encodeURIComponent(password)}`
        })
      )
    for (const type of ["application/x-www-form-urlencoded", "text/plain"]) strictEqual((await form(type)).status, 415)
    const inUrl = await send("GET", `${base}/token?username=asha&password=${encodeURIComponent(password)}`)
    strictEqual(inUrl.status, 405)
    strictEqual(inUrl.headers.get("access-control-allow-origin"), null)
  })

  it("ends with its account, its password and its sign-out", async () => {
    const { authorization } = await hostOf().then(async (own) => {
      await orThrow(own.host.services.accounts.putOperator("asha", { enabled: false }))
      const { body } = await own.as("GET", "/companies")
      strictEqual(body.code, "TOKEN_INVALID")
      const again = await own.send("POST", `${base}/token`, { username: "asha", password })
      strictEqual(again.body.code, "CREDENTIALS_INVALID")
      await own.host.dispose()
      return own
    })
    strictEqual(await codeWith({ authorization }), "401 TOKEN_INVALID")
  })

  it("isn't asked for by hosts without the interface: they have no such route", async () => {
    const own = await start()
    const answer = await own.host.handler(new Request(`https://shop.example${base}/companies`))
    strictEqual(((await answer.json()) as Body).code, "ROUTE_NOT_FOUND")
    await own.host.dispose()
  })
})
