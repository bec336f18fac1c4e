/**
 * The number of a company's change: the `sequence` of its audit record, which grows by one with every change of the company.
 */
import type { StorageError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"

/**
 * The number itself, or, of a change that its storage numbers when its writes arrive there, an effect that waits for it. A storage
 * that can write the number without knowing it doesn't wait, since waiting would keep the company locked longer.
 */
export type ChangeNumber = number | Effect.Effect<number, StorageError>

/**
 * The number, waited for if need be.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { ChangeNumber } from "@crossdock/audit"
 * import { Effect } from "effect"
 *
 * strictEqual(await Effect.runPromise(ChangeNumber.known(42)), 42)
 * strictEqual(await Effect.runPromise(ChangeNumber.known(Effect.succeed(42))), 42)
 * ```
 */
export const known = (number: ChangeNumber): Effect.Effect<number, StorageError> =>
  typeof number === "number" ? Effect.succeed(number) : number
