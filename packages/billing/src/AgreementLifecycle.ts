/**
 * The states of agreements, as data. Source: docs/reference/billing.md#states.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AgreementLifecycle } from "@crossdock/billing"
 *
 * strictEqual(AgreementLifecycle.next("subscription", "active", "freeze"), "frozen")
 * strictEqual(AgreementLifecycle.next("subscription", "declined", "accept"), undefined)
 * ```
 */
import { frozen } from "@crossdock/kernel"

/** The subject of an agreement: the subscription or one-time charge of an extension, or the plan of a company. */
export type Kind = "subscription" | "one_time" | "plan"

export const moves = /* @__PURE__ */ frozen([
  "accept",
  "decline",
  "expire",
  "cancel",
  "freeze",
  "thaw",
  "stop",
  "end"
] as const)

/** A move of an agreement. `stop` stops its renewal, and `end` follows its last period. `freeze` pauses it until `thaw`. */
export type Move = (typeof moves)[number]

export const statuses = /* @__PURE__ */ frozen([
  "pending",
  "active",
  "declined",
  "expired",
  "cancelled",
  "frozen",
  "no_renew",
  "success"
] as const)

export type Status = (typeof statuses)[number]

const settled = { active: {}, frozen: {}, no_renew: {}, declined: {}, expired: {}, cancelled: {}, success: {} } as const

const recurring = {
  ...settled,
  pending: { accept: "active", decline: "declined", expire: "expired", cancel: "cancelled" },
  active: { cancel: "cancelled", freeze: "frozen", stop: "no_renew" },
  frozen: { thaw: "active", cancel: "cancelled" },
  no_renew: { cancel: "cancelled", end: "cancelled" }
} as const satisfies Table

type Table = Readonly<Record<Status, Partial<Record<Move, Status>>>>

/** The status after each move. Moves that aren't in the table are impossible. */
export const transitions: Readonly<Record<Kind, Table>> = /* @__PURE__ */ frozen({
  subscription: recurring,
  plan: recurring,
  one_time: { ...settled, pending: { accept: "success", decline: "declined", expire: "expired" } }
})

/** The status after a move. The result is undefined if the move is impossible. */
export const next = (kind: Kind, status: Status, move: Move): Status | undefined => transitions[kind][status][move]

/** The statuses in which an agreement may still be billed. */
export const running: ReadonlyArray<Status> = /* @__PURE__ */ frozen(["active", "frozen", "no_renew"])

/** Whether an agreement with this status may still be billed. The result is false if it is pending or has ended. */
export const isRunning = (status: Status): boolean => running.includes(status)

/** The slot of a running agreement: its kind and extension, or "plan". A company has at most one agreement per slot. */
export const slotOf = (agreement: {
  readonly kind: Kind
  readonly entityId: string
  readonly status: Status
}): string | undefined => {
  if (!isRunning(agreement.status)) return undefined
  return agreement.kind === "plan" ? "plan" : `${agreement.kind} ${agreement.entityId}`
}
