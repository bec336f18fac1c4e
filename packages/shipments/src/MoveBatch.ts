/** A bulk of moves, each decided after the effects of earlier ones. */
import type { Bulk } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { AwbUse } from "./AwbNumbers.ts"
import * as Lifecycle from "./Lifecycle.ts"
import type { OperationFamily } from "./Operations.ts"
import type { Numbering } from "./PaperNumbers.ts"
import { type ItemFault, type RecordField, rejectionCode } from "./RejectionCodes.ts"
import type { Courier, Shipment } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import type { ShipmentEvent } from "./ShipmentEvent.ts"
import type { ShipmentChange } from "./ShipmentStore.ts"
import type { StockMove } from "./StockMoves.ts"

/** One record of a bulk. Paths are JSON Pointers. `command` receives the id of a shipment that the move may create. */
export interface MoveRequest {
  readonly shipmentId: string
  readonly path: string
  readonly itemPath?: (fault: ItemFault) => string
  readonly fieldPath?: (field: RecordField) => string
  readonly command: (newId: string) => ShipmentCommand
}

/** All changes of a batch, to be written in one transaction. */
export interface BatchChanges {
  readonly updates: ReadonlyArray<ShipmentChange>
  readonly inserts: ReadonlyArray<Shipment>
  readonly stock: ReadonlyArray<StockMove>
  /** The events of one of the `updates`, in order. */
  readonly events: (shipmentId: string) => ReadonlyArray<ShipmentEvent>
}

/** The outcomes of a bulk, each with the index of its request. */
export type Outcomes = ReadonlyArray<readonly [index: number, outcome: Result.Result<unknown, Bulk.Rejection>]>

/** The message for a shipment that doesn't exist or isn't accessible to the caller. */
export const noShipment = (id: string): string =>
  `You have no shipment ${id}. Send a shipment_id of the answer to an order.`

/** The rejection of a record whose shipment doesn't exist or isn't accessible to the caller. */
export const notFound = (family: OperationFamily, { path, shipmentId }: MoveRequest): Bulk.Rejection => ({
  code: rejectionCode(family, "notFound"),
  message: noShipment(shipmentId),
  path
})

/** The number of the invoice or credit note that the command records. It is unique in the company. */
export const invoiceNumberOf = (command: ShipmentCommand): string | undefined =>
  "invoice" in command ? command.invoice.number : undefined

/** The AWBs that the command stores. At most one open shipment of a courier uses an AWB. */
export const awbsOf = (command: ShipmentCommand): ReadonlyArray<string> => {
  if (command._tag === "AssignAwb") return [command.awbNumber]
  return command._tag === "AssignCourier" ? (command.courier?.awbNumbers ?? []) : []
}

/**
 * A batch of moves on these shipments, which must include all returns for the family "status". `usedInvoiceNumbers` are the
 * requested numbers that the company already uses. All batches of one request must get the same `awbs`, or none if no move
 * can give a shipment an AWB.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { MoveBatch } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import * as Result from "effect/Result"
 *
 * const shipment = placedShipment({ id: "17" })
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const request = { shipmentId: "17", path: "/0/shipmentId", command: () => confirm }
 * const batch = MoveBatch.begin("confirm", [shipment], [])
 * const first = batch.move(request, confirm, 0, () => true)
 * const second = batch.move(request, confirm, 0, () => true)
 *
 * // The second record finds the shipment as the first left it.
 * deepStrictEqual([first, second].map(Result.isSuccess), [true, false])
 * deepStrictEqual(
 *   batch.changes().updates.map(({ after }) => after.status),
 *   ["bag_confirmed"]
 * )
 * ```
 */
export const begin = (
  family: OperationFamily,
  loaded: ReadonlyArray<Shipment>,
  usedInvoiceNumbers: ReadonlyArray<string>,
  awbs?: AwbUse,
  rules: Omit<Lifecycle.Context, "returns"> = {},
  numbering?: Numbering
) => {
  const before = new Map(loaded.map((shipment) => [shipment.id, shipment]))
  const now = new Map(before)
  const used = new Set(usedInvoiceNumbers)
  const stock: Array<StockMove> = []
  const eventsById = new Map<string, ReadonlyArray<ShipmentEvent>>()
  const events = (shipmentId: string) => eventsById.get(shipmentId) ?? []

  const keep = (was: Shipment, { created, events: caused, shipment, stock: effects }: Lifecycle.MoveResult) => {
    now.set(shipment.id, shipment)
    eventsById.set(shipment.id, [...events(shipment.id), ...caused])
    if (created !== null) now.set(created.id, created)
    for (const effect of effects) stock.push({ location: shipment.location, shipmentId: shipment.id, effect })
    awbs?.replace(was, shipment)
  }

  const rejected = (as: "otherLocation" | "taken", message: string, path: string): Bulk.Rejection => ({
    code: rejectionCode(family, as),
    message,
    path
  })

  const clashOf = (
    request: MoveRequest,
    command: ShipmentCommand,
    { shipment: { courier, id }, unchanged }: Lifecycle.MoveResult
  ): Bulk.Rejection | undefined => {
    if (unchanged) return undefined
    const taken = (field: RecordField, what: string, another: string) =>
      rejected("taken", `${what} is already used by another ${another}`, request.fieldPath?.(field) ?? request.path)
    const invoiceNumber = invoiceNumberOf(command)
    if (invoiceNumber !== undefined && used.has(invoiceNumber))
      return taken("invoiceNumber", `Invoice number ${invoiceNumber}`, "shipment. Send another number.")
    const awb = courier === null ? undefined : awbsOf(command).find((one) => awbs?.isTaken(id, courier.name, one))
    return awb === undefined
      ? undefined
      : taken("awb", `AWB ${awb}`, `open shipment of ${courier?.name}. Send another AWB.`)
  }

  const move = (
    request: MoveRequest,
    asked: ShipmentCommand,
    at: number,
    mayMove: (shipment: Shipment) => boolean
  ): Result.Result<Lifecycle.MoveResult, Bulk.Rejection> => {
    const shipment = now.get(request.shipmentId)
    if (shipment === undefined) return Result.fail(notFound(family, request))
    if (!mayMove(shipment)) {
      const message = `Shipment ${shipment.id} belongs to another location. Use a token for that location.`
      return Result.fail(rejected("otherLocation", message, request.path))
    }
    const command = numbering?.(asked, shipment, used) ?? asked
    const returns = [...now.values()].filter((one) => one.journey === "return" && one.forwardId === shipment.id)
    const moved = Lifecycle.move(shipment, command, at, { ...rules, returns })
    if (Result.isFailure(moved)) {
      const { about, ...rejection } = moved.failure
      const isOfStatus = rejection.details.reason === "INVALID_TRANSITION"
      const path =
        about !== undefined ? request.itemPath?.(about) : isOfStatus ? request.fieldPath?.("status") : undefined
      return Result.fail({ path: path ?? request.path, ...rejection })
    }
    const clash = clashOf(request, command, moved.success)
    if (clash !== undefined) return Result.fail(clash)
    keep(shipment, moved.success)
    const invoiceNumber = invoiceNumberOf(command)
    if (invoiceNumber !== undefined) used.add(invoiceNumber)
    return moved
  }

  /** Assigns the courier, and returns whether it did. It does nothing if another open shipment uses the AWB. */
  const assign = (shipment: Shipment, courier: Courier, at: number): boolean => {
    if (courier.awbNumbers.some((awb) => awbs?.isTaken(shipment.id, courier.name, awb))) return false
    const command = { _tag: "AssignCourier", by: "courier", courier } as const
    const assigned = Lifecycle.move(shipment, command, at, { ...rules, returns: [] })
    if (Result.isSuccess(assigned)) keep(shipment, assigned.success)
    return Result.isSuccess(assigned)
  }

  const changes = (): BatchChanges => {
    const all = [...now.values()]
    return {
      updates: all.flatMap((after) => {
        const was = before.get(after.id)
        return was === undefined || was.version === after.version ? [] : [{ before: was, after }]
      }),
      inserts: all.filter(({ id }) => !before.has(id)),
      stock,
      events
    }
  }

  return { move, assign, changes }
}
