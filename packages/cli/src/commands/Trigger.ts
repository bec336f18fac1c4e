/** `crossdock trigger`: plays a seller and a marketplace on a running host, to create sample data. */
import type { Marketplace as Contract } from "@crossdock/client"
import { Money } from "@crossdock/kernel"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as RunningHost from "../RunningHost.ts"

const { marketplace, seller, url } = RunningHost

const isCurrency = (text: string): text is Contract.Currency => Money.exponent(text) !== undefined

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

interface Wanted {
  readonly url: string
  readonly seller: string
  readonly marketplace: string
  readonly location: string
  readonly sku: string
  readonly quantity: number
  readonly price: number
  readonly currency: Contract.Currency
}

/** The seller and the marketplace, each signed in once. */
const acting = (wanted: Wanted) =>
  Effect.map(
    Effect.all({
      asSeller: RunningHost.sellerOf(wanted.url, wanted.seller),
      asMarketplace: RunningHost.marketplaceOf(wanted.url, wanted.marketplace)
    }),
    (parties) => ({ ...wanted, ...parties })
  )

type Acting = Effect.Success<ReturnType<typeof acting>>

/** An order of one line, and its shipment. */
const order = ({ asMarketplace: { orders }, currency, location, price, quantity, sku }: Acting) =>
  Effect.gen(function* () {
    const external_order_id = yield* Effect.sync(() => `TRIGGER-${crypto.randomUUID()}`)
    const placed = yield* orders.create({
      payload: {
        external_order_id,
        ordering_currency: currency,
        payment: { mode: "PREPAID" },
        billing_address: address,
        shipping_address: address,
        shipments: [{ external_shipment_id: "1", location_id: location, lines: [{ sku, quantity, esp: price }] }]
      }
    })
    return { order: placed.platform_order_id, external_order_id, shipment: placed.shipments[0]?.shipment_id ?? "" }
  })

interface Outcome {
  readonly errors: ReadonlyArray<{ readonly message: string }>
}

/** A move that the host rejected ends the command with its sentence. */
const moved = <E, R>(outcome: Effect.Effect<Outcome, E, R>) =>
  Effect.flatMap(outcome, ({ errors: [error] }) =>
    error === undefined ? Effect.void : Effect.fail(new CommandFailure(error.message))
  )

/** Delivers a placed shipment, as its seller. */
const deliver = Effect.fnUntraced(function* ({ asSeller: { bulk, shipments } }: Acting, orderId: string) {
  const [read] = yield* shipments.read({ query: { orderId } })
  const orderItems = (read?.orderItems ?? []).map(({ orderItemId, quantity }) => ({ orderItemId, quantity }))
  const { awb, confirm, dispatch, invoiceUpdate, pack, status } = bulk.shipments
  const courier = { awbNumber: `AWB${orderId}`, courierName: "A Courier", autoDispatch: false }
  yield* moved(confirm([{ orderId, orderItems }]))
  yield* moved(invoiceUpdate([{ orderId, invoiceNumber: `INV-${orderId}`, invoiceType: "sale" }]))
  yield* moved(pack([{ orderId }]))
  yield* moved(awb([{ orderId, ...courier }]))
  yield* moved(dispatch([{ orderId }]))
  yield* moved(status([{ orderId, orderStatus: "out_for_delivery" }]))
  yield* moved(status([{ orderId, orderStatus: "delivery_done" }]))
})

const shared = {
  url,
  seller,
  location: CommandLine.text(
    "location",
    "the location's code; for an order, the marketplace's own code (default: BLR1)",
    "BLR1"
  ),
  sku: CommandLine.text("sku", "the SKU (default: 85123A, of the sandbox)", "85123A")
}

const units = (least: number, fallback: number) =>
  CommandLine.whole("quantity", `units (default: ${fallback})`, least, 1_000_000).pipe(Flag.withDefault(fallback))

const ordering = {
  ...shared,
  marketplace,
  quantity: units(1, 1),
  price: Flag.Finite("price").pipe(Flag.withDescription("price of one unit (default: 100)"), Flag.withDefault(100)),
  currency: Flag.String("currency").pipe(
    Flag.filterMap(Option.liftPredicate(isCurrency), () => "a currency of ISO 4217"),
    Flag.withDescription("the order's currency (default: INR)"),
    Flag.withDefault("INR" as const)
  )
}

const placing = RunningHost.define({
  name: "order",
  does: `Places an order of one SKU as a marketplace. ${RunningHost.passwords}`,
  examples: ["trigger order", "trigger order --sku 22423 --quantity 2"],
  options: ordering,
  *run(wanted) {
    const placed = yield* order(yield* acting(wanted))
    return Answer.sentence(
      `Order ${placed.order} was placed; its shipment ${placed.shipment} waits for the seller.`,
      placed
    )
  }
})

const returning = RunningHost.define({
  name: "return",
  does: `Places an order, delivers it as the seller and sends it back as the customer. The seller can then receive the return. ${RunningHost.passwords}`,
  examples: ["trigger return"],
  options: ordering,
  *run(wanted) {
    const all = yield* acting(wanted)
    const placed = yield* order(all)
    yield* deliver(all, placed.shipment)
    const { status } = all.asMarketplace.bulk.orders
    yield* moved(status([{ order_id: placed.shipment, isSelfShip: true, status: "return_initiated" }]))
    return Answer.sentence(`Shipment ${placed.shipment} was delivered and is on its way back.`, placed)
  }
})

const stocking = RunningHost.define({
  name: "stock",
  does: `Sets the stock of a SKU as a seller; marketplaces are notified of it. ${RunningHost.passwords}`,
  examples: ["trigger stock --quantity 10"],
  options: { ...shared, quantity: units(0, 10) },
  *run({ location: location_id, quantity, seller, sku, url }) {
    const { bulk } = yield* RunningHost.sellerOf(url, seller)
    yield* moved(bulk.stock.update([{ location_id, sku, quantity }]))
    return Answer.sentence(`${seller} has ${quantity} of ${sku} at ${location_id}.`, { location_id, sku, quantity })
  }
})

export const command = CommandLine.group(
  "trigger",
  "Acts as a seller and a marketplace on a running host, by default those of its sandbox.",
  [placing, returning, stocking]
)
