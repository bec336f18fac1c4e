/**
 * What the moves of one company's shipments depend on.
 */
import { type Level, StockLevels } from "@crossdock/inventory"
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as MoveBatch from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import type { Shipment } from "../Shipment.ts"
import { ShipmentStore } from "../ShipmentStore.ts"
import * as StockMoves from "../StockMoves.ts"
import type { IndexedRequest } from "./MoveRequests.ts"

/**
 * The requests of a company, with the shipments and stock levels that they may change.
 */
export interface MoveFacts {
  readonly company: CompanyId
  readonly requests: ReadonlyArray<IndexedRequest>
  readonly shipments: ReadonlyArray<Shipment>
  readonly levels: ReadonlyArray<Level.Level>
}

const numbersOf = (requests: MoveFacts["requests"]) =>
  requests.flatMap(({ record: { invoiceNumber } }) => (invoiceNumber === undefined ? [] : [invoiceNumber]))

const awbsOf = (requests: MoveFacts["requests"]) =>
  requests.flatMap(({ record: { awb } }) => (awb === undefined ? [] : [awb]))

/**
 * Whether the moves depend on what other shipments of the company have: their returns, their invoice numbers or their AWBs.
 */
export const needsLock = (family: OperationFamily, { requests }: Pick<MoveFacts, "requests">): boolean =>
  family === "status" || numbersOf(requests).length > 0 || awbsOf(requests).length > 0

/**
 * Makes the reads.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const levels = yield* StockLevels

  /**
   * Loads the shipments of one company's requests, then the stock levels that their moves may change, and locks both.
   */
  const load = (company: CompanyId, family: OperationFamily, requests: ReadonlyArray<IndexedRequest>) =>
    Effect.gen(function* () {
      const wanted = [...new Set(requests.map(({ record }) => record.shipmentId))]
      const shipments = yield* store.load(company, wanted)
      const keys = MoveBatch.movesStock.has(family) ? StockMoves.stockKeys(shipments) : []
      const found = keys.length === 0 ? [] : yield* levels.load(company, keys)
      const facts: MoveFacts = {
        company,
        requests,
        shipments,
        levels: found.filter((one) => typeof one !== "string")
      }
      return facts
    })

  /**
   * The returns of the shipments, which only a status depends on and no move of the shipments themselves changes. They are
   * read when the company is locked, so that no other write opens or changes one. Locked after the shipments, which may have
   * higher ids, they would deadlock with a bulk that moves both.
   */
  const returnsOf = (family: OperationFamily, { company, shipments }: MoveFacts) =>
    family === "status"
      ? store.returnsOf(
          company,
          shipments.map(({ id }) => id)
        )
      : Effect.succeed([])

  /**
   * The invoice numbers and AWBs of the requests that are already used. The company is locked, so no other write uses one
   * meanwhile.
   */
  const usedNumbers = ({ company, requests }: MoveFacts) =>
    Effect.gen(function* () {
      const numbers = numbersOf(requests)
      const used = numbers.length === 0 ? [] : yield* store.usedInvoiceNumbers(company, numbers)
      const awbs = awbsOf(requests)
      return { used, open: awbs.length === 0 ? [] : yield* store.openAwbs(company, awbs) }
    })

  return { load, returnsOf, usedNumbers }
})
