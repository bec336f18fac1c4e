/**
 * What the moves of one company's shipments depend on.
 */
import { type Level, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Pipeline } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as MoveBatch from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import type { Shipment } from "../Shipment.ts"
import { ShipmentStore } from "../ShipmentStore.ts"
import * as StockMoves from "../StockMoves.ts"
import type { IndexedRequest } from "./MoveRequests.ts"

/**
 * The requests of a company, with the shipments and stock levels that they may change, which are locked. `returns` are the other
 * returns of these shipments, which only a status depends on. They are not locked.
 */
export interface MoveFacts {
  readonly company: CompanyId
  readonly requests: ReadonlyArray<IndexedRequest>
  readonly shipments: ReadonlyArray<Shipment>
  readonly returns: ReadonlyArray<Shipment>
  readonly levels: ReadonlyArray<Level.Level>
}

const numbersOf = (requests: MoveFacts["requests"]) =>
  requests.flatMap(({ record: { invoiceNumber } }) => (invoiceNumber === undefined ? [] : [invoiceNumber]))

const awbsOf = (requests: MoveFacts["requests"]) => requests.flatMap(({ record: { awbs } }) => awbs ?? [])

/**
 * Whether the moves depend on what other shipments of the company have: their invoice numbers or their AWBs.
 */
export const needsLock = ({ requests }: Pick<MoveFacts, "requests">): boolean =>
  numbersOf(requests).length > 0 || awbsOf(requests).length > 0

/**
 * Makes the reads.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const levels = yield* StockLevels

  /**
   * Loads the shipments of one company's requests and of `others`, then the stock levels that their moves may change, and locks
   * both.
   *
   * Returns are read, not locked: locking them after the shipments could deadlock with a bulk that moves both. A return is opened
   * only under its forward shipment's lock, so none is opened meanwhile; a change of one counts as made afterwards. If a move changes
   * one, the write starts again with it among `others`.
   */
  const load = (
    company: CompanyId,
    family: OperationFamily,
    requests: ReadonlyArray<IndexedRequest>,
    others: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const wanted = [...new Set([...requests.map(({ record }) => record.shipmentId), ...others])]
      const shipments = yield* store.load(company, wanted)
      const keys = MoveBatch.movesStock.has(family) ? StockMoves.stockKeys(shipments) : []
      const [found, returns] = yield* Pipeline.together(
        keys.length === 0 ? Effect.succeed([]) : levels.load(company, keys),
        family === "status" ? store.returnsOf(company, wanted) : Effect.succeed([])
      )
      const locked = new Set(shipments.map(({ id }) => id))
      const facts: MoveFacts = {
        company,
        requests,
        shipments,
        returns: returns.filter(({ id }) => !locked.has(id)),
        levels: found.filter((one) => typeof one !== "string")
      }
      return facts
    })

  /**
   * The invoice numbers and AWBs of the requests that are already used. The company is locked, so no other write uses one
   * meanwhile.
   */
  const usedNumbers = ({ company, requests }: MoveFacts) =>
    Effect.gen(function* () {
      const numbers = numbersOf(requests)
      const invoiceNumbers = numbers.length === 0 ? [] : yield* store.usedInvoiceNumbers(company, numbers)
      const awbs = awbsOf(requests)
      return { invoiceNumbers, awbs: awbs.length === 0 ? [] : yield* store.openAwbs(company, awbs) }
    })

  return { load, usedNumbers }
})
