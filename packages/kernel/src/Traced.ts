/**
 * Services' methods, with a span where somebody traces.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"

type Fn = Effect.fn.Gen & Effect.fn.NonGen

/**
 * `Effect.fn` for those who may not be traced: that one takes a stack and provides a span at each call even where tracing
 * is off, and a small request has four such calls, 50 µs each.
 */
export const fn = (name: string): Fn => {
  const method = (body: (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>) => {
    const traced = Effect.fn(name)(body)
    const plain = (...args: ReadonlyArray<unknown>) => {
      const made: Effect.Effect<unknown> | Effect.fn.Return<unknown> = body(...args)
      return Effect.isEffect(made) ? made : Effect.gen(() => made)
    }
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiberRuntime<unknown, unknown, unknown>((fiber) =>
        fiber.getFiberRef(FiberRef.currentTracerEnabled) ? traced(...args) : plain(...args)
      )
  }
  return method as unknown as Fn
}
