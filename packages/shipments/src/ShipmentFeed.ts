/** The events of shipments in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { frozen, required } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import type { BatchChanges } from "./MoveBatch.ts"
import type { Shipment, ShipmentItem } from "./Shipment.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import { operationalStatuses } from "./ShipmentStatus.ts"

/** The schema accepts any text, since a host may add statuses. */
const Status = Schema.String.check(
  Schema.makeFilter(() => true, { toJsonSchema: () => ({ enum: operationalStatuses }) })
)

const shipment = {
  shipmentId: Schema.String,
  orderId: Schema.String,
  location: Schema.String.annotate({ description: "The company's own code for the shipping location." }),
  marketplace: Schema.String
}

const Units = Schema.Array(Schema.Struct({ itemId: Schema.String, sku: Schema.String, quantity: Schema.Int }))

const example = {
  shipmentId: "17000000000000000001",
  orderId: "65f0c2a9d4b3e1f2a7c8d9e0",
  location: "BLR1",
  marketplace: "bazaar"
}

const unit = { itemId: "17000000000000000002", sku: "85123A", quantity: 1 }
const units = [unit]

export const moved = CompanyEvent.define({
  type: "shipment.moved",
  description: "A shipment's status changed, or its current status was reported again.",
  data: Schema.Struct({ ...shipment, from: Status, to: Status }),
  example: { ...example, from: "bag_packed", to: "bag_picked" }
})

export const partCancelled = CompanyEvent.define({
  type: "shipment.part_cancelled",
  description: "Some units of a shipment were cancelled, and moved to a new shipment.",
  data: Schema.Struct({
    ...shipment,
    partId: Schema.String.annotate({ description: "The new shipment." }),
    status: Status.annotate({ description: "The status of the new shipment." }),
    items: Units
  }),
  example: { ...example, partId: "17000000000000000005", status: "cancelled_customer", items: units }
})

export const invoiced = CompanyEvent.define({
  type: "shipment.invoiced",
  description: "The invoice or the credit note of a shipment was recorded, or replaced.",
  data: Schema.Struct({
    ...shipment,
    kind: Schema.Literals(["sale", "return"]).annotate({ description: "`return` is a credit note." }),
    number: Schema.String
  }),
  example: { ...example, kind: "sale", number: "INV-2026-0042" }
})

export const courierNamed = CompanyEvent.define({
  type: "shipment.courier_named",
  description: "A shipment's courier was assigned or changed.",
  data: Schema.Struct({
    ...shipment,
    courier: Schema.String,
    code: Schema.NullOr(Schema.String).annotate({ description: "The courier's code, if it is known." }),
    awbNumbers: Schema.Array(Schema.String)
  }),
  example: { ...example, courier: "Crossdock Courier", code: "crossdock", awbNumbers: ["AWB123456789"] }
})

export const locked = CompanyEvent.define({
  type: "shipment.locked",
  description: "A shipment was locked or unlocked. A locked shipment rejects all moves.",
  data: Schema.Struct({ ...shipment, locked: Schema.Boolean }),
  example: { ...example, locked: true }
})

export const returnOpened = CompanyEvent.define({
  type: "return.opened",
  description: "A customer returns units of a delivered shipment. The return is a new shipment.",
  data: Schema.Struct({
    ...shipment,
    returnShipmentId: Schema.String.annotate({ description: "The new shipment." }),
    returnId: Schema.NullOr(Schema.String).annotate({ description: "The marketplace's own id of the return." }),
    status: Status.annotate({ description: "The status of the new shipment." }),
    items: Units
  }),
  example: {
    ...example,
    returnShipmentId: "17000000000000000009",
    returnId: "RET-7",
    status: "return_initiated",
    items: units
  }
})

export const returnJudged = CompanyEvent.define({
  type: "return.judged",
  description: "Returned units were checked: they are in stock again, or unsellable.",
  data: Schema.Struct({
    ...shipment,
    accepted: Schema.Boolean.annotate({ description: "Whether the units passed." }),
    items: Schema.Array(
      Schema.Struct({
        itemId: Schema.String,
        sku: Schema.String,
        quantity: Schema.Int,
        reasonCodes: Schema.Array(Schema.Int).annotate({
          description: "Why units failed, as codes of docs/reference/returns.md."
        })
      })
    )
  }),
  example: { ...example, accepted: false, items: [{ ...unit, reasonCodes: [12] }] }
})

export const types = /* @__PURE__ */ frozen([
  moved,
  partCancelled,
  invoiced,
  courierNamed,
  locked,
  returnOpened,
  returnJudged
] as const)

const unitsOf = (items: ReadonlyArray<ShipmentItem>) =>
  items.map(({ id, ordered, sku }) => ({ itemId: id, sku, quantity: ordered }))

/** Makes the draft of an event. `from` is the shipment's status before the event. */
const draftOf = (
  { id, items, location, marketplace, orderId }: Shipment,
  event: ShipmentEvent,
  from: Shipment["status"]
): CompanyEvent.EventDraft => {
  const of = { shipmentId: id, orderId, location, marketplace }
  switch (event._tag) {
    case "Moved":
      return CompanyEvent.draft(moved, { ...of, from, to: event.to })
    case "PartCancelled": {
      const { id: partId, items, status } = event.created
      return CompanyEvent.draft(partCancelled, { ...of, partId, status, items: unitsOf(items) })
    }
    case "InvoiceRecorded":
      return CompanyEvent.draft(invoiced, { ...of, kind: event.kind, number: event.invoice.number })
    case "CourierNamed": {
      const { awbNumbers, code, name } = event.courier
      return CompanyEvent.draft(courierNamed, { ...of, courier: name, code, awbNumbers })
    }
    case "LockChanged":
      return CompanyEvent.draft(locked, { ...of, locked: event.locked })
    case "ReturnOpened": {
      const { id: returnShipmentId, items, returnId, status } = event.created
      return CompanyEvent.draft(returnOpened, { ...of, returnShipmentId, returnId, status, items: unitsOf(items) })
    }
    case "QualityChecked": {
      const skus = new Map(items.map((item) => [item.id, item.sku]))
      return CompanyEvent.draft(returnJudged, {
        ...of,
        accepted: event.quality === "good",
        items: event.items.map(({ itemId, quantity, reasons }) => ({
          itemId,
          sku: required(skus.get(itemId), "the checked item"),
          quantity,
          reasonCodes: reasons.map(({ code }) => code)
        }))
      })
    }
  }
}

const createdIn = (events: ReadonlyArray<ShipmentEvent>): ReadonlyMap<string, Shipment> =>
  new Map(events.flatMap((event) => ("created" in event ? [[event.created.id, event.created] as const] : [])))

/**
 * The events of a batch of moves, in order per shipment. The events of a created shipment follow the event that created it.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { MoveBatch, ShipmentFeed } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 *
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const request = { shipmentId: "17", path: "/0/shipmentId", command: () => confirm }
 * const batch = MoveBatch.begin("confirm", [placedShipment({ id: "17" })], [])
 * batch.move(request, confirm, 0, () => true)
 * const [event] = ShipmentFeed.eventsOf(batch.changes())
 * deepStrictEqual([event?.type, event?.version], ["shipment.moved", 1])
 * ```
 */
export const eventsOf = ({ events, inserts, updates }: BatchChanges): ReadonlyArray<CompanyEvent.EventDraft> => {
  const created = createdIn(updates.flatMap(({ after }) => events(after.id)))
  const begun = inserts.map((after) => ({ before: created.get(after.id) ?? after, after }))
  return [...updates, ...begun].flatMap(({ after, before }) => {
    let from = before.status
    return events(after.id).map((event) => {
      const draft = draftOf(after, event, from)
      if (event._tag === "Moved") from = event.to
      return draft
    })
  })
}
