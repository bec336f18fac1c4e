/** An order. A draft's amounts are decimal, and its times in epoch milliseconds. Source: docs/reference/orders.md#create. */
import type { CustomFields } from "@crossdock/catalog"
import { frozen, type StaleWrite, type Stored, Transaction, taggedError, Violation } from "@crossdock/kernel"
import type { Address, CouponOwner, ShipmentDraft } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A line of an order. Source: docs/reference/marketplace.md#order-line. */
export interface OrderLineDraft {
  readonly externalLineId: string | null
  readonly sku: string
  readonly quantity: number
  readonly mrp: number | null
  /** The selling price of one unit, including tax. The amounts below are for the whole line. */
  readonly esp: number
  readonly discount: number
  readonly couponDiscount: number
  readonly deliveryCharge: number
  readonly tax: { readonly rate: number; readonly amount: number } | null
  /** The values of the host's custom fields for the line. */
  readonly customFields?: CustomFields.Values
}

/** A shipment of an order. Source: docs/reference/marketplace.md#order-shipment. */
export interface OrderShipmentDraft
  extends Pick<
    ShipmentDraft,
    "externalShipmentId" | "fulfillment" | "selfShip" | "packAfter" | "packBy" | "dispatchBy" | "deliverBy"
  > {
  /** The marketplace's own code of the location. */
  readonly location: string
  readonly lines: ReadonlyArray<OrderLineDraft>
  readonly customFields?: CustomFields.Values
}

/** An order as the marketplace sends it. Source: docs/reference/marketplace.md#order. */
export interface OrderDraft {
  readonly externalOrderId: string
  /** The currency's ISO 4217 code. */
  readonly currency: string
  readonly orderDate: number | null
  readonly payment: {
    readonly mode: "COD" | "PREPAID"
    readonly methods: ReadonlyArray<{ readonly mode: string; readonly name: string; readonly amount: number }>
  }
  readonly customer: { readonly name: string; readonly phone: string | null; readonly email: string | null } | null
  readonly billingAddress: Address
  readonly shippingAddress: Address
  readonly coupon: { readonly code: string; readonly amount: number; readonly ownership: CouponOwner } | null
  /** The charges of the order. A charge's amount includes its tax. */
  readonly charges: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly amount: number
    readonly tax: { readonly rate: number; readonly amount: number } | null
  }>
  readonly gstin: string | null
  readonly totalAmount: number | null
  readonly shipments: ReadonlyArray<OrderShipmentDraft>
  readonly meta: Readonly<Record<string, unknown>> | null
  readonly customFields?: CustomFields.Values
  /** The host's additional charges as decimal amounts. Papers print charges only if this field is present. */
  readonly addedCharges?: ReadonlyArray<OrderDraft["charges"][number] & { readonly code?: string }>
}

/** The fields of a draft that identify a person. An erasure removes them, and a difference never shows their values. */
export const personalFields = /* @__PURE__ */ frozen([
  "customer",
  "billingAddress",
  "shippingAddress",
  "meta"
] as const satisfies ReadonlyArray<keyof OrderDraft>)

export type PersonalField = (typeof personalFields)[number]

/** An accepted order. `total` is in minor units, and times are in epoch milliseconds. */
export interface Order {
  readonly id: string
  readonly marketplace: string
  readonly total: number
  readonly orderDate: number
  readonly createdAt: number
  readonly draft: OrderDraft
  /** The time when the order's personal data was erased. It is absent if the data wasn't erased. */
  readonly erasedAt?: number
  readonly shipments: ReadonlyArray<{ readonly externalShipmentId: string; readonly shipmentId: string }>
}

/** Port: stores orders. A marketplace can use each external id once, even in concurrent inserts. */
export class OrderStore extends Context.Service<
  OrderStore,
  {
    /** Inserts an order. Fails with `StaleWrite`, perhaps only at the commit, if its id or external id is already used. */
    readonly insert: (order: Order) => Stored<void, StaleWrite>
    /** Replaces the stored order that has the same id and marketplace. Reads of the order's shipments show the change. */
    readonly replace: (order: Order) => Stored<void>
    /** Removes earlier contents from the storage's files too. Call it outside a transaction. It can be repeated. */
    readonly purge: Stored<void>
    readonly byExternalId: (marketplace: string, externalOrderId: string) => Stored<Order | undefined, OrderArchived>
    /** At most `limit` orders of all marketplaces, sorted by id, after the id `after`. If it is null, the first orders. */
    readonly page: (after: string | null, limit: number) => Stored<ReadonlyArray<Order>>
    readonly byId: (marketplace: string, id: string) => Stored<Order | undefined>
  }
>()("@crossdock/orders/OrderStore") {}

/** Runs a statement of the application. The statement has the database's own placeholders. */
type Statement = NonNullable<typeof Transaction.Transaction.Service.statement>

/**
 * Wraps an order storage so that `also` runs in the transaction of each new order. If `also` fails, the order fails too. On a
 * SQL storage, `also` writes the application's rows with `sql`. It may run again if another writer was faster.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderStore, withEachOrder } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 * import { StorageMemory } from "@crossdock/storage-memory"
 * import { Effect } from "effect"
 *
 * const seen: Array<string> = []
 * const storage = withEachOrder(StorageMemory.layer, ({ id }) => Effect.sync(() => seen.push(id)))
 *
 * const draft = orderDraft()
 * const order = { id: "o1", marketplace: "bazaar", total: 10_000, orderDate: 0, createdAt: 0, draft, shipments: [] }
 *
 * await Effect.runPromise(Effect.provide(Effect.flatMap(OrderStore, ({ insert }) => insert(order)), storage))
 * deepStrictEqual(seen, ["o1"])
 * ```
 */
export const withEachOrder = <Ports, E, R>(
  storage: Layer.Layer<Ports, E, R>,
  also: (order: Order, sql: Statement) => Stored<unknown>
): Layer.Layer<Ports, E, R | Exclude<Transaction.Transaction, Ports>> => {
  const noSql: Statement = () => Effect.die(new Error("This storage has no SQL"))
  const store = Effect.gen(function* () {
    const [orders, { statement = noSql }] = [yield* OrderStore, yield* Transaction.Transaction]
    const insert: typeof orders.insert = (order) =>
      Effect.andThen(orders.insert(order), also(order, statement)).pipe(Effect.asVoid)
    return { ...orders, insert }
  })
  return Layer.provideMerge(Layer.effect(OrderStore, store), storage) as Layer.Layer<
    Ports,
    E,
    R | Exclude<Transaction.Transaction, Ports>
  >
}

/** The message as a sentence of its own. One that begins with its verb is about the value at the path. */
const messageOf = ({ message, path }: Violation): string =>
  /^[a-z]/.test(message) ? `${path || "The order"} ${message}` : message

/** An order was rejected and nothing was changed. Without a `summary`, the message is that of the first violation. */
export class OrderRejected extends taggedError<OrderRejected>()(
  "@crossdock/orders/OrderRejected",
  {
    code: Schema.Literals([
      "VALIDATION_FAILED",
      "TOTAL_MISMATCH",
      "CURRENCY_MISMATCH",
      "DUPLICATE_LINE",
      "UNKNOWN_SKU",
      "UNKNOWN_LOCATION",
      "INSUFFICIENT_STOCK",
      "ORDER_EXISTS"
    ]),
    summary: Schema.optionalKey(Schema.String),
    violations: Schema.Array(Violation)
  },
  ({ summary, violations: [first] }) => summary ?? (first === undefined ? "The order is not valid" : messageOf(first))
) {
  /** Rejects an order for these violations. If their codes differ, the code is `VALIDATION_FAILED`. */
  static for(violations: ReadonlyArray<Violation>) {
    const [code, ...others] = new Set(violations.map((one) => one.code as OrderRejected["code"]))
    const common = code === undefined || others.length > 0 ? "VALIDATION_FAILED" : code
    return Result.fail(new OrderRejected({ code: common, violations }))
  }
}

/** The marketplace has no order with this id. */
export class OrderNotFound extends taggedError<OrderNotFound>()(
  "@crossdock/orders/OrderNotFound",
  { id: Schema.String },
  ({ id }) => `There is no order ${id}. Send the platform_order_id of the order's answer.`
) {}

/** The order was placed earlier and is now in an archive file. The storage has only its ids. */
export class OrderArchived extends taggedError<OrderArchived>()(
  "@crossdock/orders/OrderArchived",
  { id: Schema.String },
  ({ id }) => `The order was placed before, as ${id}, and is archived. Send a new external_order_id for a new order.`
) {}

/** The order's personal data can't be erased yet, because these shipments are open or await their quality check. */
export class OrderInProgress extends taggedError<OrderInProgress>()(
  "@crossdock/orders/OrderInProgress",
  { id: Schema.String, shipmentIds: Schema.Array(Schema.String) },
  ({ id, shipmentIds }) =>
    `Order ${id} can't be erased because these of its shipments are still open: ${shipmentIds.join(", ")}. Erase it after they are closed.`
) {}
