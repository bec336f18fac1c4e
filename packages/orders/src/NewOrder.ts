import type { Location } from "@crossdock/access"
import { CustomFields, type SoldSku } from "@crossdock/catalog"
import { type CompanyId, Instant, Money, pointer, required, type Violation } from "@crossdock/kernel"
import { beginShipment, type Shipment, type ShipmentItem, type ShipmentOrder } from "@crossdock/shipments"
import * as Result from "effect/Result"
import { type Order, type OrderDraft, OrderRejected, type OrderShipmentDraft } from "./Order.ts"
import { isTaxExempt, methodsOf, type PricedLine, printedCharges } from "./OrderPricing.ts"

/** The indexes of ids that appear earlier in the list. */
const repeatedAt = (ids: ReadonlyArray<string | null>): ReadonlyArray<number> => {
  const seen = new Set<string>()
  return ids.flatMap((id, at) => {
    if (id === null || id === "") return []
    if (seen.has(id)) return [at]
    seen.add(id)
    return []
  })
}

/** Finds lines with equal ids. A return names its lines by these ids, so each id must belong to one line only. */
const repeatedLines = ({ lines }: OrderShipmentDraft, shipment: number): ReadonlyArray<Violation> =>
  repeatedAt(lines.map(({ externalLineId }) => externalLineId)).map((line) => ({
    path: pointer(["shipments", shipment, "lines", line, "external_line_id"]),
    code: "DUPLICATE_LINE",
    message: `Another line of this shipment has the id ${lines[line]?.externalLineId}. Give each line its own id.`
  }))

const repeatedShipments = ({ shipments }: OrderDraft): ReadonlyArray<Violation> =>
  repeatedAt(shipments.map(({ externalShipmentId }) => externalShipmentId)).map((shipment) => ({
    path: pointer(["shipments", shipment, "external_shipment_id"]),
    code: "DUPLICATE_RECORD",
    message: "appears earlier in this order; give each shipment its own"
  }))

const otherCurrencies = ({ currency, shipments }: OrderDraft, currencies: ReadonlyArray<string | undefined>) => {
  const at = currencies.findIndex((one) => one !== undefined && one !== currency)
  if (at < 0) return []
  const message = `Location ${shipments[at]?.location} sells in ${currencies[at]}, not ${currency}. Send the order in ${currencies[at]}.`
  return [{ path: "/ordering_currency", code: "CURRENCY_MISMATCH", message }]
}

/**
 * Checks an order's shipments, and rejects with `CURRENCY_MISMATCH`, `DUPLICATE_LINE` or `VALIDATION_FAILED`.
 * `currencies` are those of the shipments' locations, undefined for an unknown one. Source: docs/reference/orders.md#create.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { checkShipments } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { Result } from "effect"
 *
 * const rejected = Result.flip(checkShipments(orderDraft({ currency: "USD" }), ["INR"]))
 * strictEqual(Result.getOrThrow(rejected).code, "CURRENCY_MISMATCH")
 * ```
 */
export const checkShipments = (
  draft: OrderDraft,
  currencies: ReadonlyArray<string | undefined>
): Result.Result<void, OrderRejected> => {
  const empty = { path: "/shipments", code: "VALIDATION_FAILED", message: "is empty. Send at least one shipment" }
  const malformed = draft.shipments.length > 0 ? repeatedShipments(draft) : [empty]
  const violations = [...malformed, ...otherCurrencies(draft, currencies), ...draft.shipments.flatMap(repeatedLines)]
  if (violations.length === 0) return Result.succeed(undefined)
  return malformed.length === 0
    ? OrderRejected.for(violations)
    : Result.fail(new OrderRejected({ code: "VALIDATION_FAILED", violations }))
}

/** Rejects faulty custom fields with `VALIDATION_FAILED`. Source: docs/guides/extend.md#custom-fields. */
export const checkFields = (
  fields: CustomFields.CustomFields,
  draft: OrderDraft
): Result.Result<void, OrderRejected> => {
  if (fields === CustomFields.none) return Result.succeed(undefined)
  const faultsOf = (record: CustomFields.RecordName, values: CustomFields.Values | undefined, at: Array<PropertyKey>) =>
    fields.faultsOf(record, values, pointer([...at, "custom_fields"]))
  const violations = [
    ...faultsOf("order", draft.customFields, []),
    ...draft.shipments.flatMap(({ customFields, lines }, shipment) => [
      ...faultsOf("shipment", customFields, ["shipments", shipment]),
      ...lines.flatMap((one, line) => faultsOf("item", one.customFields, ["shipments", shipment, "lines", line]))
    ])
  ]
  return violations.length === 0
    ? Result.succeed(undefined)
    : Result.fail(new OrderRejected({ code: "VALIDATION_FAILED", violations }))
}

const fieldsOf = (
  { customFields: ofOrder }: OrderDraft,
  { customFields: own }: OrderShipmentDraft,
  { filtersOf }: CustomFields.CustomFields
): Pick<Shipment, "customFields" | "filters" | "orderFields"> => {
  if (ofOrder === undefined && own === undefined) return {}
  const filters = [...filtersOf("order", ofOrder), ...filtersOf("shipment", own)]
  return {
    ...(own === undefined ? {} : { customFields: own }),
    ...(ofOrder === undefined ? {} : { orderFields: ofOrder }),
    ...(filters.length === 0 ? {} : { filters })
  }
}

type Sold = ReadonlyMap<string, SoldSku>

/** The id of a new item, and the size whose stock was reserved for it. */
export type ItemKey = Required<Pick<ShipmentItem, "id" | "sizeId">>

const itemOf = (
  line: OrderShipmentDraft["lines"][number],
  price: PricedLine,
  key: ItemKey,
  sold: SoldSku | undefined
) => {
  const { total, ...amounts } = price
  return {
    ...key,
    externalLineId: line.externalLineId,
    sku: line.sku,
    title: sold?.name ?? line.sku,
    hsCode: sold?.hsCode ?? null,
    ordered: line.quantity,
    cancelled: 0,
    splitOff: 0,
    invoiced: 0,
    ...amounts,
    taxBefore: Money.minorUnits(0),
    taxRate: line.tax?.rate ?? null,
    good: 0,
    bad: 0,
    qcReasons: [],
    unmappedReasons: [],
    imei: [],
    weight: sold?.weight ?? null,
    returnReason: null,
    ...(line.customFields === undefined ? {} : { customFields: line.customFields })
  }
}

/** Makes one shipment of an order. `before` has the totals and the units of the order's earlier lines. */
const shipmentOf = (
  order: Order,
  draft: OrderShipmentDraft,
  origin: Location,
  id: string,
  prices: ReadonlyArray<PricedLine>,
  before: Required<Pick<Shipment, "linesBefore" | "unitsBefore">>,
  keys: Iterator<ItemKey, undefined>,
  sold: Sold | undefined,
  fields: CustomFields.CustomFields
): Shipment =>
  beginShipment(
    {
      id,
      companyId: origin.companyId,
      location: origin.code,
      marketplace: order.marketplace,
      orderId: order.id,
      externalOrderId: order.draft.externalOrderId,
      externalShipmentId: draft.externalShipmentId,
      fulfillment: draft.fulfillment,
      selfShip: draft.selfShip,
      currency: order.draft.currency,
      ...before,
      items: draft.lines.map((line, at) => {
        const key = required(keys.next().value, "the id of a new item")
        return itemOf(line, required(prices[at], "the price of a line"), key, sold?.get(line.sku))
      }),
      packAfter: draft.packAfter,
      packBy: draft.packBy,
      dispatchBy: draft.dispatchBy,
      deliverBy: draft.deliverBy,
      sla: Math.min(order.orderDate + origin.handlingHours * 3_600_000, Instant.last),
      orderDate: order.orderDate,
      ...fieldsOf(order.draft, draft, fields)
    },
    order.createdAt
  )

/** The location of each shipment. A location is undefined if the marketplace has no location with the shipment's code. */
export type OrderOrigins = ReadonlyArray<Location | undefined>

/** Makes all shipments of an order. `prices` has an entry per shipment, `keys` per line, and `sold` per company. */
export const shipmentsOf = (
  order: Order,
  origins: OrderOrigins,
  prices: ReadonlyArray<ReadonlyArray<PricedLine>>,
  keys: Iterator<ItemKey, undefined>,
  sold: ReadonlyMap<CompanyId, Sold>,
  fields = CustomFields.none
): ReadonlyArray<Shipment> => {
  let before = { linesBefore: 0, unitsBefore: 0 }
  return order.draft.shipments.flatMap((draft, at) => {
    const origin = origins[at]
    if (origin === undefined) return []
    const own = required(prices[at], "the prices of a shipment")
    const id = required(order.shipments[at], "the id of a new shipment").shipmentId
    const shipment = shipmentOf(order, draft, origin, id, own, before, keys, sold.get(origin.companyId), fields)
    before = {
      linesBefore: own.reduce((sum, line) => sum + Number(line.total), before.linesBefore),
      unitsBefore: shipment.items.reduce((sum, { ordered }) => sum + ordered, before.unitsBefore)
    }
    return [shipment]
  })
}

/**
 * The fields of the order that its shipments show.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { shipmentOrderOf } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const draft = orderDraft({ payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: 100 }] } })
 * const order = { id: "o1", marketplace: "bazaar", total: 10_000, orderDate: 0, createdAt: 0, draft, shipments: [] }
 * const { methods, paymentMode } = shipmentOrderOf(order)
 * deepStrictEqual([paymentMode, methods], ["COD", { cod: 10_000, prepaid: 0, lines: 10_000, units: 1 }])
 * ```
 */
export const shipmentOrderOf = ({ draft }: Order): ShipmentOrder => ({
  ...(draft.addedCharges === undefined ? {} : { charges: printedCharges(draft) }),
  shippingAddress: draft.shippingAddress,
  billingAddress: draft.billingAddress,
  paymentMode: draft.payment.mode,
  methods: methodsOf(draft),
  gstin: draft.gstin,
  couponOwner: draft.coupon?.ownership ?? null,
  taxExempt: isTaxExempt(draft)
})
