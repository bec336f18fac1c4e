/**
 * Crossdock on the shop's database handle: stock in the shop's tables, all else in tables that begin with `crossdock_`.
 */
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Shop, signedIn } from "./Shop.ts"
import * as StockOfShop from "./StockOfShop.ts"

export const company = CompanyId.make(1)

export const seller = {
  kind: "integration",
  id: "shop",
  integrationId: "shop",
  companyId: company,
  locations: null,
  stockPolicy: "adjust"
} as const

/** A marketplace's order is in the shop's own list as soon as it is in ours: one transaction writes both, or neither. */
const orders = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const [store, sql] = [yield* OrderStore, yield* SqlClient.SqlClient]
    const insert: typeof store.insert = (order) =>
      Effect.tap(store.insert(order), (isNew) => {
        const row = { id: order.id, marketplace: order.marketplace, externalId: order.draft.externalOrderId }
        return isNew ? Effect.orDie(sql`INSERT INTO shop_orders ${sql.insert(row)}`) : Effect.void
      })
    return { ...store, insert }
  })
).pipe(Layer.provideMerge(StorageSql.orders))

export const storage = StockOfShop.layer.pipe(
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
    addressOf: Host.forwardedFor
  })
