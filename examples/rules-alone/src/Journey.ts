/** A shipment of two units that is moved by the rules alone. Each step is the result of `Lifecycle.move`. */
import type { CompanyId, Money } from "@crossdock/kernel"
import {
  beginShipment,
  Lifecycle,
  noMeta,
  type OperationalStatus,
  remaining,
  type Shipment,
  type ShipmentCommand,
  type StockEffect
} from "@crossdock/shipments"
import * as Result from "effect/Result"
import type { Move } from "./Moves.ts"

const amount = (minor: number) => minor as Money.MinorUnits
const none = amount(0)

/** A shipment of two mugs that was placed just now. The seller ships it. */
const placed: Shipment = beginShipment(
  {
    ...{ id: "1", companyId: 1 as CompanyId, location: "BLR1", marketplace: "bazaar", currency: "INR" },
    ...{ orderId: "O1", externalOrderId: "BZ-1001", externalShipmentId: "BZ-1001-1" },
    ...{ fulfillment: "SELLER", selfShip: true, linesBefore: 0, orderDate: 0, sla: 86_400_000 },
    ...{ packAfter: null, packBy: null, dispatchBy: null, deliverBy: null },
    items: [
      {
        ...{ id: "1", externalLineId: null, sku: "MUG-1-S", title: "Blue mug", hsCode: "691110", mrp: null },
        ...{ ordered: 2, cancelled: 0, splitOff: 0, invoiced: 0, good: 0, bad: 0 },
        ...{ esp: amount(39_950), discount: none, couponDiscount: none, deliveryCharge: none },
        ...{ taxRate: null, taxAmount: none, taxBefore: none },
        ...{ qcReasons: [], unmappedReasons: [], imei: [], returnReason: null }
      }
    ]
  },
  0
)

const invoice = { number: "INV-1", irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }

/** The units that are left of the shipment's only item. */
const unitsOf = ({ items }: Shipment): number =>
  items.reduce((sum, item) => sum + remaining(item).ordered - item.cancelled, 0)

const operationOf = (name: string) =>
  Object.entries(Lifecycle.operations).find(([, operation]) => operation.name === name)?.[0] as
    | Lifecycle.Operation
    | undefined

/** The command of a move, for all units that are left. For a partial move, it is for one unit. */
const commandOf = ({ by, name, opensReturn, to }: Move, shipment: Shipment, next: string): ShipmentCommand => {
  const units = (quantity: number) => [{ itemId: "1", quantity, reasonCode: null }]
  const sender = by.includes("seller") ? "seller" : "marketplace"
  const awb = { _tag: "AssignAwb", by: sender, awbNumber: "AWB1001", courierName: "Road Runner" } as const
  switch (operationOf(name)) {
    case "confirm":
      return { _tag: "Confirm", items: units(unitsOf(shipment)) }
    case "cancelPart":
      return { _tag: "Cancel", items: units(1), partId: next }
    case "cancel":
      return { _tag: "Cancel", items: units(unitsOf(shipment)), partId: next }
    case "invoiceSale":
      return { _tag: "InvoiceSale", invoice, items: [], packages: null }
    case "creditNote":
      return { _tag: "CreditNote", invoice: { ...invoice, number: "CN-1" }, items: [], packages: null }
    case "assignCourier":
      return { _tag: "AssignCourier", by: "seller", courier: null }
    case "pack":
      return { _tag: "Pack" }
    case "dispatch":
      return { _tag: "Dispatch", items: null }
    case "awb":
      return { ...awb, autoDispatch: false }
    case "awbDispatch":
      return { ...awb, autoDispatch: true }
    case "return":
      return { _tag: "CheckQuality", items: null, bad: false }
    default:
      return opensReturn
        ? { _tag: "InitiateReturn", by: sender, items: null, returnId: null, newShipmentId: next, meta: noMeta }
        : { _tag: "Report", by: sender, status: to, meta: noMeta }
  }
}

/** A step: the move, the shipment after it, and its effects on stock. */
export interface Step {
  readonly name: string
  readonly shipment: Shipment
  readonly stock: ReadonlyArray<StockEffect>
  /** The statuses that the step reached. There are two if the seller ships: an invoice then assigns the courier too. */
  readonly reached: ReadonlyArray<OperationalStatus>
}

export const start: Step = { name: "order", shipment: placed, stock: [], reached: ["placed"] }

/** The status of a step, as in the table. */
export const statusOf = ({ shipment }: Step): OperationalStatus => shipment.status as OperationalStatus

/** The steps with the next one, or the code and message of the rejection. A return continues as the new shipment. */
export const next = (steps: ReadonlyArray<Step>, move: Move): Result.Result<Step, string> => {
  const { shipment } = steps.at(-1) ?? start
  const at = steps.length
  return Result.mapBoth(Lifecycle.move(shipment, commandOf(move, shipment, String(at + 1)), at), {
    onFailure: ({ code, message }) => `${code}: ${message}`,
    onSuccess: ({ created, events, shipment: moved, stock }) => {
      const returned = move.opensReturn ? created : null
      const statuses = events.map((_, nth) => events.slice(0, nth + 1).reduce(Lifecycle.evolve, shipment).status)
      const changes = statuses.filter((status, nth) => status !== (statuses[nth - 1] ?? shipment.status))
      const passed = changes.length > 0 ? changes : statuses.slice(-1)
      return {
        ...{ name: move.name, shipment: returned ?? moved, stock },
        reached: (returned === null ? passed : [returned.status]) as Step["reached"]
      }
    }
  })
}
