import * as Vitest from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type EveryPort, type PortName, type PortsOf, suites } from "./EveryLaw.ts"
import type * as Laws from "./Laws.ts"
import * as Seed from "./Seed.ts"

/** What the laws must know about a storage. */
export interface Options {
  /** The documented gaps of the storage. Laws about them are skipped. */
  readonly lacks?: ReadonlyArray<Laws.Gap>
}

const registering = <R>(it: Vitest.Vitest.MethodsNonLive<R>, { lacks = [] }: Options): Laws.Laws<R> => ({
  law: (sentence, shown) => it.effect(sentence, () => Effect.gen(shown)),
  concurrent: (sentence, shown) =>
    it.effect.skipIf(lacks.includes("concurrent-writers"))(sentence, () => Effect.gen(shown))
})

const timeouts = { timeout: "2 minutes", excludeTestServices: true } as const

/** Registers the suites of all ports for `layer`. All names are new, so the laws can share a database. */
export const storageLaws = <E>(name: string, layer: Layer.Layer<EveryPort, E>, options: Options = {}): void =>
  Vitest.layer(Layer.provideMerge(Seed.layer, layer), timeouts)(`Storage laws: ${name}`, (it) => {
    const laws = registering<EveryPort | Seed.Seed>(it, options)
    for (const [port, suite] of Object.entries(suites)) Vitest.describe(port, () => suite(laws))
  })

/** Registers the suite of one port. The layer's `Seed` writes the companies, locations and products that its laws need. */
export const portLaws = <Name extends PortName, E>(
  port: Name,
  layer: Layer.Layer<PortsOf<Name> | Seed.Seed, E>,
  options: Options = {}
): void =>
  Vitest.layer(layer, timeouts)(`Laws of ${port}`, (it) => {
    const suite = suites[port] as (laws: Laws.Laws<PortsOf<Name> | Seed.Seed>) => void
    suite(registering<PortsOf<Name> | Seed.Seed>(it, options))
  })
