import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Caller } from "@crossdock/access"
import { Billing } from "@crossdock/billing"
import { DigestNode } from "@crossdock/crypto"
import { Reply } from "@crossdock/http"
import { CompanyId, Idempotency, Ids } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { temporaryFolder } from "./TemporaryFolder.ts"
import { type Answer, type Client, useHost } from "./TestHost.ts"
import * as TestOrders from "./TestOrders.ts"

interface Body {
  readonly code?: string
  readonly platform_order_id?: string
  readonly meta?: { readonly ack_id: string; readonly status: string }
}

const inventory = "/ims/v3/inventory"
const create = "/order/api/v1/bazaar/create"

const storage = Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))

let names = 0
const fresh = (): string => `key-${++names}`

describe("idempotency keys", () => {
  const folder = temporaryFolder()
  const file = join(folder, "idempotency.db")
  const host = useHost({ database: file })

  const add = (sku: string, quantity = 1) => [{ location_id: "BLR1", sku, quantity }]

  const put = (api: Client, body: unknown, key: string, more: Record<string, string> = {}, path = inventory) =>
    api.call<Body>("PUT", path, body, { "idempotency-key": key, ...more })

  const onHand = async (sku: string): Promise<number> => {
    const { body } = await host.blr1.call<{ data: ReadonlyArray<{ quantity: number }> }>(
      "GET",
      `/ims/v3/listings?skus=${sku}`
    )
    return body.data[0]?.quantity ?? 0
  }

  const isReplay = ({ headers }: Answer<unknown>) => headers["idempotent-replayed"] === "true"

  const order = (name: string, quantity = 1) =>
    TestOrders.order([TestOrders.shipmentOf([TestOrders.line("85123A", quantity)])], { external_order_id: name })

  it("the same key, route and body return the first answer and do nothing twice", async () => {
    const key = fresh()
    const first = await put(host.adjust, add("71053"), key)
    strictEqual(first.status, 200)
    strictEqual(isReplay(first), false)
    for (let again = 0; again < 3; again++) {
      const answer = await put(host.adjust, add("71053"), key)
      deepStrictEqual([answer.status, answer.body, isReplay(answer)], [200, first.body, true])
      strictEqual(answer.headers["content-type"], first.headers["content-type"])
      assertTrue(answer.headers["x-request-id"] !== first.headers["x-request-id"])
    }
    strictEqual(await onHand("71053"), 1)
  })

  it("without a key, a repeated request runs again", async () => {
    await host.adjust.call("PUT", inventory, add("84406B"))
    await host.adjust.call("PUT", inventory, add("84406B"))
    strictEqual(await onHand("84406B"), 2)
  })

  it("a key reused with another body is 422 and does nothing", async () => {
    const key = fresh()
    await put(host.adjust, add("84029G"), key)
    for (const body of [add("84029G", 2), [...add("84029G"), ...add("71053")], [], {}]) {
      const answer = await put(host.adjust, body, key)
      deepStrictEqual([answer.status, answer.body.code], [422, "IDEMPOTENCY_MISMATCH"])
    }
    strictEqual(await onHand("84029G"), 1)
    strictEqual(isReplay(await put(host.adjust, add("84029G"), key)), true, "the first answer is kept")
  })

  it("the same key from another principal is another key", async () => {
    const key = fresh()
    await put(host.adjust, add("84029E"), key)
    const other = await put(host.acme, add("84029E", 5), key)
    deepStrictEqual([other.status, isReplay(other)], [200, false])
    const third = await put(host.blr1, add("84029E", 7), key)
    deepStrictEqual([third.status, isReplay(third)], [200, false])
  })

  it("the same key on another path is another key", async () => {
    const key = fresh()
    await put(host.acme, add("22752", 3), key)
    const price = [{ location_id: "BLR1", sku: "22752", mrp: 2, esp: 1, currency: "INR" }]
    const other = await put(host.acme, price, key, {}, "/ims/v3/price")
    deepStrictEqual([other.status, isReplay(other)], [200, false])
  })

  it("the same key on another method is another key, as for confirm and awb", async () => {
    const key = fresh()
    const records = [{ orderId: "1" }]
    const post = await host.acme.call<Body>("POST", "/oms/v3/shipment/pack", records, { "idempotency-key": key })
    const awb = await host.acme.call<Body>("PUT", "/oms/v3/shipment/awb", records, { "idempotency-key": key })
    deepStrictEqual([post.status, awb.status, isReplay(awb)], [200, 200, false])
  })

  it("a key has 1 to 255 characters", async () => {
    for (const key of ["x", "x".repeat(255), "a key/with:signs=and, commas"]) {
      const answers = [await put(host.acme, add("21730", 1), key), await put(host.acme, add("21730", 1), key)]
      deepStrictEqual(
        answers.map((answer) => [answer.status, isReplay(answer)]),
        [
          [200, false],
          [200, true]
        ]
      )
    }
    for (const key of ["", "x".repeat(256)]) {
      const answer = await put(host.acme, add("21730", 9), key)
      deepStrictEqual([answer.status, answer.body.code], [400, "VALIDATION_FAILED"])
    }
    strictEqual(await onHand("21730"), 1)
  })

  it("the rejection of a whole request is kept", async () => {
    const key = fresh()
    const first = await put(host.acme, [], key)
    const again = await put(host.acme, [], key)
    deepStrictEqual([first.status, first.body.code], [400, "EMPTY_REQUEST"])
    deepStrictEqual([again.status, again.body, isReplay(again)], [400, first.body, true])
  })

  it("the answer to a body that is not JSON is kept like any other", async () => {
    const token = await host.tokenOf("/aggregator/v1/token", "acme")
    for (const text of ["{", '{"__proto__": 1}', "[".repeat(40), '"\ud800"']) {
      const key = fresh()
      const headers = { "x-access-token": token, "content-type": "application/json", "idempotency-key": key }
      const put = (sent: string) => host.send("PUT", inventory, headers, sent)
      const [first, again] = [await put(text), await put(text)]
      strictEqual(first.status, 400, text)
      deepStrictEqual([again.status, again.text, again.headers["idempotent-replayed"]], [400, first.text, "true"], text)
      const other = await put(JSON.stringify(add("22639")))
      deepStrictEqual([other.status, other.body.code], [422, "IDEMPOTENCY_MISMATCH"], text)
    }
    strictEqual(await onHand("22639"), 0)
  })

  it("while the first request runs, a repeat is rejected at once as in progress, and another body as reuse of the key", () =>
    Effect.gen(function* () {
      const reply = yield* Reply.Reply
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const caller: Caller = { principal: { kind: "system", id: "first" }, requestId: null }
      const write = (body: string, key: string) =>
        reply
          .write({ caller }, () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(goOn), { done: true }))
          )
          .pipe(
            Effect.map(({ headers, status }) => [status, headers["idempotent-replayed"]]),
            Effect.catch(({ code, status }) => Effect.succeed([status, code])),
            Effect.provideService(
              HttpServerRequest.HttpServerRequest,
              HttpServerRequest.fromWeb(
                new Request("http://host/path", {
                  method: "PUT",
                  body,
                  headers: { "content-type": "application/json", "idempotency-key": key }
                })
              )
            )
          )
      const first = yield* Effect.forkChild(write("[1]", "a"))
      yield* Deferred.await(begun)
      // The first request has the storage's only connection: anything else that used the storage would wait for it.
      const concurrent = Effect.timeout("1 minute")
      deepStrictEqual(yield* concurrent(write("[1]", "a")), [409, "IDEMPOTENCY_IN_FLIGHT"])
      deepStrictEqual(yield* concurrent(write("[2]", "a")), [422, "IDEMPOTENCY_MISMATCH"])
      yield* Deferred.succeed(goOn, undefined)
      deepStrictEqual(yield* Fiber.join(first), [200, undefined])
      deepStrictEqual(yield* write("[1]", "a"), [200, "true"])
    }).pipe(
      Effect.provide(Reply.layer.pipe(Layer.provide([storage, DigestNode.layer, Ids.layer]))),
      Effect.scoped,
      Effect.runPromise
    ))

  it("a key reused with another query counts as reused for another request", async () => {
    const key = fresh()
    const send = (query: string) =>
      host.acme.call<Body>("POST", `/oms/v3/shipment/return${query}`, [{ orderId: "unknown" }], {
        "idempotency-key": key
      })
    const first = await send("?badQc=true")
    deepStrictEqual([(await send("")).status, (await send("?badQc=false")).body.code], [422, "IDEMPOTENCY_MISMATCH"])
    const again = await send("?badQc=true")
    deepStrictEqual([again.status, again.body, isReplay(again)], [first.status, first.body, true])
  })

  it("an order with a key may be the first request that a host receives", async () => {
    await host.acme.call("PUT", inventory, add("85123A", 1))
    const first = await host.bazaar.call<Body>("POST", create, order("first"), { "idempotency-key": fresh() })
    strictEqual(first.status, 200)
  })

  it("a conflict is kept, even if the request would now succeed", async () => {
    const key = fresh()
    await host.acme.call("PUT", inventory, add("85123A", 0))
    const send = () => host.bazaar.call<Body>("POST", create, order("conflict"), { "idempotency-key": key })
    const first = await send()
    deepStrictEqual([first.status, first.body.code], [409, "INSUFFICIENT_STOCK"])
    await host.acme.call("PUT", inventory, add("85123A", 10))
    const again = await send()
    deepStrictEqual([again.status, again.body, isReplay(again)], [409, first.body, true])
    const other = await host.bazaar.call<Body>("POST", create, order("conflict"))
    strictEqual(other.status, 200)
  })

  it("401, 403, 413 and 415 are not kept", async () => {
    const key = fresh()
    const anonymous = await put(host.anonymous, add("22633"), key)
    strictEqual(anonymous.status, 401)
    strictEqual((await put(host.adjust, add("22633"), key, { "content-type": "text/plain" })).status, 415)
    strictEqual((await put(host.adjust, "x".repeat(1024 * 1024), key)).status, 413)
    const foreign = await host.bazaar.call("POST", "/order/api/v1/souk/create", order("foreign"), {
      "idempotency-key": key
    })
    strictEqual(foreign.status, 403)
    const sound = await put(host.adjust, add("22633"), key)
    deepStrictEqual([sound.status, isReplay(sound)], [200, false])
    strictEqual(await onHand("22633"), 1)
  })

  it("of many concurrent repeats one does the work; the others get 409 or its answer", async () => {
    for (let round = 0; round < 5; round++) {
      const key = fresh()
      const body = [...add("22632"), ...Array.from({ length: 499 }, (_, nth) => add(`NO-${nth}`)[0])]
      const answers = await Promise.all(Array.from({ length: 20 }, () => put(host.adjust, body, key)))
      const first = answers.filter((answer) => answer.status === 200 && !isReplay(answer))
      strictEqual(first.length, 1)
      for (const answer of answers) {
        if (answer.status === 200) deepStrictEqual(answer.body, first[0]?.body)
        else deepStrictEqual([answer.status, answer.body.code], [409, "IDEMPOTENCY_IN_FLIGHT"])
      }
      const after = await put(host.adjust, body, key)
      deepStrictEqual([after.status, isReplay(after), after.body], [200, true, first[0]?.body])
      strictEqual(await onHand("22632"), round + 1)
    }
  })

  /** The answers that the database contains, all in one text. */
  const storedAnswers = (): string => {
    const database = new Database(file, { readonly: true })
    const rows = database.prepare("SELECT answer FROM crossdock_idempotency").all()
    database.close()
    return JSON.stringify(rows)
  }

  it("a customer's details are not stored for the key: a repeat shows them as they are, and not once they are erased", async () => {
    const detail = { name: "Zarathustra Rao", email: "zarathustra@example.com", phone: { phone_number: "9845012345" } }
    const path = "/service/platform/billing/v1.0/company/1/subscription/customer-detail"
    const send = () => host.ops.call<Record<string, unknown>>("POST", path, detail, { "idempotency-key": "customer" })
    const [first, again] = [await send(), await send()]
    deepStrictEqual([first.status, first.body.email], [200, detail.email])
    deepStrictEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
    strictEqual(storedAnswers().includes("arathustra"), false)
    const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
    const erase = Effect.flatMap(Billing.Billing, (billing) => billing.eraseCustomer(caller, CompanyId.make(1)))
    strictEqual(await host.run(erase), true)
    const erased = await send()
    deepStrictEqual([erased.status, isReplay(erased), erased.body._id], [200, true, first.body._id])
    strictEqual(/arathustra|9845012345/.test(JSON.stringify(erased.body)), false)
    const bytes = ["", "-wal"].map((end) => readFileSync(`${file}${end}`).toString("latin1")).join("")
    strictEqual(/arathustra|9845012345/.test(bytes), false)
  })

  it("the secret link of a charge is not stored for the key, and a repeat gives it again", async () => {
    const path = "/service/platform/billing/v1.0/company/1/extension/ext1/one_time_charge"
    const price = { amount: 10, currency_code: "INR" }
    const body = {
      name: "Import",
      return_url: "https://seller.example",
      charge: { name: "Import", pricing_type: "one_time", price }
    }
    const send = () => host.ops.call<{ confirm_url: string }>("POST", path, body, { "idempotency-key": "charge" })
    const [first, again] = [await send(), await send()]
    strictEqual(first.status, 200, JSON.stringify(first.body))
    deepStrictEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
    const link = first.body.confirm_url.slice(-64)
    strictEqual(storedAnswers().includes(link), false)
    strictEqual((await host.send("GET", `/billing/confirm/${link}`)).status, 200)
    const key = { principal: "platform_client:ops", method: "POST", path, key: "charge" }
    const earlier = { ...first.body, confirm_url: "https://seller.example/of-an-earlier-release" }
    const store = Effect.gen(function* () {
      const { find, put } = yield* Idempotency.Idempotency
      const kept = yield* Effect.fromNullishOr(yield* find(key))
      const answer = { status: 200, contentType: "application/json", body: JSON.stringify(earlier) }
      return yield* put(key, { ...kept, answer }, kept)
    })
    strictEqual(await host.run(store), true)
    deepStrictEqual((await send()).body as unknown, earlier)
  })

  it("an order's answer contains nobody, nor does the rejection of another content", async () => {
    await host.acme.call("PUT", inventory, add("85123A", 10))
    const address = { ...order("person").shipping_address, name: "Zarathustra Rao", address1: "7 Zarathustra Road" }
    const send = (more: object, key: string) =>
      host.bazaar.call<Body>(
        "POST",
        create,
        { ...order("person"), shipping_address: address, ...more },
        {
          "idempotency-key": key
        }
      )
    strictEqual((await send({}, "person 1")).status, 200)
    const other = { ...address, name: "Zarathustra Sen", phone: "no phone of Zarathustra" }
    strictEqual((await send({ shipping_address: other }, "person 2")).status >= 400, true)
    strictEqual((await send({ shipping_address: { ...address, name: "Zarathustra Sen" } }, "person 3")).status, 409)
    strictEqual(
      (await send({ shipping_address: { ...address, pincode: { of: "Zarathustra" } } }, "person 4")).status,
      400
    )
    strictEqual(storedAnswers().includes("arathustra"), false)
  })

  /** Changes the entry of a key of `host.adjust`, as another host on the same database would. */
  const rewrite = (name: string, change: (kept: Idempotency.IdempotencyRecord) => Idempotency.IdempotencyRecord) =>
    Effect.gen(function* () {
      const store = yield* Idempotency.Idempotency
      const key = { principal: "integration:acme-adjust", method: "PUT", path: inventory, key: name }
      const kept = yield* store.find(key)
      if (kept === undefined) return yield* Effect.die(new Error("nothing is kept"))
      assertTrue(yield* store.put(key, change(kept), kept))
      return kept
    }).pipe(host.run)

  it("while another host runs the first request the answer is 409, which is not kept", async () => {
    const key = fresh()
    const first = await put(host.adjust, add("22748"), key)
    const kept = await rewrite(key, (record) => ({
      ...record,
      answer: null,
      claimedUntil: Date.now() + Idempotency.claimMillis
    }))
    for (let again = 0; again < 2; again++) {
      const running = await put(host.adjust, add("22748"), key)
      deepStrictEqual([running.status, running.body.code], [409, "IDEMPOTENCY_IN_FLIGHT"])
    }
    const other = await put(host.adjust, add("22748", 2), key)
    strictEqual(other.body.code, "IDEMPOTENCY_MISMATCH", "another body is a mismatch meanwhile")
    await rewrite(key, () => kept)
    const done = await put(host.adjust, add("22748"), key)
    deepStrictEqual([done.body, isReplay(done)], [first.body, true])
    strictEqual(await onHand("22748"), 1)
  })

  it("the claim of a dead host expires within 20 seconds", async () => {
    const key = fresh()
    await put(host.adjust, add("22749"), key)
    await rewrite(key, (record) => {
      assertTrue(Idempotency.claimMillis < 15_000)
      return { ...record, answer: null, claimedUntil: Date.now() - 1 }
    })
    const again = await put(host.adjust, add("22749"), key)
    deepStrictEqual([again.status, isReplay(again)], [200, false])
    strictEqual(isReplay(await put(host.adjust, add("22749"), key)), true)
  })

  it("an answer is kept for 24 hours and no longer", async () => {
    const key = fresh()
    await put(host.adjust, add("22310"), key)
    await rewrite(key, (record) => {
      assertTrue(Math.abs(record.expiresAt - Date.now() - 86_400_000) < 60_000)
      return { ...record, expiresAt: Date.now() - 1 }
    })
    const again = await put(host.adjust, add("22310"), key)
    deepStrictEqual([again.status, isReplay(again)], [200, false])
    strictEqual(await onHand("22310"), 2)
  })

  it("an order sent 100 times at once without a key becomes one order with one answer", async () => {
    await host.acme.call("PUT", inventory, add("84879", 1000))
    const body = TestOrders.order([TestOrders.shipmentOf([TestOrders.line("84879", 3)])], {
      external_order_id: "hundred"
    })
    const answers = await Promise.all(Array.from({ length: 100 }, () => host.bazaar.call<Body>("POST", create, body)))
    deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    strictEqual(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
    const { body: listing } = await host.blr1.call<{ data: ReadonlyArray<{ reserved: number }> }>(
      "GET",
      "/ims/v3/listings?skus=84879"
    )
    strictEqual(listing.data[0]?.reserved, 3)
    const read = await host.acme.call<ReadonlyArray<{ marketplaceOrderId: string }>>(
      "GET",
      "/oms/v3/shipment?orderStatus=CREATED&locationCode=BLR1&pageSize=100"
    )
    strictEqual(read.body.filter(({ marketplaceOrderId }) => marketplaceOrderId === "hundred").length, 1)
  })

  it("a database that is busy too long gives 503 with Retry-After, which is not kept", async () => {
    const key = fresh()
    const other = new Database(file)
    other.exec("BEGIN IMMEDIATE")
    const busy = await put(host.adjust, add("22745"), key)
    other.exec("ROLLBACK")
    other.close()
    deepStrictEqual([busy.status, busy.body.code], [503, "STORAGE_UNAVAILABLE"])
    assertTrue(Number(busy.headers["retry-after"]) >= 1)
    const again = await put(host.adjust, add("22745"), key)
    deepStrictEqual([again.status, isReplay(again)], [200, false])
    strictEqual(await onHand("22745"), 1)
  })
})
