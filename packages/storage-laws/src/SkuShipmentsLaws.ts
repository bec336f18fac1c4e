/**
 * The laws of `SkuShipments`.
 */
import { SkuShipments } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import { mayMoveStock, type OperationalStatus, operationalStatuses, ShipmentStore } from "@crossdock/shipments"
import { deepStrictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Fresh from "./Fresh.ts"
import type { Laws } from "./Laws.ts"
import { freshOrder } from "./OrderStoreLaws.ts"
import { item, placed } from "./ShipmentStoreLaws.ts"

const ship = (company: CompanyId, sku: string, status: OperationalStatus) =>
  Effect.gen(function* () {
    const [orders, shipments] = [yield* OrderStore, yield* ShipmentStore]
    const order = yield* freshOrder(yield* Fresh.text("marketplace"))
    const id = (yield* Fresh.text("id")).replace(/\D/g, "").padStart(20, "0")
    yield* orders.insert(order)
    yield* shipments.insert([placed(order, company, id, { status, items: [{ ...item, id, sku }] })])
  })

const openOf = (company: CompanyId, ...skus: ReadonlyArray<string>) =>
  Effect.flatMap(SkuShipments, (shipments) => shipments.open(company, skus)).pipe(
    Effect.map((found) => [...found].sort())
  )

export const skuShipmentsLaws = ({ law }: Laws<SkuShipments | ShipmentStore | OrderStore>): void => {
  law("SKUs in no shipment are left out", function* () {
    const company = yield* Fresh.companyId
    yield* ship(company, "s1", "placed")
    deepStrictEqual(yield* openOf(company, "s2", 's1"', "s"), [])
    deepStrictEqual(yield* openOf(company), [])
  })

  law("a SKU is open in each status in which its shipment may still move stock, and in no other", function* () {
    const company = yield* Fresh.companyId
    const skus = operationalStatuses.map((status) => [`SKU "${status}"`, status] as const)
    yield* Effect.forEach(skus, ([sku, status]) => ship(company, sku, status))
    deepStrictEqual(
      yield* openOf(company, ...skus.map(([sku]) => sku)),
      skus.flatMap(([sku, status]) => (mayMoveStock(status) ? [sku] : [])).sort()
    )
  })

  law("a shipment that came back keeps its SKUs open until its quality check", function* () {
    const company = yield* Fresh.companyId
    yield* ship(company, "s1", "return_bag_delivered")
    yield* ship(company, "s2", "rto_bag_delivered")
    yield* ship(company, "s3", "return_accepted")
    deepStrictEqual(yield* openOf(company, "s1", "s2", "s3"), ["s1", "s2"])
  })

  law("shipments of another company don't count", function* () {
    const [company, other] = [yield* Fresh.companyId, yield* Fresh.companyId]
    yield* ship(other, "s1", "placed")
    deepStrictEqual(yield* openOf(company, "s1"), [])
  })
}
