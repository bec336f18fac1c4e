/**
 * The background loops of a host, and how they are doing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * `failing`: the last pass failed, or an entry of it did and was not done since. `stopped`: it does nothing any more, as
 * when the host stops.
 */
export type Condition = "working" | "failing" | "stopped"

export interface LoopState {
  readonly name: string
  readonly state: Condition
  /** Epoch milliseconds. */
  readonly since: number
}

export class BackgroundLoops extends Context.Service<
  BackgroundLoops,
  {
    /** In the order in which they began. */
    readonly states: Effect.Effect<ReadonlyArray<LoopState>>
    /** What a loop says of itself; `since` stays as long as the state does. */
    readonly note: (state: LoopState) => Effect.Effect<void>
  }
>()("@crossdock/kernel/BackgroundLoops") {}

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

export const layer: Layer.Layer<BackgroundLoops> = Layer.effect(BackgroundLoops, make)
