/**
 * The events of a company's change feed: what each change did, as typed facts. Each domain defines the types of its own, and a
 * host puts them together. Source: docs/reference/events.md.
 */
import type { CompanyId } from "@crossdock/kernel"
import type * as Schema from "effect/Schema"

/**
 * An event before it has its number. `data` is plain JSON with ids, codes, quantities, statuses and amounts; it never has
 * personal data, so that nothing needs to be erased from a feed.
 */
export interface EventDraft {
  /** Such as `shipment.moved`. */
  readonly type: string
  /** The version of `data`. Within a version fields are only added. */
  readonly version: number
  readonly data: unknown
}

/**
 * An event. A company's events are numbered 1, 2, 3 … in the order of commits; company and number identify it for ever.
 * `change` is the number of the company's change, which is that of its audit record, and `at` its time in epoch
 * milliseconds.
 */
export interface CompanyEvent extends EventDraft {
  readonly companyId: CompanyId
  readonly number: number
  readonly change: number
  readonly at: number
}

/** The events of one change, as they are stored. `first` is the number of the first one. */
export interface EventBatch {
  readonly companyId: CompanyId
  readonly first: number
  readonly change: number
  readonly at: number
  readonly drafts: ReadonlyArray<EventDraft>
}

/** The number of a batch's last event. */
export const lastOf = ({ drafts, first }: EventBatch): number => first + drafts.length - 1

/** Those events of a batch that have a number above `after`. */
export const eventsAfter = (
  { at, change, companyId, drafts, first }: EventBatch,
  after: number
): ReadonlyArray<CompanyEvent> => {
  const passed = Math.max(0, after - first + 1)
  return drafts.slice(passed).map(({ data, type, version }, at_) => ({
    companyId,
    number: first + passed + at_,
    change,
    at,
    type,
    version,
    data
  }))
}

/** A type of event in one version. `data` describes its payload, which is plain JSON. */
export interface EventType<Type extends string = string, Version extends number = number, Data = unknown> {
  readonly type: Type
  readonly version: Version
  /** When it happens, as a sentence. */
  readonly description: string
  readonly data: Schema.Codec<Data>
  readonly example: Data
}

/** A type of event with any payload. */
export type AnyEventType = Pick<EventType, "type" | "version" | "description">

/** An event whose type is known, so that its `data` is typed. */
export type EventOf<Known extends AnyEventType> =
  Known extends EventType<infer Type, infer Version, infer Data>
    ? Omit<CompanyEvent, "type" | "version" | "data"> & {
        readonly type: Type
        readonly version: Version
        readonly data: Data
      }
    : never

/** A type of event. */
export const define = <const Type extends string, const Version extends number, Data>(
  definition: EventType<Type, Version, Data>
): EventType<Type, Version, Data> => definition

/** An event of this type, for a change to write. */
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
 * import { CompanyEvent } from "@crossdock/audit"
 * import { CompanyId } from "@crossdock/kernel"
 * import { Schema } from "effect"
 *
 * const renamed = CompanyEvent.define({
 *   type: "company.renamed",
 *   version: 1,
 *   description: "The company has another name.",
 *   data: Schema.Struct({ name: Schema.String }),
 *   example: { name: "Example Traders" }
 * })
 * const knownOf = CompanyEvent.knowing([renamed])
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
