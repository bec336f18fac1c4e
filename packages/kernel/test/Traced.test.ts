import { Traced } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Option } from "effect"

/** The name of the span that it runs in. */
const spanName = Effect.map(
  Effect.option(Effect.currentSpan),
  Option.match({ onNone: () => null, onSome: (span) => span.name })
)

const bodies = {
  generator: Traced.fn("Shop.open")(function* (hour: number, day: string) {
    return { hour, day, span: yield* spanName }
  }),
  effect: Traced.fn("Shop.open")((hour: number, day: string) => Effect.map(spanName, (span) => ({ hour, day, span })))
}

describe("A traced method", () => {
  for (const [kind, open] of Object.entries(bodies)) {
    it.effect(`runs in a span of its name where somebody traces (${kind})`, () =>
      Effect.gen(function* () {
        deepStrictEqual(yield* open(9, "Monday"), { hour: 9, day: "Monday", span: "Shop.open" })
      })
    )

    it.effect(`is the same without a span where nobody does (${kind})`, () =>
      Effect.gen(function* () {
        const outer = Effect.withSpan(Effect.withTracerEnabled(open(9, "Monday"), false), "outer")
        deepStrictEqual(yield* outer, { hour: 9, day: "Monday", span: "outer" })
      })
    )
  }
})
