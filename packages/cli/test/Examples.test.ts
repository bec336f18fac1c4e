import { copyFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CompanyId, Ids } from "@crossdock/kernel"
import { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import { OrderStore } from "@crossdock/orders"
import { orderDraft } from "@crossdock/orders/testing"
import { ShipmentStore } from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Option, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { type RunningHost, settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { line, order, place, seen, seller, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import * as Storage from "../src/Storage.ts"
import { leaves } from "./CommandTree.ts"
import * as InProcess from "./InProcess.ts"

const reference = fileURLToPath(new URL("../data/reference.json", import.meta.url))

/** They run until they are interrupted: Processes.test.ts runs them. */
const endless = ["start", "listen"]

/** These call a running host. */
const calling = /^(trigger|clock|import (stock|prices|products|orders)|export) /

/** These end the shipments that they name: those on their way, or those that aren't sent yet. */
const ending = { onTheWay: /^shipment report /, placed: /^shipment cancel / }

describe("The examples of --help", () => {
  const folder = temporaryFolder()
  const path = (name: string) => join(folder, name)
  const databaseUrl = `sqlite:${path("crossdock.db")}`
  const key = "5e".repeat(32)
  const keys = { ...InProcess.auditKeys(), SECRETS_KEY: key }
  const environment = { DATABASE_URL: databaseUrl, ...keys }
  const receiver = createServer((_, response) => response.writeHead(204).end())
  const ids: Record<string, string> = {}
  const toEnd: { [Kind in keyof typeof ending]: Array<string> } = { onTheWay: [], placed: [] }
  let host: RunningHost

  beforeAll(async () => {
    const secrets = Option.some({ key: Redacted.make(key), previous: undefined })
    host = await startHost(settings({ databaseUrl, secrets }))
    const [acme, bazaar] = [await Api.seller(host.url), await Api.marketplace(host.url)]
    await setStock(acme, 20, ["85123A", "22423"])
    const [open, closed] = [
      await place(bazaar, order([shipmentOf([line("85123A")])])),
      await place(bazaar, order([shipmentOf([line("85123A")])]))
    ]
    const id = closed.shipments[0]?.shipment_id ?? ""
    const items = (await seen(acme, id)).orderItems.map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
    strictEqual(await seller(acme).cancel(id, items), "ok")
    Object.assign(ids, { SHIPMENT: open.shipments[0]?.shipment_id, ORDER: closed.platform_order_id })
    for (const kind of ["placed", "placed", "placed", "onTheWay", "onTheWay"] as const) {
      const { shipments } = await place(bazaar, order([shipmentOf([line("85123A")])]))
      const one = shipments[0]?.shipment_id ?? ""
      const { confirm, invoice, status } = seller(acme)
      if (kind === "onTheWay") for (const act of [confirm, invoice]) strictEqual(await act(one), "ok")
      if (kind === "onTheWay") strictEqual(await status(one, "bag_picked"), "ok")
      toEnd[kind].push(one)
    }
    acme.close()
    bazaar.close()
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
    const address = receiver.address()
    const port = typeof address === "object" ? address?.port : 0
    writeFileSync(
      path("night-market.json"),
      JSON.stringify({
        slug: "night-market",
        name: "Night Market",
        currency: "INR",
        password: "a long password",
        locations: [{ companyId: 7, location: "NGT1", code: "NM-1" }],
        webhook: { url: `http://127.0.0.1:${port}/stock`, secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` }
      })
    )
    writeFileSync(
      path("pro.json"),
      JSON.stringify({ id: "pro", name: "Pro", price: 1499.5, currency: "INR", interval: "month" })
    )
    writeFileSync(path("stock.csv"), "location_id,sku,quantity\nBLR1,85123A,9\n")
    writeFileSync(path("prices.csv"), "location_id,sku,esp,mrp,currency\nBLR1,85123A,400,500,INR\n")
    // The tutorials import products and orders.
    for (const name of ["new-products.jsonl", "new-orders.jsonl"]) writeFileSync(path(name), "")
    copyFileSync(reference, path("reference.json"))
    strictEqual((await InProcess.run(["migrate", "--database", `sqlite:${path("other.db")}`])).code, 0)
    const dead = { companyId: CompanyId.make(7), endpoint: "erp", id: "msg_1", events: [] }
    await Effect.flatMap(EventEndpointStore, ({ putDeadLetter }) =>
      putDeadLetter({ ...dead, failures: 9, since: 0, at: 0, failure: "500" })
    ).pipe(Effect.provide(Storage.layer(databaseUrl)), Effect.runPromise)
    const letter = { companyId: CompanyId.make(7), marketplace: "night-market", id: "msg_1", events: [] }
    // An order of 2025, which the archive takes.
    const old = {
      marketplace: "bazaar",
      total: 0,
      orderDate: 0,
      createdAt: 0,
      shipments: [],
      id: Ids.hexOf(Date.UTC(2025, 0, 31)).padEnd(24, "0"),
      draft: orderDraft({ externalOrderId: "WEB-10001" })
    }
    const closed2025 = {
      ...placedShipment({ orderId: old.id, companyId: CompanyId.make(7) }),
      status: "bag_lost" as const
    }
    await Effect.flatMap(OrderStore, ({ insert }) => insert(old)).pipe(
      Effect.andThen(Effect.flatMap(ShipmentStore, ({ insert }) => insert([closed2025]))),
      Effect.provide(Storage.layer(databaseUrl)),
      Effect.runPromise
    )
    await Effect.flatMap(NotificationStore, ({ addDeadLetter }) =>
      addDeadLetter({ ...letter, failures: 9, since: 0, at: 0, failure: "500" })
    ).pipe(Effect.provide(Storage.layer(databaseUrl)), Effect.runPromise)
  })

  afterAll(async () => {
    receiver.close()
    await host.stop()
  })

  /** Runs an example as a shell would in the folder. */
  const shell = async (text: string) => {
    const [call = "", out] = text.replace(/^crossdock /, "").split(" > ")
    const kind = ending.onTheWay.test(call) ? "onTheWay" : ending.placed.test(call) ? "placed" : undefined
    const args = InProcess.words(call).map((word) =>
      word
        .replace(/^(sqlite:)\.\//, (_, scheme) => `${scheme}${folder}/`)
        .replace(/^[\w-]+\.(json|jsonl|jsonl\.gz|csv|db)$/, path)
        .replace(/^\.\/[\w-]+$/, path)
        .replace(/^(SHIPMENT|ORDER)$/, (name) => (kind === undefined ? ids[name] : toEnd[kind].pop()) ?? "")
    )
    const ended = await InProcess.run([...args, ...(calling.test(call) ? ["--url", host.url] : [])], { environment })
    if (out !== undefined) writeFileSync(path(out), ended.stdout)
    return ended
  }

  it("are there for every command", () => {
    deepStrictEqual(
      leaves.filter(({ command }) => command.examples.length === 0).map((one) => one.path),
      []
    )
    assertTrue(leaves.length > 50)
  })

  for (const { command, path: name } of leaves.filter(({ path }) => !endless.includes(path))) {
    it(`of ${name} do what they say`, async () => {
      for (const { command: text } of command.examples) {
        const ended = await shell(text)
        deepStrictEqual([text, ended.code, ended.stderr], [text, 0, ""])
      }
    })
  }
})
