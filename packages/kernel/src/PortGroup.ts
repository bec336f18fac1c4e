/** Marks ports of a storage that read each other's rows, so that a host finds one that was replaced alone. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { required } from "./Required.ts"

const group = Symbol.for("@crossdock/kernel/PortGroup")

/** Marks the services of a layer as one group. A wrapper that is made by copying a service keeps its mark. */
export const marked = <Ports, E, R>(layer: Layer.Layer<Ports, E, R>): Layer.Layer<Ports, E, R> =>
  Layer.tap(layer, (context) =>
    Effect.sync(() => {
      const mark = {}
      for (const service of context.mapUnsafe.values()) Object.assign(service, { [group]: mark })
    })
  )

type Keys = Readonly<Record<string, { readonly key: string }>>

/**
 * The names of `sources` that were replaced although one of `readers` reads the rows of their storage.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { PortGroup } from "@crossdock/kernel"
 * import { Context, Effect, Layer } from "effect"
 *
 * class Stock extends Context.Service<Stock, { readonly count: number }>()("app/Stock") {}
 * class List extends Context.Service<List, { readonly size: number }>()("app/List") {}
 * const storage = PortGroup.marked(Layer.merge(Layer.sync(Stock, () => ({ count: 1 })), Layer.sync(List, () => ({ size: 1 }))))
 * const replacedIn = (layer: Layer.Layer<Stock | List>) =>
 *   Effect.runSync(Effect.provide(PortGroup.replaced({ Stock }, { List }), layer))
 *
 * deepStrictEqual(replacedIn(storage), [])
 * deepStrictEqual(replacedIn(Layer.provideMerge(Layer.succeed(Stock, { count: 2 }), storage)), ["Stock"])
 * ```
 */
export const replaced = (sources: Keys, readers: Keys): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.context(), ({ mapUnsafe }) => {
    const markOf = ({ key }: Keys[string]): unknown => Reflect.get(required(mapUnsafe.get(key), key), group)
    const marks = Object.values(readers).flatMap((port) => markOf(port) ?? [])
    return Object.entries(sources).flatMap(([name, port]) =>
      marks.every((mark) => mark === markOf(port)) ? [] : [name]
    )
  })
