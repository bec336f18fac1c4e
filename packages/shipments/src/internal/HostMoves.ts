/**
 * Use cases: moves of the host itself, which lock shipments, assign couriers later, and end shipments of a closed company.
 */
import type { Caller } from "@crossdock/access"
import { Bulk, type CompanyId, pointer } from "@crossdock/kernel"
import { unitsLeft } from "@crossdock/returns"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { MoveRequest } from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import { type Courier, noMeta, type Shipment } from "../Shipment.ts"
import type { Report } from "../ShipmentCommand.ts"
import { ShipmentStore } from "../ShipmentStore.ts"
import { indexed, summarize } from "./MoveRequests.ts"
import * as Moving from "./Moving.ts"

/**
 * A status that the host reports for the seller or the marketplace.
 */
export type HostReport = Pick<Report, "by" | "status">

const portionsLeft = ({ items }: Shipment) =>
  items.flatMap((item) => (unitsLeft(item) > 0 ? [{ itemId: item.id, quantity: unitsLeft(item) }] : []))

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const move = yield* Moving.make

  const moveAsHost = Effect.fn("Shipments.moveAsHost")(function* (
    caller: Caller,
    company: CompanyId,
    family: OperationFamily,
    records: ReadonlyArray<Pick<MoveRequest, "shipmentId" | "command" | "awbs">>
  ) {
    const requests = records.map((record, index) => Result.succeed({ ...record, path: pointer([index]) }))
    if (requests.length === 0) return Bulk.summarize(requests)
    const all = { family, mayMove: () => true, requests: [[company, indexed(requests)]] } as const
    return yield* summarize(requests, yield* move(caller, all))
  })

  const setLocked = (caller: Caller, company: CompanyId, shipmentIds: ReadonlyArray<string>, locked: boolean) =>
    moveAsHost(
      caller,
      company,
      "lock",
      shipmentIds.map((shipmentId) => ({
        shipmentId,
        command: () => ({ _tag: locked ? "Lock" : "Unlock" })
      }))
    )

  const cancel = (caller: Caller, company: CompanyId, shipmentIds: ReadonlyArray<string>, reasonCode: string | null) =>
    Effect.flatMap(store.withOrders(company, shipmentIds), (found) => {
      const itemsOf = new Map(found.map(({ shipment }) => [shipment.id, portionsLeft(shipment)]))
      return moveAsHost(
        caller,
        company,
        "cancel",
        shipmentIds.map((shipmentId) => ({
          shipmentId,
          command: (partId) => ({
            _tag: "Cancel",
            partId,
            items: (itemsOf.get(shipmentId) ?? []).map((item) => ({ ...item, reasonCode }))
          })
        }))
      )
    })

  const report = (caller: Caller, company: CompanyId, shipmentIds: ReadonlyArray<string>, made: HostReport) =>
    moveAsHost(
      caller,
      company,
      "status",
      shipmentIds.map((shipmentId) => ({
        shipmentId,
        command: () => ({ _tag: "Report", ...made, meta: noMeta })
      }))
    )

  const assignCouriers = (
    caller: Caller,
    company: CompanyId,
    assignments: ReadonlyArray<{ readonly shipmentId: string; readonly courier: Courier }>
  ) =>
    moveAsHost(
      caller,
      company,
      "awb",
      assignments.map(({ courier, shipmentId }) => ({
        shipmentId,
        awbs: courier.awbNumbers,
        command: () => ({ _tag: "AssignCourier", by: "courier", courier })
      }))
    )

  return { setLocked, assignCouriers, cancel, report }
})
