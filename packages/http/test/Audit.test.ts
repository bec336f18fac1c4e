import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { useHost } from "./TestHost.ts"

interface Doc {
  readonly _id: string
  readonly entity: { readonly type?: string; readonly id?: string; readonly action?: string }
  readonly modifier?: { readonly user_id?: string }
  readonly logs: unknown
  readonly recorded_by: { readonly kind: string; readonly id: string; readonly company_id?: number }
  readonly request_id?: string
  readonly application?: string | null
  readonly company?: number
  readonly date: string
}

interface PageOfLogs {
  readonly docs: ReadonlyArray<Doc>
  readonly page: { readonly has_next: boolean; readonly next_cursor?: string }
}

interface Rejected {
  readonly message: string
  readonly code: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

const base = "/service/platform/audit-trail/v1.0/company/1"
const invalidQuery = "Payload or query is not valid"
const chrome =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.1 Safari/537.36"

const log = (type: string, id: string, more: object = {}, payload: object = { request: { n: id } }) => ({
  log_meta: { entity: { type, id, action: "update" }, ...more },
  log_payload: payload
})

const full = log(
  "update-shipment-status",
  "17328629784861446350",
  {
    application: "app-1",
    modifier: {
      user_id: "User-7",
      as_administrator: true,
      user_details: { email: "asha@example.com", first_name: "Asha", full_name: "Asha Rao", last_name: "Rao" }
    },
    device_info: { user_agent: chrome, extra_meta: { a: 1 } },
    location: { IP: "203.0.113.9" },
    sessions: "s-1"
  },
  { request: { status_update: { bags: ["1"], status: "bag_packed" } }, response: { error_shipments: [] } }
)

describe("the audit trail over HTTP", () => {
  const host = useHost()

  const create = (body: unknown, headers: Record<string, string> = {}) =>
    host.ops.call<Rejected>("POST", `${base}/logs`, body, headers)
  const find = async (qs: string, more = ""): Promise<PageOfLogs> => {
    const answer = await host.ops.call<PageOfLogs>("GET", `${base}/logs?qs=${encodeURIComponent(qs)}${more}`)
    strictEqual(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const idsOf = ({ docs }: PageOfLogs) => docs.map((doc) => doc.entity.id)

  it("a created log is found at once exactly as it was sent, without its company and with application as text", async () => {
    const answer = await create(full)
    strictEqual(answer.status, 200)
    deepStrictEqual(answer.body as unknown, {
      message: "Audit log recorded successfully !",
      internal_message: "Audit log queued"
    })
    const { docs, page } = await find("entity.id:17328629784861446350")
    deepStrictEqual(page, { has_next: false })
    const [doc] = docs
    const { _id, date, request_id, ...rest } = doc as Doc
    assertTrue(/^[0-9a-f]{24}$/.test(_id))
    assertTrue(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(date))
    assertTrue(typeof request_id === "string")
    deepStrictEqual(rest as unknown, {
      entity: full.log_meta.entity,
      modifier: (full.log_meta as { modifier?: unknown }).modifier,
      device_info: { user_agent: chrome, extra_meta: { a: 1 } },
      location: { IP: "203.0.113.9" },
      sessions: "s-1",
      created_at: date,
      modified_at: date,
      logs: full.log_payload,
      meta: {
        browser: { name: "Chrome", version: "120.0.6099.1", major: "120" },
        device: {},
        cpu: {},
        os: { name: "Linux" },
        engine: { name: "Blink" }
      },
      recorded_by: { kind: "platform_client", id: "ops", company_id: 1 },
      application: "app-1"
    })
  })

  it("a single record has its company as a number, a null application when none was given, and no unset fields", async () => {
    await create(log("bare", "by-id"))
    const [doc] = (await find("by-id")).docs
    const answer = await host.ops.call<Doc>("GET", `${base}/logs/${doc?._id}`)
    strictEqual(answer.status, 200)
    strictEqual(answer.body.company, 1)
    strictEqual(answer.body.application, null)
    strictEqual(doc?.application, "")
    strictEqual("company" in (doc ?? {}), false)
    for (const key of ["modifier", "device_info", "location", "sessions", "meta"]) {
      strictEqual(key in answer.body, false, key)
    }
  })

  it("an unknown id and another company's id are 400 with the documented message", async () => {
    await host.globexOps.call("POST", `${base.replace("/1", "/2")}/logs`, log("foreign", "globex-1"))
    const found = await host.globexOps.call<PageOfLogs>("GET", `${base.replace("/1", "/2")}/logs?qs=globex-1`)
    const id = found.body.docs[0]?._id ?? ""
    strictEqual(id.length, 24)
    for (const unknown of ["000000000000000000000000", "nothing", id]) {
      const answer = await host.ops.call<Rejected>("GET", `${base}/logs/${unknown}`)
      deepStrictEqual([answer.status, answer.body.message, answer.body.code], [400, invalidQuery, "VALIDATION_FAILED"])
    }
  })

  it("an invalid payload is 400 with the documented message and every violation", async () => {
    const answer = await create({ log_meta: { entity: "x", application: 5 } })
    deepStrictEqual(
      [answer.status, answer.body.message, answer.body.code],
      [400, "Payload is not valid", "VALIDATION_FAILED"]
    )
    deepStrictEqual(answer.body.errors?.map(({ path }) => path).sort(), [
      "/log_meta/application",
      "/log_meta/entity",
      "/log_payload"
    ])
    for (const body of [[], {}, { log_meta: {}, log_payload: {} }]) {
      deepStrictEqual((await create(body)).body.message, "Payload is not valid")
    }
    const broken = await create("x", { "content-type": "application/json" })
    strictEqual(broken.body.message, "Payload is not valid")
  })

  it("a log resent with the same Idempotency-Key is recorded once", async () => {
    for (const replayed of [undefined, "true"]) {
      const answer = await create(log("once", "idem-1"), { "idempotency-key": "audit-1" })
      strictEqual(answer.headers["idempotent-replayed"], replayed)
    }
    strictEqual((await find("idem-1")).docs.length, 1)
  })

  it("words, phrases, pairs and JSON objects narrow the search, which ignores case", async () => {
    await create(log("Grammar", "g-1", { modifier: { user_id: "Élodie" } }, { note: 'said "hi" to Ürün', n: 12.5 }))
    await create(log("grammar", "g-2", { modifier: { user_id: "max" } }, { deep: [{ text: "white  space" }] }))
    const both = ["g-2", "g-1"]
    for (const [qs, expected] of [
      ["grammar g-", both],
      ["GRAMMAR g-1", ["g-1"]],
      ["entity.type:GRAMMAR", both],
      ["entity.type:gramma", []],
      ['entity.type:grammar "white  space"', ["g-2"]],
      ['"said \\"hi\\""', ["g-1"]],
      ["ürün", ["g-1"]],
      ["12.5 grammar", ["g-1"]],
      ["modifier.user_id:élodie", ["g-1"]],
      ["modifier.user_id:max entity.action:update entity.id:g-2", ["g-2"]],
      ['{"entity.type": "grammar", "modifier.user_id": "MAX"}', ["g-2"]],
      ["entity.type:grammar from:2020-01-01", both],
      ["entity.type:grammar to:2020-01-01", []],
      [`entity.type:grammar to:${new Date().toISOString().slice(0, 10)}`, both],
      [`entity.type:grammar from:${new Date(Date.now() + 60_000).toISOString()}`, []]
    ] as const) {
      deepStrictEqual([qs, idsOf(await find(qs))], [qs, [...expected]])
    }
    assertTrue((await find("{}")).docs.length > 2)
  })

  it("an invalid query, a missing qs and a limit out of range are 400 with the documented message", async () => {
    for (const query of [
      "",
      "?qs=",
      "?qs=%20",
      "?qs=entity.kind:x",
      "?qs=from:yesterday",
      "?qs=from:2026-02-30",
      "?qs=to:2026-02-30",
      "?qs=to:2026-99-99",
      '?qs="open',
      "?qs=a%22b",
      "?qs={nothing",
      "?qs={%22entity%22:{}}",
      "?qs=a&limit=0",
      "?qs=a&limit=101",
      "?qs=a&limit=x",
      "?qs=a&cursor=x"
    ]) {
      const answer = await host.ops.call<Rejected>("GET", `${base}/logs${query.replaceAll('"', "%22")}`)
      const { body, status } = answer
      deepStrictEqual([query, status, body.message, body.code], [query, 400, invalidQuery, "VALIDATION_FAILED"])
      assertTrue((body.errors?.length ?? 0) > 0)
    }
    const two = await host.ops.call<Rejected>("GET", `${base}/logs?qs=${encodeURIComponent("ok a:1 from:x")}&limit=0`)
    strictEqual(two.body.errors?.length, 1)
    const both = await host.ops.call<Rejected>("GET", `${base}/logs?qs=${encodeURIComponent("ok a:1 from:x")}`)
    deepStrictEqual(
      both.body.errors?.map(({ message }) => message.slice(0, 12)),
      ["Character 4:", "Character 8:"]
    )
  })

  it("a query has at most 10 different words and 10 different pairs; repeated ones count once", async () => {
    const many = (count: number, part: (at: number) => string) => Array.from({ length: count }, (_, at) => part(at))
    const statusOf = async (terms: ReadonlyArray<string>) => {
      const { body, status } = await host.ops.call<{ readonly code?: string; readonly message?: string }>(
        "GET",
        `${base}/logs?qs=${encodeURIComponent(terms.join(" "))}`
      )
      return status === 200 ? "200" : `${status} ${body.code} ${body.message}`
    }
    const rejected = "400 VALIDATION_FAILED Payload or query is not valid"
    strictEqual(await statusOf(many(10, (at) => `w${at}`)), "200")
    strictEqual(await statusOf(many(11, (at) => `w${at}`)), rejected)
    strictEqual(await statusOf(many(10, (at) => `entity.id:${at}`)), "200")
    strictEqual(await statusOf(many(11, (at) => `entity.id:${at}`)), rejected)
    strictEqual(await statusOf(many(500, () => "a")), "200")
    strictEqual(await statusOf(many(150, () => "entity.id:a")), "200")
    strictEqual(await statusOf(many(400, (at) => `w${at}`)), rejected)
    strictEqual(await statusOf(many(1000, (at) => at.toString(36))), rejected)
  })

  it("a cursor continues the list in either order; a malformed sort is ignored", async () => {
    for (let n = 0; n < 25; n++) await create(log("paged", `p-${String(n).padStart(2, "0")}`))
    const newest = Array.from({ length: 25 }, (_, n) => `p-${String(24 - n).padStart(2, "0")}`)
    const first = await find("entity.type:paged")
    deepStrictEqual(idsOf(first), newest.slice(0, 20))
    strictEqual(first.page.has_next, true)
    const second = await find("entity.type:paged", `&cursor=${first.page.next_cursor}`)
    deepStrictEqual([idsOf(second), second.page.has_next], [newest.slice(20), false])
    const oldest = await find("entity.type:paged", `&limit=3&sort=${encodeURIComponent('{"_id":1}')}`)
    deepStrictEqual(idsOf(oldest), ["p-00", "p-01", "p-02"])
    const sort = encodeURIComponent('{ "_id" : 1 }')
    const next = await find("entity.type:paged", `&limit=3&sort=${sort}&cursor=${oldest.page.next_cursor}`)
    deepStrictEqual(idsOf(next), ["p-03", "p-04", "p-05"])
    for (const other of ["[object Object]", '{"_id":-1}', '{"_id":"1"}', "1", ""]) {
      deepStrictEqual(idsOf(await find("entity.type:paged", `&limit=1&sort=${encodeURIComponent(other)}`)), ["p-24"])
    }
    deepStrictEqual(idsOf(await find("entity.type:paged", "&limit=25")).length, 25)
  })

  it("the entity types of all stored records have display names", async () => {
    await create(log("sales-channel", "e-1"))
    const answer = await host.ops.call<{ items: ReadonlyArray<unknown> }>("GET", `${base}/entity-types`)
    strictEqual(answer.status, 200)
    const texts = answer.body.items.map((item) => JSON.stringify(item))
    assertTrue(texts.includes('{"entity_value":"sales-channel","display_name":"Sales Channel"}'))
    strictEqual(new Set(texts).size, texts.length)
  })

  it("a change made through another interface is in the trail, with its author and its request id", async () => {
    const record = { location_id: "BLR1", sku: "85123A", quantity: 77 }
    await host.acme.call("PUT", "/ims/v3/inventory", [record], { "x-request-id": "stock-77" })
    const { docs } = await find("entity.type:inventory stock", "&limit=1")
    const [doc] = docs.length > 0 ? docs : (await find("entity.type:inventory", "&limit=1")).docs
    strictEqual(doc?.request_id, "stock-77")
    deepStrictEqual(doc?.recorded_by, { kind: "integration", id: "acme", company_id: 1 })
    deepStrictEqual(Object.keys(doc?.logs as object).sort(), ["after", "before", "request", "response"])
  })

  it("callers can't choose recorded_by, and no secret that they state is recorded", async () => {
    const canary = "k9-canary-of-the-payload"
    await create({
      ...log(
        "secretive",
        "x-1",
        { recorded_by: { id: "boss" }, modifier: { user_id: "u-1", secretKey: canary }, location: { pwd: canary } },
        { user: { password: canary, "api-key": canary, n: 1 } }
      ),
      recorded_by: { id: "boss" }
    })
    const { docs } = await find("entity.type:secretive")
    strictEqual(docs[0]?.recorded_by.id, "ops")
    deepStrictEqual(docs[0]?.modifier, { user_id: "u-1", secretKey: "[REDACTED]" } as object)
    strictEqual(JSON.stringify(docs).includes(canary), false)
    strictEqual((await find(`entity.type:secretive ${canary}`)).docs.length, 0)
  })
})
