/** A host's additions to a lifecycle, which is verified as a whole. Source: docs/guides/extend.md#lifecycle. */
import { frozen, Text } from "@crossdock/kernel"
import { type OwnReason, qcReasons } from "@crossdock/returns"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { type GuardId, type OwnGuard, guards as ourGuards } from "./Guards.ts"
import { type Move, type MoveRule, type Row, standard, type Table } from "./LifecycleTable.ts"
import { type MoveName, type Operation, type OperationFamily, operations } from "./Operations.ts"
import { invalidRecord, rejectionCodes, shipmentLocked } from "./RejectionCodes.ts"
import type { Party } from "./Shipment.ts"
import type { AddedStatus, StockKind } from "./ShipmentStatus.ts"
import {
  closedStatuses,
  isOpen,
  isOperationalStatus,
  mayMoveStock,
  operationalStatuses,
  orderStatusValues
} from "./ShipmentStatus.ts"
import { stockOnReaching } from "./StockMoves.ts"

/** A host's changes to a lifecycle. */
export interface LifecycleExtension {
  /** The added statuses by name, such as `quality_hold`. */
  readonly statuses?: Readonly<Record<string, AddedStatus>>
  /** The moves to add to each status or to replace, by the name of the move. Null removes a move. */
  readonly transitions?: Readonly<Record<string, RowChange>>
  readonly guards?: ReadonlyArray<OwnGuard>
  readonly reasons?: ReadonlyArray<OwnReason>
}

/** A change of the moves out of one status. Operations and reports can also lead to added statuses. */
export type RowChange = { readonly [O in Operation]?: Move | null } & {
  readonly status?: Readonly<Record<string, MoveRule | null>>
}

/** The reasons why a lifecycle can't work. Each fault is a sentence. */
export interface InvalidLifecycle {
  readonly _tag: "InvalidLifecycle"
  readonly faults: ReadonlyArray<string>
}

interface Way {
  readonly from: string
  readonly name: MoveName
  readonly operation?: Operation
  readonly rule: MoveRule
  readonly to: string
}

const waysOf = (from: string, { status = {}, ...moves }: Row): ReadonlyArray<Way> => [
  ...Struct.keys(moves).flatMap((operation): ReadonlyArray<Way> => {
    const rule = moves[operation]
    return rule === undefined ? [] : [{ from, name: operation, operation, rule, to: rule.to }]
  }),
  ...Object.entries(status).map(([to, rule]): Way => ({ from, name: `status ${to}`, rule, to }))
]

const allWays = (rows: Table["rows"]): ReadonlyArray<Way> =>
  Object.entries(rows).flatMap(([from, row]) => waysOf(from, row))

const reachedFrom = (ways: ReadonlyArray<Way>, ...starts: ReadonlyArray<string>): ReadonlySet<string> => {
  const reached = new Set(starts)
  for (const status of reached) for (const { from, to } of ways) if (from === status) reached.add(to)
  return reached
}

const listed = (on: OwnGuard["on"]): ReadonlyArray<MoveName> => (typeof on === "string" ? [on] : (on ?? []))

const tableOf = (
  rows: Table["rows"],
  added: Table["added"],
  guards: ReadonlyArray<OwnGuard>,
  reasons: ReadonlyArray<OwnReason>
): Table => {
  const ways = allWays(rows)
  const waysOut = ways.filter(({ rule }) => rule.opensReturn !== true)
  const onTheWayOut = reachedFrom(waysOut, "placed")
  const guarded = guards.flatMap((guard) => listed(guard.on).map((name) => ({ name, guard })))
  const ofMoves = Map.groupBy(guarded, ({ name }) => name)
  const families = ways.flatMap(({ from, operation, to }): ReadonlyArray<OperationFamily> => {
    if (operation === undefined || !movesUnits(added, operation, from, to)) return []
    // After the invoice, a courier may be assigned too.
    return [operations[operation].family, ...(operation === "assignCourier" ? (["invoiceUpdate"] as const) : [])]
  })
  const reported = ways.flatMap(({ operation, rule, to }) =>
    operation === undefined && rule.opensReturn !== true && !onTheWayOut.has(to) ? [to] : []
  )
  return Object.freeze({
    statuses: frozen([...operationalStatuses, ...Object.keys(added)]),
    added: frozen(added),
    rows: frozen(rows),
    guards: Object.freeze([...guards]),
    reasons: frozen([...reasons]),
    guardsOf: Object.freeze(
      Object.fromEntries([...ofMoves].map(([name, all]) => [name, Object.freeze(all.map(({ guard }) => guard))]))
    ),
    movesStock: frozen([...new Set<OperationFamily>(["status", ...families])]),
    returnStatuses: frozen([...new Set(reported)])
  })
}

/** Whether a move may change stock. Cancelling a part and a check change stock, although the status may stay the same. */
const movesUnits = (added: Table["added"], operation: Operation, from: string, to: string): boolean =>
  operation === "cancelPart" || operation === "return" || (from !== to && stockOf(added, to) !== "none")

const stockOf = (added: Table["added"], status: string): StockKind | "none" =>
  added[status]?.stock ?? (stockOnReaching as Readonly<Record<string, StockKind>>)[status] ?? "none"

const merged = <A>(before: Readonly<Record<string, A>>, changes: Readonly<Record<string, A | null>>) =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, one]) => one !== null)) as Record<string, A>

const changedRow = (
  { status = {}, ...moves }: Row,
  { status: reports = {}, ...changes }: RowChange,
  order: ReadonlyArray<string>
): Row => {
  const targets = Object.entries(merged(status, reports)).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return { ...merged(moves, changes), ...(targets.length === 0 ? {} : { status: Object.fromEntries(targets) }) }
}

/**
 * Applies the host's changes to the lifecycle, or fails with all faults at once. Source: docs/guides/extend.md#lifecycle.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { extendLifecycle } from "@crossdock/shipments"
 * import { Result } from "effect"
 *
 * const extended = extendLifecycle({
 *   statuses: { quality_hold: { orderStatus: "PROCESSING", stock: "none" } },
 *   transitions: { dp_assigned: { status: { quality_hold: { who: "seller" } } } }
 * })
 * deepStrictEqual(Result.getOrThrow(Result.flip(extended)).faults, [
 *   "quality_hold has no way out: give it a move, or isClosed: true",
 *   "quality_hold ends the way of units that are still reserved"
 * ])
 * ```
 */
export const extendLifecycle = (
  extension: LifecycleExtension,
  base: Table = standard
): Result.Result<Table, InvalidLifecycle> => {
  const { guards = [], reasons = [], statuses = {}, transitions: changes = {} } = extension
  const misshapen = [
    ...Text.misnamed("extendLifecycle", extension, ["statuses", "transitions", "guards", "reasons"]),
    ...shapeFaults({ guards, reasons, statuses, transitions: changes })
  ]
  if (misshapen.length > 0) return Result.fail({ _tag: "InvalidLifecycle", faults: misshapen })
  const added = { ...base.added, ...statuses }
  const order = [...operationalStatuses, ...Object.keys(added)]
  const rows = { ...base.rows, ...Object.fromEntries(Object.keys(statuses).map((name) => [name, {}])) }
  const changed = Object.entries(changes).map(
    ([from, row]) => [from, changedRow(rows[from] ?? {}, row, order)] as const
  )
  const table = tableOf(
    { ...rows, ...Object.fromEntries(changed) },
    added,
    [...base.guards, ...guards],
    [...base.reasons, ...reasons]
  )
  const misnamed = [
    ...Object.entries(statuses).flatMap(statusFaults),
    ...nameFaults(table),
    ...guardFaults(table),
    ...reasonFaults(table)
  ]
  // Unknown statuses would cause further faults, which disappear once the names are corrected.
  const faults = misnamed.length > 0 ? misnamed : [...wayFaults(table), ...stockFaults(table)]
  return faults.length > 0 ? Result.fail({ _tag: "InvalidLifecycle", faults }) : Result.succeed(table)
}

const isMoveRule = (rule: unknown): boolean =>
  rule === null || (Predicate.isObject(rule) && (!Predicate.hasProperty(rule, "guards") || Array.isArray(rule.guards)))

const guardMembers = ["on", "isMet", "says", "advice", "code", "facts"]
const reasonMembers = ["on", "code", "reason", "companyId", "from", "until"]

/** Finds values of wrong types, which untyped code may supply. The other checks can't process them. */
const shapeFaults = (given: Required<LifecycleExtension>): ReadonlyArray<string> => {
  const { guards, reasons, statuses, transitions } = given
  const faults = [
    ...Object.entries({ guards, reasons }).flatMap(([name, list]) =>
      Array.isArray(list) && list.every(Predicate.isObject) ? [] : [`${name} must be a list of objects`]
    ),
    ...Object.entries({ statuses, transitions }).flatMap(([name, rows]) =>
      Predicate.isObject(rows) && Object.values(rows).every(Predicate.isObject)
        ? []
        : [`${name} must be an object with an object for each status`]
    )
  ]
  if (faults.length > 0) return faults
  return [
    ...guards.flatMap((guard) => Text.misnamed(`The guard ${guard.code}`, guard, guardMembers)),
    ...reasons.flatMap((one) => Text.misnamed(`The reason ${String(one.code)}`, one, reasonMembers)),
    ...Object.entries(statuses).flatMap(([name, one]) =>
      Text.misnamed(name, one, ["orderStatus", "stock", "isClosed"])
    ),
    ...guards.flatMap(({ code, on }) =>
      on === undefined || typeof on === "string" || Array.isArray(on)
        ? []
        : [`The guard ${code} needs on, the move or moves that it is on`]
    ),
    ...Object.entries(transitions).flatMap(([from, { status = {}, ...moves }]) => [
      ...(Predicate.isObject(status) ? [] : [`status of ${from} must be an object of statuses`]),
      ...[...Object.entries(moves), ...Object.entries(status ?? {})].flatMap(([name, rule]) =>
        isMoveRule(rule)
          ? Text.misnamed(`${name} of ${from}`, rule, ["to", "who", "guards", "opensReturn", "note"])
          : [`${name} of ${from} must be null or an object such as { to, who, guards: [] }`]
      )
    ])
  ]
}

const statusFaults = ([name, { isClosed, orderStatus, stock }]: [string, AddedStatus]): ReadonlyArray<string> => [
  ...(/^[a-z][a-z0-9_]{1,49}$/.test(name) && !(name in Object.prototype)
    ? []
    : [
        `${JSON.stringify(name)} must have small letters, digits and _ only${name in Object.prototype ? ", and be no name of JavaScript's" : ""}`
      ]),
  ...(isOperationalStatus(name) ? [`${name} is a status already: change its transitions`] : []),
  ...(orderStatusValues.includes(orderStatus) ? [] : [`${name} needs an orderStatus: ${orderStatusValues.join(", ")}`]),
  ...(["release", "consume", "restock", "unsellable", "none"].includes(stock)
    ? []
    : [`${name} must state its stock effect: release, consume, restock, unsellable or none`]),
  ...(isClosed === undefined || isClosed === true ? [] : [`${name}: isClosed must be true or absent`])
]

const reporting: ReadonlyArray<Party> = ["seller", "marketplace"]

const partiesOf = (operation: Operation | undefined): ReadonlyArray<Party> =>
  operation === undefined
    ? reporting
    : operation === "assignCourier"
      ? [...reporting, "courier"]
      : (operations[operation]?.by ?? reporting)

const nameFaults = ({ rows, statuses }: Table): ReadonlyArray<string> => {
  const known = new Set<string>(statuses)
  return Object.entries(rows).flatMap(([from, row]) => [
    ...(known.has(from) ? [] : [`transitions has ${from}, which is no status`]),
    ...Object.keys(row).flatMap((name) =>
      name === "status" || Object.hasOwn(operations, name) ? [] : [`${from} has ${name}, which is no operation`]
    ),
    ...waysOf(from, row).flatMap(({ name, operation, rule, to }) => [
      ...(known.has(to) ? [] : [`${name} of ${from} leads to ${to}, which is no status`]),
      ...(rule.who === undefined || partiesOf(operation).includes(rule.who)
        ? []
        : [`${name} of ${from} has who ${rule.who}, who can't make it`]),
      ...(rule.guards ?? []).flatMap((id) =>
        Object.hasOwn(ourGuards, id) ? [] : [`${name} of ${from} has the guard ${id}, which doesn't exist`]
      )
    ])
  ])
}

const ourCodes: ReadonlySet<string> = new Set([
  shipmentLocked,
  invalidRecord,
  ...Object.values(rejectionCodes).flatMap((codes) => Object.values(codes))
])

const guardFaults = ({ guards, rows }: Table): ReadonlyArray<string> => {
  const names = new Set<string>(allWays(rows).map(({ name }) => name))
  return guards.flatMap((guard) => [
    ...(/^[A-Z][A-Z0-9_]{1,63}$/.test(guard.code) && !ourCodes.has(guard.code)
      ? []
      : [`The code of the guard ${guard.code} must be capital letters, digits and _, and none of ours`]),
    ...(typeof guard.isMet === "function" ? [] : [`The guard ${guard.code} needs isMet, a function`]),
    ...(guard.facts === undefined || typeof guard.facts === "function"
      ? []
      : [`The facts of the guard ${guard.code} must be a function`]),
    ...([guard.says, guard.advice].every((text) => typeof text === "string" && text !== "")
      ? []
      : [`The guard ${guard.code} needs says and advice, the texts of its rejection`]),
    ...(listed(guard.on).length === 0 ? [`The guard ${guard.code} needs on, the move or moves that it is on`] : []),
    ...listed(guard.on).flatMap((name) =>
      name === "assignCourier" || !names.has(name)
        ? [`The guard ${guard.code} is on ${name}, which is no move of a caller`]
        : []
    )
  ])
}

const reasonFaults = ({ reasons }: Table): ReadonlyArray<string> =>
  reasons.flatMap(({ code, companyId, from, on, reason, until }) => [
    ...(on === "return" || on === "cancel" ? [] : [`The reason ${String(code)} must be on return or cancel`]),
    ...(on === "return" && !(Number.isSafeInteger(code) && Number(code) > 0)
      ? [`The reason ${JSON.stringify(code)} of returns needs a whole number as its code`]
      : []),
    ...(on === "return" && qcReasons.some((one) => one.code === code) ? [`The reason ${code} of returns is ours`] : []),
    ...(on === "cancel" && !(typeof code === "number" || (typeof code === "string" && code !== ""))
      ? [`The reason ${String(code)} of cancellations needs a text or a number as its code`]
      : []),
    // Storages can't store the character NUL.
    ...(typeof reason === "string" && /^\P{Cc}+$/u.test(reason) ? [] : [`The reason ${String(code)} needs a text`]),
    ...([companyId, from, until].every((one) => one === undefined || Number.isFinite(one))
      ? []
      : [`The companyId, from and until of the reason ${String(code)} must be numbers`])
  ])

/** Without these guards, an operation would accept more units than there are. */
const needed: { readonly [O in Operation]?: GuardId } = {
  cancelPart: "within-what-is-left",
  return: "within-what-has-no-result"
}

/** The required target status of each operation that must lead to a certain status. */
const ends: { readonly [O in Operation]?: (from: string) => string } = {
  cancel: () => "cancelled_seller",
  cancelPart: (from) => from,
  return: () => "return_accepted"
}

const wayFaults = ({ added, rows, statuses }: Table): ReadonlyArray<string> => {
  const ways = allWays(rows)
  const reached = reachedFrom(ways, "placed")
  const own = ways.filter(({ from, rule, to }) => from !== to && rule.opensReturn !== true)
  const after = (done: Operation) =>
    reachedFrom(own, ...ways.flatMap(({ operation, to }) => (operation === done ? [to] : [])))
  const [invoiced, credited] = [after("invoiceSale"), after("creditNote")]
  // It is possible that no caller can make the moves that are left out here.
  const open = own.filter(
    ({ from, operation, rule: { guards = [] } }) =>
      operation !== "assignCourier" &&
      !guards.includes("marketplace-ships") &&
      (invoiced.has(from) || !guards.includes("cancelled-after-invoicing"))
  )
  const closes = reachedFrom(
    open.map((way) => ({ ...way, from: way.to, to: way.from })),
    ...statuses.filter((status) => !isOpen({ status, added: added[status] ?? null }))
  )
  return [
    ...statuses.flatMap((status) => (reached.has(status) ? [] : [`${status} can't be reached from placed`])),
    ...statuses.flatMap((status) =>
      closes.has(status) ? [] : [`${status} has no way out: give it a move, or isClosed: true`]
    ),
    ...ways.flatMap(({ from, name, operation, rule, to }) => {
      const end = operation === undefined ? undefined : ends[operation]?.(from)
      const opens = to === "return_initiated"
      return [
        ...(end === undefined || end === to ? [] : [`${name} of ${from} must lead to ${end}`]),
        ...(opens === (rule.opensReturn === true)
          ? []
          : [`${name} of ${from}: opensReturn belongs to return_initiated alone`])
      ]
    }),
    ...ways.flatMap(({ from, name, operation, rule }) => [
      ...(invoiced.has(from) && (operation === "invoiceSale" || operation === "cancelPart")
        ? [`${name} of ${from} would change what is invoiced already`]
        : []),
      ...(credited.has(from) && operation === "creditNote" && !rule.guards?.includes("no-credit-note-yet")
        ? [`${name} of ${from} needs the guard no-credit-note-yet`]
        : [])
    ]),
    // A closed shipment can't be opened again, since another shipment may have its AWB and its SKUs may be deleted.
    ...own.flatMap(({ from, name, to }) =>
      added[from]?.isClosed === true && isOpen({ status: to, added: added[to] ?? null })
        ? [`${from} is closed, but ${name} leads on to ${to}, which is open`]
        : []
    ),
    ...ways.flatMap(({ from, name, operation, rule, to }) => {
      const guard = to === "return_initiated" ? "within-what-is-not-returned" : operation && needed[operation]
      return guard === undefined || rule.guards?.includes(guard) ? [] : [`${name} of ${from} needs the guard ${guard}`]
    })
  ]
}

type Phase = "reserved" | "out" | "released" | "back"

const effectOf: { readonly [K in StockKind]: { readonly from: Phase; readonly to: Phase } } = {
  release: { from: "reserved", to: "released" },
  consume: { from: "reserved", to: "out" },
  restock: { from: "out", to: "back" },
  unsellable: { from: "out", to: "back" }
}

const kindOf = (
  added: Table["added"],
  { from, operation, to }: Pick<Way, "from" | "to"> & { readonly operation?: Operation | undefined }
) => (operation === "return" ? "restock" : from === to ? "none" : stockOf(added, to))

const isBack = (kind: StockKind | "none"): boolean => kind === "restock" || kind === "unsellable"

const stockFaults = ({ added, rows, statuses }: Table): ReadonlyArray<string> => {
  const phases = new Map<string, Phase>([["placed", "reserved"]])
  const ways = allWays(rows)
  const own = ways.filter(({ rule }) => rule.opensReturn !== true)
  const faults = new Set<string>()
  for (const [from, phase] of phases) {
    for (const { name, operation, rule, to } of waysOf(from, rows[from] ?? {})) {
      if (operation === "cancelPart" && phase !== "reserved")
        faults.add(`${name} of ${from} would release units that are ${phase}`)
      if (rule.opensReturn === true && phase !== "out")
        faults.add(`${name} of ${from} would return units that are ${phase}`)
      const kind = kindOf(added, { from, operation, to })
      if (kind !== "none" && effectOf[kind].from !== phase) {
        faults.add(`${name} of ${from} would ${kind} units that are ${phase}`)
        continue
      }
      // This move is also the first move of a return, which has no earlier status.
      if (kind !== "none" && operation === "assignCourier" && from === "return_initiated")
        faults.add(`${name} of ${from} can't ${kind} units`)
      if (kind !== "none" && !mayMoveStock({ status: from, added: added[from] ?? null }))
        faults.add(`${from} is closed, but ${name} moves its stock`)
      const after = rule.opensReturn === true ? "out" : kind === "none" ? phase : effectOf[kind].to
      const before = phases.get(to)
      if (before === undefined) phases.set(to, after)
      else if (before !== after)
        faults.add(
          `${to} is reached with units that are ${before}, and by ${name} of ${from} with units that are ${after}`
        )
    }
  }
  for (const { from, name, rule } of ways) {
    if (rule.opensReturn !== true || phases.get(from) !== "out") continue
    const after = reachedFrom(own, from)
    const back = ways.find(
      (way) =>
        (after.has(way.from) && way.rule.opensReturn !== true && isBack(kindOf(added, way))) ||
        (way.operation === "return" && reachedFrom(own, way.from).has(from))
    )
    if (back !== undefined)
      faults.add(`${name} of ${from} would return units that ${back.name} of ${back.from} takes back too`)
  }
  const final = new Set<string>([
    ...closedStatuses,
    ...statuses.filter((status) => waysOf(status, rows[status] ?? {}).every(({ to }) => to === status))
  ])
  for (const status of statuses) {
    if ((final.has(status) || added[status]?.isClosed === true) && phases.get(status) === "reserved")
      faults.add(`${status} ends the way of units that are still reserved`)
  }
  return [...faults]
}
