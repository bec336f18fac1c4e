import {
  commandRecord,
  erasedShipment,
  eventRecord,
  Lifecycle,
  operationalStatuses,
  type Shipment,
  type ShipmentCommand
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import { ask, item, later, oneA, onlyB, placed, standing } from "./Fixtures.ts"

const json = (value: unknown) => JSON.parse(JSON.stringify(value))

const nothingKnown = { id: null, lengthCm: null, widthCm: null, heightCm: null, weightGrams: null }

/** The event of a record, from the record alone. */
const eventOf = (record: ReturnType<typeof json>, at: number): Parameters<typeof Lifecycle.evolve>[1] => {
  const created = (id: string) => ({
    ...placed("seller", {
      id,
      items: record.items.map((one: { itemId: string; quantity: number }) => item(one.itemId, one.quantity))
    })
  })
  if ("moved" in record) {
    const { moved, ...meta } = record
    const none = {
      remark: null,
      reasonCode: null,
      dpLocation: null,
      promisedDeliveryDate: null,
      estimatedDeliveryDate: null
    }
    return { _tag: "Moved", at, to: moved, meta: { ...none, ...meta } }
  }
  if ("cancelled" in record) return { _tag: "PartCancelled", at, created: created(record.cancelled) }
  if ("returned" in record) return { _tag: "ReturnOpened", at, created: created(record.returned) }
  if ("courier" in record) return { _tag: "CourierNamed", at, courier: { code: null, ...record.courier } }
  if ("locked" in record) return { _tag: "LockChanged", at, locked: record.locked }
  if ("checked" in record) return { _tag: "QualityChecked", at, quality: record.checked, items: record.items }
  const { ackDate, ackNumber, imei, invoiced, irn, number, packages } = record
  const invoice = { ackDate: ackDate ?? null, ackNumber: ackNumber ?? null, irn: irn ?? null, number, at }
  return {
    _tag: "InvoiceRecorded",
    at,
    kind: invoiced,
    invoice: { ...invoice, qrCode: null, signedInvoice: null },
    imei,
    packages: packages?.map((one: object) => ({ ...nothingKnown, ...one })) ?? null
  }
}

const meta = {
  remark: "late",
  reasonCode: 3,
  dpLocation: "Pune",
  promisedDeliveryDate: "2026-11-30",
  estimatedDeliveryDate: "2026-12-01"
}
const box = { id: "P1", lengthCm: 1, widthCm: 2, heightCm: null, weightGrams: 300 }
const texts = {
  number: "INV-7",
  irn: "IRN",
  qrCode: "QR",
  signedInvoice: "SIGNED",
  ackNumber: "7",
  ackDate: "2026-11-22"
}

const returned = { itemId: "a", externalLineId: "line-a", quantity: 1, reason: "torn" }

const commands: ReadonlyArray<ShipmentCommand> = [
  ask.confirm(),
  ask.cancel(),
  ask.cancel(oneA, "2"),
  ask.sale({ invoice: texts, items: [{ itemId: "a", quantity: 2, imei: ["1", "2"] }], packages: [box] }),
  ask.credit(),
  { _tag: "CreditNote", invoice: { ...texts, number: "CN-7" }, items: [], packages: null },
  ask.courier("courier"),
  ask.pack,
  ask.dispatch(),
  ask.awb("seller"),
  ask.awb("marketplace", true),
  ask.giveBack(),
  { _tag: "InitiateReturn", by: "marketplace", newShipmentId: "2", returnId: "R-1", meta, items: [returned] },
  ask.qc(),
  ask.qc(oneA, true, 1),
  ask.qc(onlyB, true, "torn"),
  ask.lock,
  ...operationalStatuses.map((status) => ask.status(status, "marketplace", meta))
]

const shipments = operationalStatuses.flatMap((status) =>
  (["seller", "courier", "marketplace"] as const).flatMap((ships) =>
    (["out", "rto", "return"] as const).map((way) => standing(status, { ships, way }))
  )
)

const withoutTexts = (one: Shipment): Shipment => {
  const bare = (invoice: Shipment["invoice"]) => invoice && { ...invoice, qrCode: null, signedInvoice: null }
  const events = one.events.map((entry) => ({ ...entry, remark: null, location: null }))
  // Reasons that aren't codes.
  const items = one.items.map((each) => ({ ...each, unmappedReasons: [] }))
  return { ...one, events, lastLocation: null, items, invoice: bare(one.invoice), creditNote: bare(one.creditNote) }
}

/** Texts that decide a move, and so are not replaced. */
const deciding = new Set("_tag by itemId externalLineId status partId newShipmentId".split(" "))

/** The command with the name of its field in place of each text. */
const canaried = (command: ShipmentCommand): ShipmentCommand =>
  JSON.parse(JSON.stringify(command), function (this: unknown, name, value) {
    if (Array.isArray(value) && value.every((one) => typeof one === "string"))
      return value.map((_, nth) => `canary-${name}-${nth}`)
    return typeof value === "string" && !deciding.has(name) && !Array.isArray(this) ? `canary-${name}` : value
  })

const namesIn = (kept: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(kept).matchAll(/canary-(\w+)/g)].map(([, name = ""]) => name)

/** Identifiers of papers, parcels, units and returns, and dates, which decoders check. */
const identifiers = (
  "number irn ackNumber ackDate id imei awbNumber awbNumbers courierName name code returnId " +
  "promisedDeliveryDate estimatedDeliveryDate"
).split(" ")

describe("What the trail keeps of a move", () => {
  it("gives, with the shipment before a move, the shipment after it, for every move", () => {
    const seen = new Set<string>()
    for (const before of shipments) {
      for (const command of commands) {
        const moved = Lifecycle.move(before, command, later)
        if (Result.isFailure(moved)) continue
        for (const { _tag } of moved.success.events) seen.add(_tag)
        const kept = json(moved.success.events.map(eventRecord)).map((one: unknown) => eventOf(one, later))
        deepStrictEqual(withoutTexts(kept.reduce(Lifecycle.evolve, before)), withoutTexts(moved.success.shipment))
      }
    }
    strictEqual(seen.size, 7)
  })

  it("names the units that were cancelled, and the shipment that they became", () => {
    const moved = Result.getOrThrow(Lifecycle.move(placed(), ask.cancel(onlyB), later))
    deepStrictEqual(moved.events.map(eventRecord), [
      { cancelled: moved.created?.id, status: "cancelled_seller", items: [{ itemId: "b", quantity: 1 }] }
    ])
  })

  it("has no text of a caller but the identifiers, nor has the shipment once it is erased", () => {
    const canaries = new Set<string>()
    const seen = new Set<string>()
    for (const before of shipments) {
      for (const one of commands) {
        const command = canaried(one)
        const moved = Lifecycle.move(before, command, later)
        if (Result.isFailure(moved)) continue
        for (const name of namesIn(command)) canaries.add(name)
        const { created, events, shipment } = moved.success
        const erased = [shipment, ...(created === null ? [] : [created])].map((each) => erasedShipment(each, later))
        for (const kept of [commandRecord(command), events.map(eventRecord), erased])
          for (const name of namesIn(kept)) seen.add(name)
      }
    }
    const freeTexts = ["dpLocation", "qrCode", "reason", "reasonCode", "remark", "signedInvoice"]
    deepStrictEqual([...seen].sort(), [...identifiers].sort())
    deepStrictEqual([...canaries].sort(), [...identifiers, ...freeTexts].sort())
  })

  it("has a reason of a cancelled or checked item only where it is a code", () => {
    const cancel = (reasonCode: string): ShipmentCommand => ({
      _tag: "Cancel",
      items: [{ itemId: "a", quantity: 1, reasonCode }],
      partId: "P-1"
    })
    const check = (reasonCode: string): ShipmentCommand => ({
      _tag: "CheckQuality",
      items: [{ itemId: "a", quantity: 1, reasonCode }],
      bad: true
    })
    const checked = standing("return_bag_delivered", { ships: "courier", way: "return" })
    for (const [before, command] of [
      [placed(), cancel],
      [checked, check]
    ] as const) {
      const kept = (reason: string) => {
        const { events } = Result.getOrThrow(Lifecycle.move(before, command(reason), later))
        return JSON.stringify([commandRecord(command(reason)), events.map(eventRecord)])
      }
      assertTrue(!kept("Mrs. Rao says so").includes("Rao"))
      assertTrue(kept("999").includes("999"))
    }
  })
})
