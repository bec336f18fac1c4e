/**
 * Erases the personal data of orders in the database, which no interface offers. Source: docs/reference/orders.md#erasure.
 */
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { Ids } from "@crossdock/kernel"
import { Orders } from "@crossdock/orders"
import { Effect, Layer } from "effect"
import * as Storage from "./Storage.ts"

const services = Orders.layer.pipe(Layer.provide(Inventory.layer), Layer.provide(CompanyWrite.layer))

/**
 * Erases the personal data of an order in the database of `databaseUrl`. Hosts may run on it meanwhile. False when it was
 * erased before.
 */
export const erase = (databaseUrl: string, marketplace: string, order: string) =>
  Effect.flatMap(Orders.Orders, (orders) =>
    orders.erase({ principal: { kind: "system", id: "operator" }, requestId: null }, marketplace, order)
  ).pipe(
    Effect.provide(Layer.provide(services, Layer.mergeAll(Storage.layer(databaseUrl), DigestNode.layer, Ids.layer)))
  )
