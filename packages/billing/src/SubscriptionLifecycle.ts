/**
 * The states of charges, as data (contract, Billing and audit).
 */

/**
 * What somebody agreed to pay for: an extension's subscription, an extension's one-time charge, or a company's plan.
 */
export type Kind = "subscription" | "one_time" | "plan"

export const moves = ["accept", "decline", "expire", "cancel", "freeze", "thaw", "stop", "end"] as const

/**
 * `stop` asks for no further period, `end` is the end of the last one; `freeze` and `thaw` follow payments.
 */
export type Move = (typeof moves)[number]

export const statuses = [
  "pending",
  "active",
  "declined",
  "expired",
  "cancelled",
  "frozen",
  "no_renew",
  "success"
] as const

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

/**
 * Every move there is: what is not here can't be done.
 */
export const transitions: Readonly<Record<Kind, Table>> = {
  subscription: recurring,
  plan: recurring,
  one_time: { ...settled, pending: { accept: "success", decline: "declined", expire: "expired" } }
}

/**
 * Where a move leads; undefined when it can't be made.
 */
export const next = (kind: Kind, status: Status, move: Move): Status | undefined => transitions[kind][status][move]

/**
 * Those for which something may still be billed.
 */
export const running: ReadonlyArray<Status> = ["active", "frozen", "no_renew"]

export const isRunning = (status: Status): boolean => running.includes(status)
