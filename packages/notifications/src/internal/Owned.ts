/**
 * What a host that claimed a delivery may still change.
 */
import { type StaleWrite, type StorageError, Transaction } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import type { Attempts } from "../DeliveryAttempts.ts"

/**
 * Makes the function that changes a delivery's state as long as `owner` has the claim, and else returns `lost`: another host
 * claimed it meanwhile, or it was changed or deleted.
 */
export const whileOwned =
  <Key, State extends Attempts>(
    transaction: typeof Transaction.Transaction.Service,
    find: (key: Key) => Effect.Effect<State | undefined, StorageError>
  ) =>
  <A>(
    delivery: Key & { readonly owner: string },
    change: (state: State) => Effect.Effect<A, StaleWrite | StorageError>
  ): Effect.Effect<A | "lost", StorageError> =>
    Transaction.retrying(transaction)(
      Effect.flatMap(find(delivery), (state) =>
        state?.lease?.owner === delivery.owner ? change(state) : Effect.succeed<A | "lost">("lost")
      )
    )
