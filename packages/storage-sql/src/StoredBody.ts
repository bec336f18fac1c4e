/**
 * Records that are stored as JSON, and how a body is read whatever release wrote it.
 */
import * as Predicate from "effect/Predicate"

type RequiredKey<A> = { [K in keyof A]-?: object extends Pick<A, K> ? never : K }[keyof A]

/**
 * The form of a stored record. `fields` lists every field that a record always has, which the compiler checks, so that a new
 * field can't be forgotten here. `upcasters` turn a body of an older release into that of the next one: the first one from
 * version 1 to 2, and so on. A body states its version as `v`; the first version doesn't.
 */
export interface Form<A> {
  readonly name: string
  readonly fields: Readonly<Record<RequiredKey<A>, true>>
  readonly upcasters?: ReadonlyArray<(older: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>>
}

/**
 * A stored record that can't be read. It names the record, and never what is in it.
 */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody"
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isBody = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && !Array.isArray(value)

/**
 * Reads and writes records of a form. `read` throws `UnreadableBody`, a defect: such a body was damaged, changed by hand, or
 * written by a later release.
 */
export const make = <A extends object>({ fields, name, upcasters = [] }: Form<A>) => {
  const version = upcasters.length + 1
  const required = Object.keys(fields)

  const read = (text: string, id: string | number): A => {
    const unreadable = (why: string) => new UnreadableBody(`The stored ${name} ${id} can't be read: ${why}`)
    const body = parsed(text)
    if (!isBody(body)) throw unreadable("it is no JSON object")
    const { v: written = 1 } = body
    if (typeof written !== "number" || written > version) {
      throw unreadable(`it has version ${written}, and this release knows ${version}`)
    }
    const present =
      written === version ? body : upcasters.slice(written - 1).reduce((older, upcast) => upcast(older), body)
    const missing = required.find((field) => !(field in present))
    if (missing !== undefined) throw unreadable(`it has no ${missing}`)
    if (!("v" in present)) return present as A
    const { v: _, ...record } = present
    return record as A
  }

  const write = (record: A): string => JSON.stringify(version === 1 ? record : { v: version, ...record })

  return { read, write }
}
