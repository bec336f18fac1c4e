/**
 * Types of events: each domain defines its own, and a host puts them together.
 */
import type * as Schema from "effect/Schema"
import type { CompanyEvent, EventDraft } from "./CompanyEvent.ts"

/**
 * A type of event in one version. `data` describes its payload, which is plain JSON.
 */
export interface EventType<Type extends string = string, Version extends number = number, Data = unknown> {
  readonly type: Type
  readonly version: Version
  /** When it happens, as a sentence. */
  readonly description: string
  readonly data: Schema.Codec<Data>
  readonly example: Data
}

/**
 * A type of event with any payload.
 */
export type AnyEventType = Pick<EventType, "type" | "version" | "description">

/**
 * An event whose type is known, so that its `data` is typed.
 */
export type EventOf<Known extends AnyEventType> =
  Known extends EventType<infer Type, infer Version, infer Data>
    ? Omit<CompanyEvent, "type" | "version" | "data"> & {
        readonly type: Type
        readonly version: Version
        readonly data: Data
      }
    : never

/**
 * A type of event.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventType } from "@crossdock/audit"
 * import { Schema } from "effect"
 *
 * const renamed = EventType.define({
 *   type: "company.renamed",
 *   version: 1,
 *   description: "The company has another name.",
 *   data: Schema.Struct({ name: Schema.String }),
 *   example: { name: "Example Traders" }
 * })
 * strictEqual(renamed.example.name, "Example Traders")
 * ```
 */
export const define = <const Type extends string, const Version extends number, Data>(
  definition: EventType<Type, Version, Data>
): EventType<Type, Version, Data> => definition

/**
 * An event of this type, for a change to write.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { EventType } from "@crossdock/audit"
 * import { Schema } from "effect"
 *
 * const renamed = EventType.define({
 *   type: "company.renamed",
 *   version: 1,
 *   description: "The company has another name.",
 *   data: Schema.Struct({ name: Schema.String }),
 *   example: { name: "Example Traders" }
 * })
 * const draft = EventType.draft(renamed, { name: "Other Traders" })
 * deepStrictEqual(draft, { type: "company.renamed", version: 1, data: { name: "Other Traders" } })
 * ```
 */
export const draft = <Data>({ type, version }: EventType<string, number, Data>, data: Data): EventDraft => ({
  type,
  version,
  data
})

/**
 * Makes the function that types an event, or returns undefined when its type or version isn't among these: a reader then
 * passes over it, as a later release may write events that it doesn't know.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { EventType } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Schema } from "effect"
 *
 * const renamed = EventType.define({
 *   type: "company.renamed",
 *   version: 1,
 *   description: "The company has another name.",
 *   data: Schema.Struct({ name: Schema.String }),
 *   example: { name: "Example Traders" }
 * })
 * const knownOf = EventType.knowing([renamed])
 * const event = { companyId: CompanyId.make(1), number: 1, change: 1, at: 0, type: "company.renamed", version: 1 }
 * strictEqual(knownOf({ ...event, data: { name: "Example Traders" } })?.data.name, "Example Traders")
 * strictEqual(knownOf({ ...event, version: 2, data: { names: [] } }), undefined)
 * ```
 */
export const knowing = <Known extends AnyEventType>(types: ReadonlyArray<Known>) => {
  const known = new Set(types.map(({ type, version }) => `${type} ${version}`))
  // Our own code wrote the event, with the data of its type.
  return (event: CompanyEvent): EventOf<Known> | undefined =>
    known.has(`${event.type} ${event.version}`) ? (event as unknown as EventOf<Known>) : undefined
}
