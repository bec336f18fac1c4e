/** The laws as data, for runtimes without the usual test runner, such as a Worker, Bun or Deno. */
import * as Effect from "effect/Effect"
import type * as Laws from "./Laws.ts"
import type * as Seed from "./Seed.ts"
import { type EveryPort, type PortName, suites } from "./Suites.ts"

/** One law. Its effect fails or dies if the law is broken. Its writes aren't cleaned up. */
export interface Law {
  readonly port: PortName
  readonly sentence: string
  readonly shown: Effect.Effect<void, unknown, EveryPort | Seed.Seed>
}

/** Every law of every port, in the order of `storageLaws`. The storage must provide `Seed.layer` too. */
export const everyLaw: ReadonlyArray<Law> = Object.entries(suites).flatMap(([port, suite]) => {
  const laws: Array<Law> = []
  const law: Laws.Registration<EveryPort | Seed.Seed> = (sentence, shown) => {
    laws.push({ port: port as PortName, sentence, shown: Effect.scoped(Effect.asVoid(Effect.gen(shown))) })
  }
  suite({ law, concurrent: law })
  return laws
})
