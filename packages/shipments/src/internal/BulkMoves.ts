/**
 * Use cases: sellers and marketplaces move shipments in bulk.
 */
import { type Caller, type Integration, type MarketplaceCaller, mayUse } from "@crossdock/access"
import { Bulk } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as MoveBatch from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import type { Shipment } from "../Shipment.ts"
import { ShipmentStore } from "../ShipmentStore.ts"
import { indexed, type Requests, summarize } from "./MoveRequests.ts"
import * as Moving from "./Moving.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const move = yield* Moving.make

  const moveAsSeller = Effect.fn("Shipments.moveAsSeller")(function* (
    caller: Caller<Integration>,
    family: OperationFamily,
    requests: Requests
  ) {
    const sound = indexed(requests)
    if (sound.length === 0) return Bulk.summarize(requests)
    const { companyId } = caller.principal
    const mayMove = (shipment: Shipment) => mayUse(caller.principal, shipment.location)
    return yield* summarize(requests, yield* move(caller, { family, mayMove, requests: [[companyId, sound]] }))
  })

  const moveAsMarketplace = Effect.fn("Shipments.moveAsMarketplace")(function* (
    caller: Caller<MarketplaceCaller>,
    family: OperationFamily,
    requests: Requests
  ) {
    const sound = indexed(requests)
    if (sound.length === 0) return Bulk.summarize(requests)
    const own = yield* store.companiesOf(
      caller.principal.id,
      sound.map(({ record }) => record.shipmentId)
    )
    const companyOf = new Map(own.map(({ companyId, id }) => [id, companyId]))
    const unknown = sound
      .filter(({ record }) => !companyOf.has(record.shipmentId))
      .map(({ index, record }) => [index, Result.fail(MoveBatch.notFound(family, record))] as const)
    const companies = [...new Set(companyOf.values())].sort((a, b) => a - b)
    const outcomes = yield* move(caller, {
      family,
      mayMove: () => true,
      requests: companies.map((company) => [
        company,
        sound.filter(({ record }) => companyOf.get(record.shipmentId) === company)
      ])
    })
    return yield* summarize(requests, [...unknown, ...outcomes])
  })

  return { moveAsSeller, moveAsMarketplace }
})
