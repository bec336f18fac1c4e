/**
 * Makes the moves of a bulk, and writes what they changed.
 */
import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Inventory, StockFeed } from "@crossdock/inventory"
import { type CompanyId, Ids, present, StaleWrite, type StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as AwbUse from "../AwbUse.ts"
import { Couriers } from "../Couriers.ts"
import * as MoveBatch from "../MoveBatch.ts"
import * as Papers from "../Papers.ts"
import type { OperationFamily } from "../RejectionCodes.ts"
import type { Courier, Shipment } from "../Shipment.ts"
import * as ShipmentFeed from "../ShipmentFeed.ts"
import { type OpenAwb, ShipmentStore } from "../ShipmentStore.ts"
import * as StockMoves from "../StockMoves.ts"
import * as MoveFacts from "./MoveFacts.ts"
import * as MoveRecord from "./MoveRecord.ts"
import type { IndexedRequest } from "./MoveRequests.ts"

/**
 * The moves to make: the valid records of a bulk by company, and which shipments the caller may move.
 */
export interface Moves {
  readonly family: OperationFamily
  readonly mayMove: (shipment: Shipment) => boolean
  readonly requests: ReadonlyArray<readonly [company: CompanyId, requests: ReadonlyArray<IndexedRequest>]>
}

interface Decided {
  readonly outcomes: MoveRecord.Outcomes
  readonly changes: ReadonlyArray<CompanyWrite.CompanyChange>
  /** The ids of returns that it changes without having locked them. */
  readonly unlocked: ReadonlyArray<string>
}

/**
 * Makes `move`, which makes the moves of all companies in one transaction.
 */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const inventory = yield* Inventory.Inventory
  const couriers = yield* Couriers
  const { run } = yield* CompanyWrite.CompanyWrite
  const ids = yield* Ids.Ids
  const { load, openAwbs, usedInvoiceNumbers } = yield* MoveFacts.make

  /**
   * The facts of each company with what its requests need besides.
   */
  const prepare = (facts: MoveFacts.MoveFacts) =>
    Effect.gen(function* () {
      const newIds = yield* ids.decimals(facts.requests.length)
      const asked = facts.requests.map((one, nth) => ({
        ...one,
        command: one.record.command(present(newIds[nth], "the id of a new shipment"))
      }))
      return { facts, asked, usedInvoiceNumbers: yield* usedInvoiceNumbers(facts) }
    })

  type Prepared = Effect.Success<ReturnType<typeof prepare>>

  /**
   * Attempts the moves in the order of the bulk, and asks for couriers where a move needs one. An AWB that a shipment of one
   * company gets is in use for the shipments of the others. `uncarried` are the shipments whose courier's AWBs are in use.
   */
  const attempt = (
    all: ReadonlyArray<Prepared>,
    { family, mayMove }: Moves,
    at: number,
    open: ReadonlyArray<OpenAwb>,
    courierFor: (shipment: Shipment) => Effect.Effect<Courier | null>
  ) =>
    Effect.gen(function* () {
      const awbs = AwbUse.make(open)
      const uncarried: Array<string> = []
      const begun = all.map((one) => ({
        ...one,
        batch: MoveBatch.begin(family, [...one.facts.shipments, ...one.facts.returns], one.usedInvoiceNumbers, awbs),
        outcomes: [] as MoveRecord.Outcomes[number][]
      }))
      const inOrder = begun
        .flatMap(({ asked, batch, outcomes }) => asked.map((one) => ({ ...one, batch, outcomes })))
        .sort((a, b) => a.index - b.index)
      for (const { batch, command, index, outcomes, record } of inOrder) {
        const outcome = batch.move(record, command, at, mayMove)
        outcomes.push([index, outcome])
        const asks = Result.isSuccess(outcome) && MoveFacts.asksForCourier(command)
        const needing = asks ? MoveBatch.courierNeeded(outcome.success) : null
        const courier = needing === null ? null : yield* courierFor(needing)
        if (needing !== null && courier !== null && !batch.assign(needing, courier, at)) uncarried.push(needing.id)
      }
      return {
        made: begun.map(({ asked, batch, facts, outcomes }) => ({ facts, asked, outcomes, changes: batch.changes() })),
        uncarried
      }
    })

  /**
   * Attempts the moves until all AWBs that the courier port gave are looked up. They are looked up together; when a shipment
   * uses any, the moves are attempted again with that known and with the same couriers.
   */
  const attemptAll = (all: ReadonlyArray<MoveFacts.MoveFacts>, moves: Moves, at: number) =>
    Effect.gen(function* () {
      const prepared = yield* Effect.forEach(all, prepare)
      const given = new Map<string, Courier | null>()
      const courierFor = (shipment: Shipment) =>
        Effect.gen(function* () {
          const before = given.get(shipment.id)
          if (before !== undefined) return before
          const courier = yield* couriers.assign(shipment)
          given.set(shipment.id, courier)
          return courier
        })
      const sought = new Set(all.flatMap(MoveFacts.awbsOf))
      let open = yield* openAwbs(all, [...sought])
      for (;;) {
        const { made, uncarried } = yield* attempt(prepared, moves, at, open, courierFor)
        const unknown = [...given.values()]
          .flatMap((courier) => courier?.awbNumbers ?? [])
          .filter((awb) => !sought.has(awb))
        const found = yield* openAwbs(all, unknown)
        if (found.length === 0) {
          if (uncarried.length > 0)
            yield* Effect.logError("The courier port gave AWBs that other open shipments use", { shipments: uncarried })
          return yield* Effect.forEach(made, (one) =>
            Effect.map(withPapers(one.facts.company, one.changes), (changes) => ({ ...one, changes }))
          )
        }
        for (const awb of unknown) sought.add(awb)
        open = [...open, ...found]
      }
    })

  /**
   * The changes, with what the papers say that get their number by them.
   */
  const withPapers = (company: CompanyId, changes: MoveBatch.BatchChanges) =>
    Effect.gen(function* () {
      const { inserts, updates } = changes
      const isNumbered =
        updates.some(({ after, before }) => Papers.isNumbered(before, after)) ||
        inserts.some((created) => Papers.isNumbered(null, created))
      if (!isNumbered) return changes
      const sellerAt = Papers.sellers(yield* directory.company(company), yield* directory.locations([company]))
      const stored = (before: Shipment | null, after: Shipment) =>
        Papers.stored(before, after, sellerAt(after.location))
      return {
        ...changes,
        updates: updates.map(({ after, before }) => ({ before, after: stored(before, after) })),
        inserts: inserts.map((created) => stored(null, created))
      }
    })

  /**
   * What to write of one company's moves, and the ids of what it changes without having locked it.
   */
  const decide = (
    { asked, changes, facts, outcomes }: Effect.Success<ReturnType<typeof attemptAll>>[number],
    family: OperationFamily
  ): Decided => {
    const { company, levels } = facts
    const changed = [...changes.updates.map(({ after }) => after.id), ...changes.inserts.map((created) => created.id)]
    const [first] = changed
    if (first === undefined) return { outcomes, changes: [], unlocked: [] }
    const unlocked = changes.updates.flatMap(({ before }) => (facts.returns.includes(before) ? [before.id] : []))
    const stock = StockMoves.levelChanges(levels, changes.stock)
    const faults = StockMoves.faults(levels, changes.stock, stock)
    const save = (mark: CompanyWrite.Mark) =>
      Effect.gen(function* () {
        if (faults.some(({ code }) => code === "NOT_RESERVED")) {
          yield* Effect.logError("Shipments released stock that was not reserved", { company, faults })
        }
        yield* store.update(company, changes.updates)
        if (changes.inserts.length > 0) yield* store.insert(changes.inserts)
        yield* inventory.save(mark, company, stock)
        const events = [...ShipmentFeed.eventsOf(changes), ...StockFeed.eventsOf(stock)]
        return { logs: MoveRecord.batchRecord(asked, outcomes, changes, faults), events }
      })
    const more = changed.length > 1 ? { ids: changed } : {}
    const entity = { type: "shipment", id: first, action: family, ...more }
    return { outcomes, changes: [{ companyId: company, entity, save }], unlocked }
  }

  return (caller: Caller, moves: Moves): Effect.Effect<MoveRecord.Outcomes, StorageError> =>
    Effect.gen(function* () {
      const others = yield* Ref.make<ReadonlyArray<string>>([])
      return yield* run(caller, {
        load: Effect.gen(function* () {
          const more = yield* Ref.get(others)
          return yield* Effect.forEach(moves.requests, ([company, own]) => load(company, moves.family, own, more))
        }),
        // One company's decision that needs the lock needs it before any other is locked, in the order of their ids.
        lockFirst: (all) => (all.some(MoveFacts.needsLock) ? all.map(({ company }) => company) : []),
        decide: (all, at) =>
          Effect.gen(function* () {
            const decided = (yield* attemptAll(all, moves, at)).map((one) => decide(one, moves.family))
            const unlocked = decided.flatMap((one) => one.unlocked)
            if (unlocked.length > 0) {
              yield* Ref.update(others, (before) => [...before, ...unlocked])
              return yield* new StaleWrite({ operation: "Shipments.move" })
            }
            return {
              answer: decided.flatMap(({ outcomes }) => outcomes),
              changes: decided.flatMap(({ changes }) => changes)
            }
          })
      })
    })
})
