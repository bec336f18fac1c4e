/**
 * What the moves of one company's shipments depend on.
 */
import { type Level, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Pipeline } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as MoveBatch from "../MoveBatch.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import { logistics, type Shipment } from "../Shipment.ts"
import type { ShipmentCommand } from "../ShipmentCommand.ts"
import { ShipmentStore } from "../ShipmentStore.ts"
import * as StockMoves from "../StockMoves.ts"
import * as AwbNumber from "./AwbNumber.ts"
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

/**
 * The AWBs of the requests.
 */
export const awbsOf = ({ requests }: Pick<MoveFacts, "requests">): ReadonlyArray<string> =>
  requests.flatMap(({ record: { awbs } }) => awbs ?? [])

/**
 * Whether the courier port is asked after such a move, if the shipment needs a courier. No other move asks it, since only
 * the lock keeps the AWBs that it gives from being used meanwhile.
 */
export const asksForCourier = ({ _tag }: ShipmentCommand): boolean =>
  _tag === "InvoiceSale" || _tag === "InitiateReturn"

const mayNeedCourier = ({ requests, shipments }: MoveFacts): boolean =>
  shipments.some((one) => logistics(one) === "courier") &&
  requests.some(({ record }) => asksForCourier(record.command("")))

/**
 * Whether the moves depend on what other shipments of the company have: their invoice numbers or their AWBs.
 */
export const needsLock = (facts: MoveFacts): boolean =>
  numbersOf(facts.requests).length > 0 || awbsOf(facts).length > 0 || mayNeedCourier(facts)

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
   * The invoice numbers of the requests that are already used. The company is locked, so no other write uses one meanwhile.
   */
  const usedInvoiceNumbers = ({ company, requests }: MoveFacts) => {
    const numbers = numbersOf(requests)
    return numbers.length === 0 ? Effect.succeed([]) : store.usedInvoiceNumbers(company, numbers)
  }

  /**
   * The open shipments of all the companies that use one of the AWBs, whichever company's request or courier names it. The
   * companies are locked.
   */
  const openAwbs = (all: ReadonlyArray<MoveFacts>, awbs: ReadonlyArray<string>) => {
    const sought = [...new Set(awbs.map(AwbNumber.stored))]
    return sought.length === 0
      ? Effect.succeed([])
      : Effect.map(
          Effect.forEach(all, ({ company }) => store.openAwbs(company, sought)),
          (found) => found.flat()
        )
  }

  return { load, usedInvoiceNumbers, openAwbs }
})
