import { CompanyId } from "@crossdock/kernel"
import {
  isOpen,
  type OperationalStatus,
  openShipments,
  operationalStatuses,
  orderStatusOf,
  type Shipment,
  type ShipmentFilter,
  ShipmentStore
} from "@crossdock/shipments"
import { placedShipment } from "@crossdock/shipments/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect } from "effect"

const order = { paymentMode: "COD", gstin: null, couponOwner: null, taxExempt: false }

/** A store that records the requests it gets. */
const storeOf = (all: ReadonlyArray<Shipment>, asked: Array<ShipmentFilter>) =>
  ({
    page: (
      _: CompanyId,
      filter: ShipmentFilter,
      { number, size }: { readonly number: number; readonly size: number }
    ) =>
      Effect.sync(() => {
        asked.push(filter)
        const isAsked = (one: Shipment) =>
          (filter.orderStatus ?? orderStatusOf(one)) === orderStatusOf(one) && (filter.isOpen !== true || isOpen(one))
        const found = all.toReversed().filter(isAsked)
        const items = found.slice((number - 1) * size, number * size).map((shipment) => ({ shipment, order }))
        return { items, total: found.length }
      })
  }) as unknown as typeof ShipmentStore.Service

const shipments = (statuses: ReadonlyArray<OperationalStatus>): ReadonlyArray<Shipment> =>
  statuses.map((status, nth) => ({ ...placedShipment(), id: `s${100 + nth}`, status, orderDate: Math.floor(nth / 2) }))

describe("The list of open shipments", () => {
  it.effect("has all that may still move, newest first, and is not asked of the others", () =>
    Effect.gen(function* () {
      const own = { status: "quality_hold", added: { orderStatus: "DELIVERED", stock: "none" } } as const
      const all = [
        { ...placedShipment(), id: "s1", orderDate: -1, ...own },
        ...shipments([...operationalStatuses, ...Array.from({ length: 450 }, () => "placed" as const)])
      ]
      const asked: Array<ShipmentFilter> = []
      const found = yield* openShipments(CompanyId.make(1)).pipe(
        Effect.provideService(ShipmentStore, storeOf(all, asked))
      )
      const expected = all.filter(isOpen).toReversed()
      deepStrictEqual(
        found.map(({ id }) => id),
        expected.map(({ id }) => id)
      )
      deepStrictEqual(new Set(asked.map((filter) => JSON.stringify(filter))).size, 1)
      assertTrue(asked.every((filter) => filter.isOpen))
    })
  )

  it.effect("has one that moves meanwhile once", () =>
    Effect.gen(function* () {
      const [one] = shipments(["placed"])
      const page = () => Effect.succeed({ items: [{ shipment: one, order }], total: 1 })
      const store = { page } as unknown as typeof ShipmentStore.Service
      const found = yield* openShipments(CompanyId.make(1)).pipe(Effect.provideService(ShipmentStore, store))
      deepStrictEqual(found, [one])
    })
  )
})
