/**
 * Crossdock on the backend's database handle.
 */
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { withEachOrder } from "@crossdock/orders"
import { Sqlite, StorageSql } from "@crossdock/storage-sql"
import { Layer } from "effect"
import type { Shop } from "./Shop.ts"

export const company = CompanyId.make(1)

/** The backend itself as a caller of Crossdock's services. Its stock records add to the stock. */
export const seller = {
  kind: "integration",
  id: "shop",
  integrationId: "shop",
  companyId: company,
  locations: null,
  stockPolicy: "adjust"
} as const

/** A marketplace's order and its row in `orders` are committed together. */
const orders = withEachOrder(StorageSql.orders, ({ draft, id, marketplace }, sql) =>
  sql("INSERT INTO orders VALUES (?, ?, ?)", [id, marketplace, draft.externalOrderId])
)

const storage = Layer.mergeAll(StorageSql.stock, orders, StorageSql.marketplaces, StorageSql.ledger).pipe(
  Layer.provideMerge(Layer.mergeAll(StorageSql.access, StorageSql.catalog)),
  Layer.provideMerge(StorageSql.base)
)

export const start = (shop: Shop, url: string): Promise<Host.Host> =>
  Host.make({
    storage: Layer.provide(storage, Sqlite.fromDatabase(shop)),
    runtime: Node.runtime(),
    payments: PaymentProviderTest.layer,
    publicUrl: `${url}/partner`,
    prefix: "/partner",
    interfaces: ["marketplace"],
    addressOf: Node.addressOf
  })
