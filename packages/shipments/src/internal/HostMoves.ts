/**
 * Use cases: moves of the host itself, which lock shipments and assign couriers later.
 */
import type { Caller } from "@crossdock/access"
import { Bulk, type CompanyId, pointer } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { MoveRequest } from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import type { Courier } from "../Shipment.ts"
import { indexed, summarize } from "./MoveRequests.ts"
import * as Moving from "./Moving.ts"

/**
 * Makes the use cases.
 */
export const make = Effect.gen(function* () {
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

  return { setLocked, assignCouriers }
})
