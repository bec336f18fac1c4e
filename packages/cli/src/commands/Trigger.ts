/** `crossdock trigger`: acts as a seller and a marketplace on a running host, to create sample data. */
import type { Marketplace as Contract } from "@crossdock/client"
import { Money } from "@crossdock/kernel"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as RunningHost from "../RunningHost.ts"

const { marketplace, seller, url } = RunningHost

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

/** Makes a move. If the host rejects it, the command fails with the message of the rejection. */
const moved = <E, R>(outcome: Effect.Effect<{ readonly errors: ReadonlyArray<{ readonly message: string }> }, E, R>) =>
  Effect.flatMap(outcome, ({ errors: [error] }) =>
    error === undefined ? Effect.void : Effect.fail(new CommandFailure(error.message))
  )

type Seller = Effect.Success<ReturnType<typeof RunningHost.sellerOf>>
type Marketplace = Effect.Success<ReturnType<typeof RunningHost.marketplaceOf>>

const deliver = Effect.fnUntraced(function* ({ bulk, shipments }: Seller, orderId: string) {
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
    "the location's code; for orders, the marketplace's code for it (default: BLR1)",
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
    Flag.filterMap(
      Option.liftPredicate((text): text is Contract.Currency => Money.exponent(text) !== undefined),
      () => "a currency of ISO 4217"
    ),
    Flag.withDescription("the order's currency (default: INR)"),
    Flag.withDefault("INR" as const)
  )
}

/** Defines a command that places an order with one line. `next` continues with that order, and returns a sentence. */
const ordered = (
  { does, examples, name }: { readonly name: string; readonly does: string; readonly examples: ReadonlyArray<string> },
  next: (
    placed: Readonly<Record<"order" | "shipment", string>>,
    seller: Seller,
    marketplace: Marketplace
  ) => Effect.Effect<string, unknown>
) =>
  RunningHost.define({
    name,
    does: `${does} ${RunningHost.passwords}`,
    examples,
    options: ordering,
    *run({ currency, location: location_id, marketplace, price: esp, quantity, seller, sku, url }) {
      const asSeller = yield* RunningHost.sellerOf(url, seller)
      const asMarketplace = yield* RunningHost.marketplaceOf(url, marketplace)
      const external_order_id = yield* Effect.sync(() => `TRIGGER-${crypto.randomUUID()}`)
      const { platform_order_id: order, shipments } = yield* asMarketplace.orders.create({
        payload: {
          external_order_id,
          ordering_currency: currency,
          payment: { mode: "PREPAID" },
          billing_address: address,
          shipping_address: address,
          shipments: [{ external_shipment_id: "1", location_id, lines: [{ sku, quantity, esp }] }]
        }
      })
      const placed = { order, external_order_id, shipment: shipments[0]?.shipment_id ?? "" }
      return Answer.sentence(yield* next(placed, asSeller, asMarketplace), placed)
    }
  })

const placing = ordered(
  {
    name: "order",
    does: "Places an order of one SKU as a marketplace.",
    examples: ["trigger order", "trigger order --sku 22423 --quantity 2"]
  },
  ({ order, shipment }) => Effect.succeed(`Order ${order} was placed; its shipment ${shipment} waits for the seller.`)
)

const returning = ordered(
  {
    name: "return",
    does: "Places an order, delivers it as the seller and sends it back as the customer. The seller can then receive the return.",
    examples: ["trigger return"]
  },
  ({ shipment }, seller, { bulk }) =>
    Effect.gen(function* () {
      yield* deliver(seller, shipment)
      yield* moved(bulk.orders.status([{ order_id: shipment, isSelfShip: true, status: "return_initiated" }]))
      return `Shipment ${shipment} was delivered and is on its way back.`
    })
)

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
