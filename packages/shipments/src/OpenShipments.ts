/** A company's open shipments, read page by page. */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { isOpen, operationalStatuses, orderStatuses, orderStatusValues } from "./ShipmentStatus.ts"
import { ShipmentStore } from "./ShipmentStore.ts"

const pageSize = 200

/** The statuses of open shipments, in the order of their moves. Few of a company's shipments have one of these. */
const openStatuses = orderStatusValues.filter((shown) =>
  operationalStatuses.some((status) => isOpen({ status }) && orderStatuses[status] === shown)
)

/** A company's shipments that may still move, newest first. A shipment that moves meanwhile appears once. */
export const openShipments = (company: CompanyId) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const found = yield* Stream.fromIterable(openStatuses).pipe(
      Stream.flatMap((orderStatus) =>
        Stream.paginate(1, (number) =>
          Effect.map(
            store.page(company, { locations: null, orderStatus }, { number, size: pageSize }),
            ({ items }) => [items, items.length < pageSize ? Option.none() : Option.some(number + 1)] as const
          )
        )
      ),
      Stream.map(({ shipment }) => shipment),
      Stream.runCollect
    )
    const open = found.filter(isOpen)
    const byId = new Map(open.map((shipment) => [shipment.id, shipment]))
    return [...byId.values()].sort((a, b) => b.orderDate - a.orderDate || (a.id < b.id ? 1 : -1))
  })

/**
 * The open shipments in other statuses than these: those of a lifecycle that had more.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { operationalStatuses, ShipmentStore, shipmentsOutside } from "@crossdock/shipments"
 * import { Effect } from "effect"
 *
 * const empty = { page: () => Effect.succeed({ items: [], total: 0 }) } as unknown as typeof ShipmentStore.Service
 * const found = shipmentsOutside(CompanyId.make(1), operationalStatuses)
 * deepStrictEqual(await Effect.runPromise(Effect.provideService(found, ShipmentStore, empty)), [])
 * ```
 */
export const shipmentsOutside = (company: CompanyId, statuses: ReadonlyArray<string>) =>
  Effect.map(openShipments(company), (open) => open.filter(({ status }) => !statuses.includes(status)))
