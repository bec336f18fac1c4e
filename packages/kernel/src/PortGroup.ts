/** Marks the ports of a storage that read each other's rows. A host can then detect that only some of them were replaced. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const group = Symbol.for("@crossdock/kernel/PortGroup")

/** Marks a layer's services as one group. Copies of a service, and wrappers of copies, keep the mark. */
export const marked = <Ports, E, R>(layer: Layer.Layer<Ports, E, R>): Layer.Layer<Ports, E, R> =>
  Layer.tap(layer, (context) =>
    Effect.sync(() => {
      const mark = {}
      for (const service of context.mapUnsafe.values()) Object.assign(service, { [group]: mark })
    })
  )

interface Key {
  readonly key: string
}

/**
 * Whether `reader` exists and reads the rows of `sources`, as a reader without a mark is assumed to do.
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
 * const isRead = (layer: Layer.Layer<Stock | List>) =>
 *   Effect.runSync(Effect.provide(PortGroup.isReader(List, [Stock]), layer))
 *
 * deepStrictEqual(isRead(storage), true)
 * deepStrictEqual(isRead(Layer.provideMerge(Layer.succeed(Stock, { count: 2 }), storage)), false)
 * ```
 */
export const isReader = (reader: Key, sources: ReadonlyArray<Key>): Effect.Effect<boolean> =>
  Effect.map(Effect.context(), ({ mapUnsafe }) => {
    const markOf = ({ key }: Key): unknown => Reflect.get(mapUnsafe.get(key) ?? {}, group)
    const mark = markOf(reader)
    return mapUnsafe.has(reader.key) && (mark === undefined || sources.every((port) => markOf(port) === mark))
  })
