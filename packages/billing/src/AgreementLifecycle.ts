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

/** An extension's subscription or one-time charge, or a company's plan. */
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

/** `stop`: the agreement isn't renewed; `end`: its last period ends; `freeze` and `thaw` follow payments. */
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

/** The status after each move. A move that isn't in the table is impossible. */
export const transitions: Readonly<Record<Kind, Table>> = /* @__PURE__ */ frozen({
  subscription: recurring,
  plan: recurring,
  one_time: { ...settled, pending: { accept: "success", decline: "declined", expire: "expired" } }
})

/** The status after a move; undefined if the move is impossible. */
export const next = (kind: Kind, status: Status, move: Move): Status | undefined => transitions[kind][status][move]

/** The statuses in which something may still be billed. */
export const running: ReadonlyArray<Status> = /* @__PURE__ */ frozen(["active", "frozen", "no_renew"])

/** Whether something may still be billed in this status: not if pending or ended. */
export const isRunning = (status: Status): boolean => running.includes(status)

/** The slot of an agreement, with at most one that runs: the company's plan, or an extension. Undefined if ended. */
export const slotOf = (agreement: {
  readonly kind: Kind
  readonly entityId: string
  readonly status: Status
}): string | undefined => {
  if (!isRunning(agreement.status)) return undefined
  return agreement.kind === "plan" ? "plan" : `${agreement.kind} ${agreement.entityId}`
}
