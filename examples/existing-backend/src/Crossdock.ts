/**
 * Crossdock on the shop's database handle. Stock is in the shop's tables. Everything else is in tables whose names begin with
 * `crossdock_`.
 */
import { PaymentProviderTest } from "@crossdock/billing"
import { EventTypes, Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { withEachOrder } from "@crossdock/orders"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import { type Shop, signedIn } from "./Shop.ts"

export const company = CompanyId.make(1)

export const seller = {
  kind: "integration",
  id: "shop",
  integrationId: "shop",
  companyId: company,
  locations: null,
  stockPolicy: "adjust"
} as const

/** Stock and prices in the shop's own tables. The names of two columns differ from Crossdock's defaults. */
const stock = StorageSql.stockIn({
  stock: "shop_stock",
  movements: "shop_movements",
  columns: { mrp: "list_price", esp: "price" }
})

/** Writes a marketplace's order and the shop's own row in one transaction. */
const orders = withEachOrder(StorageSql.orders, ({ draft, id, marketplace }, sql) =>
  sql("INSERT INTO shop_orders VALUES (?, ?, ?)", [id, marketplace, draft.externalOrderId])
)

export const storage = stock.pipe(
  Layer.provideMerge(Layer.mergeAll(orders, StorageSql.marketplaces, StorageSql.ledger)),
  Layer.provideMerge(Layer.mergeAll(StorageSql.access, StorageSql.catalog)),
  Layer.provideMerge(StorageSql.base)
)

export const start = (shop: Shop, publicUrl: string) =>
  Host.make({
    storage: Layer.provide(storage, Sqlite.fromDatabase(shop.handle)),
    runtime: Node.runtime(),
    payments: PaymentProviderTest.layer,
    publicUrl: `${publicUrl}/partner`,
    prefix: "/partner",
    interfaces: ["seller", "marketplace"],
    signIn: { seller: async ({ headers }) => ((await signedIn(shop, headers.get("cookie"))) ? seller : undefined) },
    addressOf: Node.addressOf
  })

/** Announces orders that must be packed. After a restart, it continues with the next order, and may repeat the last one. */
export const packing = ({ services }: Host.Host, say: (line: string) => void) =>
  services.events.consume({
    group: "packing",
    handler: async (events) => {
      for (const event of events.map(EventTypes.known))
        if (event?.type === "order.placed") say(`Pack order ${event.data.externalOrderId} of ${event.data.marketplace}`)
    }
  })
