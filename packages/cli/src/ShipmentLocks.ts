/**
 * Locks shipments in the database, which no interface offers. Source: docs/reference/shipments.md#locked.
 */
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Couriers, Shipments } from "@crossdock/shipments"
import { Effect, Layer } from "effect"
import * as Storage from "./Storage.ts"

const services = Shipments.layer.pipe(
  Layer.provide(Layer.merge(Inventory.layer, Couriers.layer)),
  Layer.provide(CompanyWrite.layer)
)

/**
 * Locks or unlocks shipments of a company in the database of `databaseUrl`. Hosts may run on it meanwhile.
 */
export const setLocked = (databaseUrl: string, company: number, shipmentIds: ReadonlyArray<string>, locked: boolean) =>
  Effect.flatMap(Shipments.Shipments, (shipments) =>
    shipments.setLocked(
      { principal: { kind: "system", id: "operator" }, requestId: null },
      CompanyId.make(company),
      shipmentIds,
      locked
    )
  ).pipe(
    Effect.provide(Layer.provide(services, Layer.mergeAll(Storage.layer(databaseUrl), DigestNode.layer, Ids.layer)))
  )
