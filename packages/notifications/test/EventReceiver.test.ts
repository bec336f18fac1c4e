import { StockFeed } from "@crossdock/inventory"
import { EventReceiver, Signature } from "@crossdock/notifications/node"
import { ShipmentFeed } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { secret } from "./Receiver.ts"

const now = 1_790_000_000_000
const older = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

const receive = EventReceiver.make([...StockFeed.types, ...ShipmentFeed.types])

const incoming = (content: unknown, at = now, signed = secret) => {
  const body = typeof content === "string" ? content : JSON.stringify(content)
  const timestamp = Math.floor(at / 1000)
  return {
    body,
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(timestamp),
      "webhook-signature": Signature.sign(signed, "msg_1", timestamp, body),
      [EventReceiver.endpointHeader]: "erp"
    }
  }
}

const event = (number: number, type: string, data: unknown, version = 1) => ({
  companyId: 7,
  number,
  change: 5,
  at: now,
  type,
  version,
  data
})

const statusOf = (content: unknown, at?: number, signed?: string) =>
  Result.match(receive(incoming(content, at, signed), { secrets: [secret], now }), {
    onFailure: ({ status }) => status,
    onSuccess: () => 200
  })

describe("A receiver of webhooks of events", () => {
  it("rejects a wrong signature, an old one, and a changed body with 401", () => {
    const one = incoming([])
    strictEqual(statusOf([]), 200)
    strictEqual(statusOf([], now, older), 401)
    strictEqual(statusOf([], now - 301_000), 401)
    strictEqual(statusOf([], now + 301_000), 401)
    const changed = receive({ ...one, body: "[ ]" }, { secrets: [secret], now })
    assertTrue(Result.isFailure(changed))
    strictEqual(changed.failure.status, 401)
    assertTrue(Result.isSuccess(receive(one, { secrets: [older, secret], now })))
  })

  it("rejects a signed body that isn't a list of events with 400", () => {
    const whole = event(1, "order.placed", {})
    const { number: _, ...unnumbered } = whole
    for (const content of [
      "",
      "{}",
      "null",
      "[null]",
      [unnumbered],
      [{ ...whole, number: "1" }],
      [{ ...whole, companyId: 0 }]
    ]) {
      strictEqual(statusOf(content), 400, JSON.stringify(content))
    }
    strictEqual(statusOf([whole]), 200)
  })

  it("types the events that it knows, and passes on other types, versions and payloads as they are", () => {
    const [stock] = StockFeed.types
    const sent = [
      event(1, "stock.changed", { ...stock.example, sellable: 8, addedLater: true }),
      event(2, "stock.changed", stock.example, 2),
      event(3, "refund.given", { amount: 5 }),
      event(4, "stock.changed", { sku: 5 }),
      event(5, "shipment.moved", ShipmentFeed.types[0].example)
    ]
    const { events, known } = Result.getOrThrow(receive(incoming(sent), { secrets: [secret], now }))
    deepStrictEqual(events, sent as never)
    const typed = events.map(known)
    deepStrictEqual(
      typed.map((one) => one?.type),
      ["stock.changed", undefined, undefined, undefined, "shipment.moved"]
    )
    const [first] = typed
    strictEqual(first?.type === "stock.changed" ? first.data.sellable : undefined, 8)
  })
})
