import { createHash } from "node:crypto"
import { CompanyId } from "@crossdock/kernel"
import { codesOf, companiesOf, type Marketplace } from "@crossdock/marketplaces"
import { InventoryEvent } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, notDeepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { company, level } from "./Stock.ts"

const { bodyOf, eventsOf } = InventoryEvent
const other = CompanyId.make(3)
const at = Date.UTC(2026, 0, 2, 3, 4, 5, 67)

const bazaar: Marketplace = {
  slug: "bazaar",
  name: "Bazaar",
  currency: "INR",
  locations: [
    { companyId: company, location: "L1", code: "B-1" },
    { companyId: other, location: "L1", code: "OTHER" },
    { companyId: company, location: "L2", code: "B-2" }
  ],
  skus: null,
  buffers: [],
  retiredCodes: [],
  webhook: null
}

const context: InventoryEvent.EventContext = {
  marketplace: bazaar,
  floor: { changeNumber: 0, sequence: 0 },
  sha256: (text) => createHash("sha256").update(text).digest("hex")
}

const eventOf = (one: ReturnType<typeof level>, more: Partial<InventoryEvent.EventContext> = {}) => {
  const [event] = eventsOf([one], { ...context, ...more })
  assertTrue(event !== undefined)
  return event
}

describe("InventoryEvent", () => {
  it("the body has the reference's names, the marketplace's own code and an ISO time", () => {
    const events = eventsOf(
      [level("SKU “1”", { onHand: 9, reserved: 2, unsellable: 4, changeNumber: 5, changedAt: at })],
      context
    )
    deepStrictEqual(JSON.parse(bodyOf(events)), [
      {
        event_id: events[0]?.eventId,
        type: "inventory.updated",
        sku: "SKU “1”",
        location_id: "B-1",
        quantity: 7,
        sequence: 5,
        occurred_at: "2026-01-02T03:04:05.067Z"
      }
    ])
    strictEqual(bodyOf([]), "[]")
  })

  it("the quantity is what can be sold, never below 0", () => {
    strictEqual(eventOf(level("a", { onHand: 2, reserved: 5 })).quantity, 0)
  })

  it("unmapped locations and those of another company are left out, the order stays", () => {
    const levels = [level("c", { location: "L2" }), level("b", { location: "L3" }), level("a")]
    deepStrictEqual(
      eventsOf(levels, context).map(({ code, location, sku }) => [sku, location, code]),
      [
        ["c", "L2", "B-2"],
        ["a", "L1", "B-1"]
      ]
    )
    deepStrictEqual(eventsOf([level("a", { companyId: CompanyId.make(99) })], context), [])
    deepStrictEqual(codesOf(bazaar, CompanyId.make(99)), new Map())
    strictEqual(eventOf(level("a", { companyId: other })).code, "OTHER")
  })

  it("no levels make no events", () => deepStrictEqual(eventsOf([], context), []))

  it("a SKU that the marketplace does not sell is left out", () => {
    const chosen = { ...context, marketplace: { ...bazaar, skus: ["b"] } }
    deepStrictEqual(
      eventsOf([level("a"), level("b")], chosen).map(({ sku }) => sku),
      ["b"]
    )
  })

  it("safety stock is not shown: the most exact buffer counts, and nothing goes below 0", () => {
    const all = { companyId: null, location: null, sku: null }
    const buffers = [
      { ...all, quantity: 1 },
      { ...all, companyId: company, quantity: 2 },
      { ...all, location: "L1", quantity: 3 },
      { ...all, sku: "b", quantity: 4 },
      { ...all, sku: "b", location: "L1", quantity: 100 },
      { ...all, companyId: other, sku: "c", quantity: 50 }
    ]
    const quantity = (one: ReturnType<typeof level>) =>
      eventOf({ ...one, onHand: 10, reserved: 0 }, { marketplace: { ...bazaar, buffers } }).quantity
    strictEqual(quantity(level("a", { companyId: other, location: "L1" })), 7)
    strictEqual(quantity(level("a", { location: "L2" })), 8)
    strictEqual(quantity(level("a")), 7)
    strictEqual(quantity(level("b", { location: "L2" })), 6)
    strictEqual(quantity(level("b")), 0)
    strictEqual(quantity(level("c")), 7)
  })

  it("changes up to the channel's floor have its sequence, later ones rise from there, and ids differ by it", () => {
    const floor = { changeNumber: 9, sequence: 1000 }
    deepStrictEqual(
      [5, 9, 10, 12].map((changeNumber) => eventOf(level("a", { changeNumber }), { floor }).sequence),
      [1000, 1000, 1001, 1003]
    )
    notDeepStrictEqual(
      eventOf(level("a", { changeNumber: 5 }), { floor }).eventId,
      eventOf(level("a", { changeNumber: 5 })).eventId
    )
  })

  it("companies are listed once each, ascending", () => {
    deepStrictEqual(companiesOf(bazaar), [other, company])
    deepStrictEqual(companiesOf({ ...bazaar, locations: [] }), [])
  })

  it("the same change has the same id whatever its quantity, and every other change another one", () => {
    const one = level("a", { changeNumber: 5 })
    const { eventId } = eventOf(one)
    assertTrue(/^[0-9a-f]{32}$/.test(eventId))
    strictEqual(eventOf({ ...one, onHand: 3, version: 9 }).eventId, eventId)
    const others = [
      eventOf({ ...one, changeNumber: 6 }),
      eventOf({ ...one, sku: "b" }),
      eventOf({ ...one, location: "L2" }),
      eventOf({ ...one, companyId: other }),
      eventOf(one, { marketplace: { ...bazaar, slug: "souk" } }),
      eventOf(one, { marketplace: { ...bazaar, locations: [{ companyId: company, location: "L1", code: "NEW" }] } })
    ].map((event) => event.eventId)
    strictEqual(new Set([eventId, ...others]).size, 7)
  })

  it("the same events give the same text, so that a retry is known by its fingerprint", () => {
    const levels = [level("a"), level("b", { location: "L2" })]
    strictEqual(bodyOf(eventsOf(levels, context)), bodyOf(eventsOf(structuredClone(levels), context)))
    notDeepStrictEqual(
      bodyOf(eventsOf(levels, context)),
      bodyOf(eventsOf([level("a", { onHand: 9 }), level("b", { location: "L2" })], context))
    )
  })
})
