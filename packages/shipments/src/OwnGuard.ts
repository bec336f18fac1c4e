/** The conditions of moves that a host adds. Source: docs/guides/extend.md#guards. */
import type * as Effect from "effect/Effect"
import type { GuardInput } from "./Guards.ts"
import type { Shipment } from "./Shipment.ts"
import type { Operation } from "./Transitions.ts"

/** The input of an own guard. `facts` is what it loaded for the bulk; `at` is the time in epoch milliseconds. */
export interface OwnInput<F = unknown> extends GuardInput {
  readonly at: number
  readonly facts: F
}

/** The name of a move: an operation (`Lifecycle.operations`), or `status …` for a status that is reported. */
export type MoveName = Operation | `status ${string}`

/**
 * A condition of a move that a host adds. It also counts where the allowed moves and the steps to a move are listed.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { extendLifecycle, Lifecycle } from "@crossdock/shipments"
 * import { placedShipment } from "@crossdock/shipments/testing"
 * import { Result } from "effect"
 *
 * const notOnSundays: Lifecycle.OwnGuard = {
 *   on: ["confirm", "dispatch"],
 *   isMet: (_, { at }) => new Date(at).getUTCDay() !== 0,
 *   says: "the warehouse rests on Sundays",
 *   advice: "Send it on Monday.",
 *   code: "SUNDAY"
 * }
 * const lifecycle = Result.getOrThrow(extendLifecycle({ guards: [notOnSundays] }))
 *
 * const sunday = Date.UTC(2026, 10, 29)
 * const confirm = { _tag: "Confirm", items: [{ itemId: "1", quantity: 1 }] } as const
 * const { code, details } = Result.getOrThrow(
 *   Result.flip(Lifecycle.move(placedShipment(), confirm, sunday, { returns: [], lifecycle }))
 * )
 * deepStrictEqual([code, details.allowed], ["SUNDAY", ["cancel a part", "cancel everything"]])
 * ```
 */
export interface OwnGuard<F = unknown> {
  readonly on: MoveName | ReadonlyArray<MoveName>
  /** Pure: the same answer for the same input. */
  isMet(shipment: Shipment, input: OwnInput<F>): boolean
  /** Why the move is rejected; ends the sentence "Can't dispatch shipment 17: …". */
  readonly says: string
  /** A sentence that says what to do. */
  readonly advice: string
  /** The rejection's code: capital letters, digits and underscores, and none of ours. */
  readonly code: string
  /**
   * What `isMet` needs to know of the shipments of a bulk, loaded once for all of them, in the bulk's transaction: it may read
   * the database, and must not call a network.
   */
  readonly facts?: (shipments: ReadonlyArray<Shipment>) => Effect.Effect<F> | Promise<F>
}

/** Types a guard by its facts. */
export const guard = <F>(one: OwnGuard<F>): OwnGuard => one as OwnGuard

/** The facts of each guard that needs some. */
export type Facts = ReadonlyMap<OwnGuard, unknown>

export const noFacts: Facts = new Map()
