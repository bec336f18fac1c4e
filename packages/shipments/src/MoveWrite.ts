/** Makes the moves of a bulk. It loads the rows that the moves depend on, and writes the changes. */
import { type Caller, Directory } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { Inventory, type Level, StockFeed, StockLevels } from "@crossdock/inventory"
import { type Bulk, type CompanyId, Ids, StaleWrite, type Stored, Transaction } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { awbUse, storedAwb } from "./AwbNumbers.ts"
import { assignedAfter, Couriers, unassignedAfter } from "./Couriers.ts"
import { type Facts, loadFacts, noFacts } from "./Guards.ts"
import * as IssuedDocuments from "./IssuedDocuments.ts"
import * as Lifecycle from "./Lifecycle.ts"
import * as MoveBatch from "./MoveBatch.ts"
import { commands, type OperationFamily, type Sender } from "./Operations.ts"
import * as PaperNumbers from "./PaperNumbers.ts"
import { type Courier, logistics, type Shipment } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"
import { commandRecord, eventRecord } from "./ShipmentEvent.ts"
import * as ShipmentFeed from "./ShipmentFeed.ts"
import { type OpenAwb, ShipmentStore } from "./ShipmentStore.ts"
import * as StockMoves from "./StockMoves.ts"

/** The host's lifecycle. By default it is the standard lifecycle. */
export const Policy = Context.Reference<Lifecycle.Table>("@crossdock/shipments/Policy", {
  defaultValue: () => Lifecycle.standard
})

type IndexedRequest = Bulk.Indexed<MoveBatch.MoveRequest>

/** A company's requests, with the shipments and levels that they lock. `returns` are further returns, which aren't locked. */
interface CompanyMoves {
  readonly company: CompanyId
  readonly requests: ReadonlyArray<IndexedRequest & { readonly command: ShipmentCommand }>
  readonly shipments: ReadonlyArray<Shipment>
  readonly returns: ReadonlyArray<Shipment>
  readonly levels: ReadonlyArray<Level.Level>
}

/** Returns the command with this party in place of the party that it states. */
const commandBy = (party: Sender, command: ShipmentCommand): ShipmentCommand =>
  "by" in command && command._tag !== "AssignCourier" ? { ...command, by: party } : command

/** The invoice numbers of the requests. An empty number is later replaced by a number of the host. */
const numbersOf = (requests: CompanyMoves["requests"]) =>
  requests.flatMap(({ command }) => MoveBatch.invoiceNumberOf(command) ?? [])

const statedAwbs = ({ requests }: CompanyMoves): ReadonlyArray<string> =>
  requests.flatMap(({ command }) => MoveBatch.awbsOf(command))

/** Whether the courier port may be called. The company is then locked, so that no other request can use the AWBs. */
const mayNeedCourier = ({ requests, shipments }: CompanyMoves): boolean =>
  requests.some(({ command }) => assignedAfter.includes(command._tag)) &&
  shipments.some((one) => logistics(one) === "courier")

/** Whether a move may give a shipment an AWB. It then depends on the AWBs of the company's other shipments. */
const mayGiveAwb = (own: CompanyMoves): boolean => statedAwbs(own).length > 0 || mayNeedCourier(own)

/** Whether the moves depend on the invoice numbers or AWBs of the company's other shipments. */
const needsLock = (own: CompanyMoves): boolean => numbersOf(own.requests).length > 0 || mayGiveAwb(own)

const makeReads = Effect.gen(function* () {
  const { movesStock } = yield* Policy
  const series = yield* PaperNumbers.Series
  const store = yield* ShipmentStore
  const levels = yield* StockLevels
  const ids = yield* Ids.Ids

  /**
   * Loads and locks shipments, and then the stock levels that moves may change. Returns aren't locked, since that could
   * deadlock with a bulk that moves a shipment and its return. If a move or another writer changes a return, the write
   * restarts with the return among `others`.
   */
  const load = (
    company: CompanyId,
    { by, family }: Moves,
    received: ReadonlyArray<IndexedRequest>,
    others: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      // Only these operations create shipments: cancelled parts and returns.
      const newIds = family === "cancel" || family === "status" ? yield* ids.decimals(received.length) : []
      const requests = received.map((one, nth) => {
        const command = one.record.command(newIds[nth] ?? "")
        return { ...one, command: by === null ? command : commandBy(by, command) }
      })
      const other = requests.find(({ command }) => {
        const known = commands[command._tag]
        return known.family !== family || (by !== null && !known.by.includes(by))
      })
      if (other !== undefined)
        return yield* Effect.die(new Error(`${other.command._tag} is no command of ${by ?? "the host"} for ${family}`))
      const wanted = [...new Set([...requests.map(({ record }) => record.shipmentId), ...others])]
      const shipments = yield* store.load(company, wanted)
      const keys = movesStock.includes(family) ? StockMoves.stockKeys(shipments) : []
      const [found, returns] = yield* Transaction.together(
        keys.length === 0 ? Effect.succeed([]) : levels.load(company, keys),
        family === "status" ? store.returnsOf(company, wanted) : Effect.succeed([])
      )
      const locked = new Set(shipments.map(({ id }) => id))
      const own: CompanyMoves = {
        company,
        requests,
        shipments,
        returns: returns.filter(({ id }) => !locked.has(id)),
        levels: found.filter((one) => typeof one !== "string")
      }
      return own
    })

  /** The requested invoice numbers that are already used, and the numbering of requests without a number. */
  const usedInvoiceNumbers = Effect.fnUntraced(function* ({ company, requests, shipments }: CompanyMoves, at: number) {
    const stated = numbersOf(requests)
    const used = (numbers: ReadonlyArray<string>) => store.usedInvoiceNumbers(company, numbers)
    if (series === undefined || !stated.includes(""))
      return { used: stated.length === 0 ? [] : yield* used(stated), numbering: undefined }
    const byId = new Map(shipments.map((one) => [one.id, one]))
    const waiting = requests.flatMap(({ command, record }) => {
      const shipment = byId.get(record.shipmentId)
      return shipment === undefined ? [] : [[command, shipment] as const]
    })
    const { candidates, numbering } = yield* PaperNumbers.make(series, waiting, at, used)
    return { used: yield* used([...stated, ...candidates]), numbering }
  })

  /** The open shipments of these companies that use one of the AWBs. The companies must be locked. */
  const openAwbs = (all: ReadonlyArray<CompanyMoves>, awbs: ReadonlyArray<string>) => {
    const lookedUp = [...new Set(awbs.map(storedAwb))]
    const found = Effect.forEach(all, ({ company }) => store.openAwbs(company, lookedUp))
    return lookedUp.length === 0 ? Effect.succeed([]) : Effect.map(found, (some) => some.flat())
  }

  return { load, usedInvoiceNumbers, openAwbs }
})

/** The moves to make: valid records by company, and the function that says which shipments the caller may move. */
export interface Moves {
  readonly family: OperationFamily
  /** The caller's party, which replaces the party in all commands. It is null for the host. */
  readonly by: Sender | null
  readonly mayMove: (shipment: Shipment) => boolean
  readonly requests: ReadonlyArray<readonly [company: CompanyId, requests: ReadonlyArray<IndexedRequest>]>
}

interface Loaded {
  readonly all: ReadonlyArray<CompanyMoves>
  /** The facts of the host's guards. */
  readonly facts: Facts
}

interface Decided {
  readonly outcomes: MoveBatch.Outcomes
  readonly changes: ReadonlyArray<CompanyWrite.CompanyChange>
  /** The ids of returns that the decision changes but that weren't locked. */
  readonly unlocked: ReadonlyArray<string>
}

/** The audit record of a bulk: docs/reference/audit.md#automatic. `requested` are the bulk's commands, in the order of `outcomes`. */
const batchRecord = (
  requested: ReadonlyArray<{ readonly record: { readonly shipmentId: string }; readonly command: ShipmentCommand }>,
  outcomes: MoveBatch.Outcomes,
  changes: MoveBatch.BatchChanges,
  faults: ReadonlyArray<StockMoves.StockFault>
) => ({
  // A rejected request changed nothing and may be large, so only its shipment's id is kept.
  request: requested.map(({ command, record }, nth) => {
    const [, outcome] = outcomes[nth] ?? []
    const isMade = outcome !== undefined && Result.isSuccess(outcome)
    return isMade ? [record.shipmentId, commandRecord(command)] : [record.shipmentId]
  }),
  response: outcomes.map(([index, outcome]) => [index, Result.isSuccess(outcome) ? "ok" : outcome.failure.code]),
  before: changes.updates.map(({ before }) => [before.id, before.status]),
  after: [
    ...changes.updates.map(({ after }) => [after.id, after.status, ...changes.events(after.id).map(eventRecord)]),
    ...changes.inserts.map(({ id, status }) => [id, status])
  ],
  ...(faults.length > 0 ? { faults } : {})
})

/** Makes the function `move`, which makes the moves of all companies in one transaction. */
export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const inventory = yield* Inventory.Inventory
  const couriers = yield* Couriers
  const { run } = yield* CompanyWrite.CompanyWrite
  const { load, openAwbs, usedInvoiceNumbers } = yield* makeReads
  const lifecycle = yield* Policy
  const asking = lifecycle.guards.filter(({ facts }) => facts !== undefined)

  const prepare = (own: CompanyMoves, at: number) =>
    Effect.map(usedInvoiceNumbers(own, at), (numbers) => ({ own, ...numbers }))

  type Prepared = Effect.Success<ReturnType<typeof prepare>>

  /** Attempts the moves in order. `facts` are of guards. `unassigned` are the shipments whose courier has a used AWB. */
  const attempt = (
    all: ReadonlyArray<Prepared>,
    { family, mayMove }: Moves,
    at: number,
    open: ReadonlyArray<OpenAwb>,
    facts: Facts,
    courierFor: (shipment: Shipment) => Effect.Effect<Courier | null>
  ) =>
    Effect.gen(function* () {
      const awbs = all.some(({ own }) => mayGiveAwb(own)) ? awbUse(open) : undefined
      const unassigned: Array<string> = []
      const begun = all.map((one) => ({
        ...one,
        batch: MoveBatch.begin(
          family,
          [...one.own.shipments, ...one.own.returns],
          one.used,
          awbs,
          { lifecycle, facts },
          one.numbering
        ),
        outcomes: [] as MoveBatch.Outcomes[number][]
      }))
      const inOrder = begun
        .flatMap(({ own, batch, outcomes }) => own.requests.map((one) => ({ ...one, batch, outcomes })))
        .sort((a, b) => a.index - b.index)
      for (const { batch, command, index, outcomes, record } of inOrder) {
        const outcome = batch.move(record, command, at, mayMove)
        outcomes.push([index, outcome])
        if (Result.isFailure(outcome) || !assignedAfter.includes(command._tag)) continue
        const needing = unassignedAfter(outcome.success, lifecycle)
        const courier = needing === undefined ? null : yield* courierFor(needing)
        if (needing !== undefined && courier !== null && !batch.assign(needing, courier, at))
          unassigned.push(needing.id)
      }
      return {
        made: begun.map(({ batch, outcomes, own }) => ({ own, outcomes, changes: batch.changes() })),
        unassigned
      }
    })

  /** Attempts the moves. If an AWB from the courier port is already in use, attempts them again with the same couriers. */
  const attemptAll = Effect.fnUntraced(function* ({ all, facts }: Loaded, moves: Moves, at: number) {
    const prepared = yield* Effect.forEach(all, (one) => prepare(one, at))
    const given = new Map<string, Courier | null>()
    const courierFor = (shipment: Shipment) =>
      Effect.gen(function* () {
        const before = given.get(shipment.id)
        if (before !== undefined) return before
        const courier = yield* couriers.assign(shipment)
        given.set(shipment.id, courier)
        return courier
      })
    const lookedUp = new Set(all.flatMap(statedAwbs))
    let open = yield* openAwbs(all, [...lookedUp])
    for (;;) {
      const { made, unassigned } = yield* attempt(prepared, moves, at, open, facts, courierFor)
      const unknown = [...given.values()]
        .flatMap((courier) => courier?.awbNumbers ?? [])
        .filter((awb) => !lookedUp.has(awb))
      const found = yield* openAwbs(all, unknown)
      if (found.length === 0) {
        if (unassigned.length > 0)
          yield* Effect.logError("The courier port gave AWBs that other open shipments use", { shipments: unassigned })
        return yield* Effect.forEach(made, (one) =>
          Effect.map(withIssuedFacts(one.own.company, one.changes), (changes) => ({ ...one, changes }))
        )
      }
      for (const awb of unknown) lookedUp.add(awb)
      open = [...open, ...found]
    }
  })

  const withIssuedFacts = Effect.fnUntraced(function* (company: CompanyId, changes: MoveBatch.BatchChanges) {
    const { inserts, updates } = changes
    const isNumbered =
      updates.some(({ after, before }) => IssuedDocuments.isNumbered(before, after)) ||
      inserts.some((created) => IssuedDocuments.isNumbered(null, created))
    if (!isNumbered) return changes
    const sellerAt = IssuedDocuments.sellers(yield* directory.company(company), yield* directory.locations([company]))
    const stored = (before: Shipment | null, after: Shipment) =>
      IssuedDocuments.stored(before, after, sellerAt(after.location))
    return {
      ...changes,
      updates: updates.map(({ after, before }) => ({ before, after: stored(before, after) })),
      inserts: inserts.map((created) => stored(null, created))
    }
  })

  const decide = (
    { changes, outcomes, own }: Effect.Success<ReturnType<typeof attemptAll>>[number],
    family: OperationFamily
  ): Decided => {
    const { company, levels } = own
    const changed = [...changes.updates.map(({ after }) => after.id), ...changes.inserts.map((created) => created.id)]
    const [first] = changed
    if (first === undefined) return { outcomes, changes: [], unlocked: [] }
    const unlocked = changes.updates.flatMap(({ before }) => (own.returns.includes(before) ? [before.id] : []))
    const stock = StockMoves.levelChanges(levels, changes.stock)
    const faults = StockMoves.faults(levels, changes.stock, stock)
    const save = (mark: CompanyWrite.Mark) =>
      Effect.gen(function* () {
        if (faults.some(({ code }) => code === "NOT_RESERVED"))
          yield* Effect.logError("Shipments released stock that was not reserved", { company, faults })
        yield* store.update(company, changes.updates)
        if (changes.inserts.length > 0) yield* store.insert(changes.inserts)
        const logs = batchRecord(own.requests, outcomes, changes, faults)
        const events = ShipmentFeed.eventsOf(changes)
        if (stock.length === 0) return { logs, events }
        yield* inventory.save(mark, company, stock)
        return { logs, events: [...events, ...StockFeed.eventsOf(stock)] }
      })
    const more = changed.length > 1 ? { ids: changed } : {}
    const entity = { type: "shipment", id: first, action: family, ...more }
    return { outcomes, changes: [{ companyId: company, entity, save }], unlocked }
  }

  return (caller: Caller, moves: Moves): Stored<MoveBatch.Outcomes> =>
    Effect.gen(function* () {
      const others = yield* Ref.make<ReadonlyArray<string>>([])
      return yield* run(caller, {
        load: Effect.gen(function* () {
          const more = yield* Ref.get(others)
          const all = yield* Effect.forEach(moves.requests, ([company, own]) => load(company, moves, own, more))
          // A reported status may concern a return of its shipment.
          const concerned = all.flatMap(({ returns, shipments }) => [...shipments, ...returns])
          const facts = asking.length === 0 ? noFacts : yield* loadFacts(asking, concerned)
          return { all, facts }
        }),
        // If a decision for any company needs the lock, all companies are locked first, in the order of their ids.
        lockFirst: ({ all }) => (all.some(needsLock) ? all.map(({ company }) => company) : []),
        decide: (loaded, at) =>
          Effect.gen(function* () {
            const decided = (yield* attemptAll(loaded, moves, at)).map((one) => decide(one, moves.family))
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
