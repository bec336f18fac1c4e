/**
 * The background loops of a host and their conditions, for readiness and metrics.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * `failing`: the last pass failed, or one of its entries failed and hasn't succeeded since. `stopped`: the loop has ended,
 * as when the host stops.
 */
export type Condition = "working" | "failing" | "stopped"

/**
 * The condition of one loop.
 */
export interface LoopState {
  readonly name: string
  readonly state: Condition
  /** When the condition began, in epoch milliseconds. */
  readonly since: number
}

/**
 * The registry of a host's loops.
 */
export class BackgroundLoops extends Context.Service<
  BackgroundLoops,
  {
    /** In the order in which the loops started. */
    readonly states: Effect.Effect<ReadonlyArray<LoopState>>
    /** Records a loop's condition; `since` only changes with the condition. */
    readonly note: (state: LoopState) => Effect.Effect<void>
  }
>()("@crossdock/kernel/BackgroundLoops") {}

/**
 * An empty registry, in memory; needs nothing.
 */
export const make = Effect.sync(() => {
  const states = new Map<string, LoopState>()
  return BackgroundLoops.of({
    states: Effect.sync(() => [...states.values()]),
    note: (state) =>
      Effect.sync(() => {
        if (states.get(state.name)?.state !== state.state) states.set(state.name, state)
      })
  })
})

/**
 * One registry for all loops of a host.
 */
export const layer: Layer.Layer<BackgroundLoops> = Layer.effect(BackgroundLoops, make)
