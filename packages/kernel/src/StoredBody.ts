/** Records that are stored as JSON and were written by this release or an earlier one. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The keys of the fields that are never undefined. JSON drops undefined fields, so only these fields are always present. */
type AlwaysKey<A> = { [K in keyof A]-?: undefined extends A[K] ? never : K }[keyof A]

/** The brackets keep the type from distributing over a union. The fields of a union are those of all its members. */
type FieldsOfValue<V> = [V] extends [ReadonlyArray<infer Element>] ? readonly [Fields<Element>] : Fields<V>

/** The fields of each member of a union. A value must have all fields of one member. */
export class OneOf<Value> {
  readonly members: ReadonlyArray<Value extends unknown ? Fields<Value> : never>

  constructor(members: ReadonlyArray<Value extends unknown ? Fields<Value> : never>) {
    this.members = members
  }
}

/**
 * The fields that a record always has. `true` requires a field. An object describes a nested object, and in brackets a list's
 * elements. `OneOf` requires the fields of one member. A null value is always accepted.
 */
export type Fields<A> = {
  readonly [K in AlwaysKey<A>]: true | FieldsOfValue<NonNullable<A[K]>> | OneOf<NonNullable<A[K]>>
} & { readonly [K in Exclude<keyof A, AlwaysKey<A>>]?: never }

type Words<Text extends string> = Text extends `${infer Word} ${infer More}` ? Word | Words<More> : Text

/** Describes fields without nested fields, by name: `{ ...present("id name"), price: { amount: true } }`. */
export const present = <const Names extends ReadonlyArray<string>>(...names: Names) =>
  Object.fromEntries(names.flatMap((some) => some.split(" ")).map((name) => [name, true])) as {
    readonly [Name in Words<Names[number]>]: true
  }

/** The form of a stored record. Upcaster n turns version n into version n + 1. Version 1 has no field `v`. */
export interface Form<A> {
  readonly name: string
  readonly fields: Fields<A>
  readonly upcasters?: ReadonlyArray<(older: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>>
}

/** A stored record can't be read. The message names the record and doesn't show its content. */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody"
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

const parsed = (text: string): unknown => attempt(() => JSON.parse(text))

type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body => Predicate.isObject(value) && !Array.isArray(value)

type Shape = Readonly<Record<string, unknown>>

type Fault = (body: Body) => string | undefined

/** Finds the path of a body's first fault. For speed, the keys are first compared with those of the last complete body. */
const faultIn = (fields: Shape): Fault => {
  const required = Object.keys(fields)
  let whole = required
  const isLikeLast = (body: Body): boolean => {
    let at = 0
    for (const key in body) if (key !== whole[at++]) return false
    return at === whole.length
  }
  const nested = required.flatMap((name) => {
    const inner = fields[name]
    if (inner instanceof OneOf) return [{ name, isList: false, fault: faultInAll(inner.members.map(faultIn)) }]
    if (Array.isArray(inner)) return [{ name, isList: true, fault: faultIn(inner[0]) }]
    return isBody(inner) ? [{ name, isList: false, fault: faultIn(inner) }] : []
  })
  return (body) => {
    if (!isLikeLast(body)) {
      const missing = required.find((name) => body[name] === undefined)
      if (missing !== undefined) return missing
      whole = Object.keys(body)
    }
    for (const { fault, isList, name } of nested) {
      const value = body[name]
      if (value === null) continue
      if (Array.isArray(value) !== isList) return name
      const path = Array.isArray(value) ? faultInEach(value, fault) : faultInOne(value, fault)
      if (path !== undefined) return `${name}${path}`
    }
    return undefined
  }
}

const faultInAll =
  (members: ReadonlyArray<Fault>): Fault =>
  (body) => {
    let path: string | undefined
    for (const fault of members) {
      path = fault(body)
      if (path === undefined) return undefined
    }
    return path
  }

const faultInOne = (value: unknown, fault: Fault): string | undefined => {
  if (!isBody(value)) return ""
  const path = fault(value)
  return path === undefined ? undefined : `.${path}`
}

const faultInEach = (values: ReadonlyArray<unknown>, fault: Fault): string | undefined => {
  for (let at = 0; at < values.length; at++) {
    const path = faultInOne(values[at], fault)
    if (path !== undefined) return `[${at}]${path}`
  }
  return undefined
}

const flawed = (path: string): string => `its ${path} is missing or malformed`

const orUnreadable = <A>(judged: Result.Result<A, string>, name: string, id: string | number): A =>
  Result.getOrThrowWith(judged, (why) => new UnreadableBody(`The stored ${name} ${id} can't be read: ${why}`))

/**
 * Reads and writes records of a form. `read` throws the defect `UnreadableBody` for a damaged body and for a body of a later
 * release. It checks only that fields are present, since checking every value would take as long as parsing.
 *
 * @example
 * ```ts
 * import { StoredBody } from "@crossdock/kernel"
 * import { deepStrictEqual, strictEqual, throws } from "node:assert/strict"
 *
 * interface Parcel {
 *   readonly id: string
 *   readonly grams: number
 * }
 *
 * // version 1 had kilograms
 * const parcels = StoredBody.make<Parcel>({
 *   name: "parcel",
 *   fields: { id: true, grams: true },
 *   upcasters: [({ kilograms, ...rest }) => ({ ...rest, grams: Number(kilograms) * 1000 })]
 * })
 * strictEqual(parcels.write({ id: "p1", grams: 7 }), '{"v":2,"id":"p1","grams":7}')
 * deepStrictEqual(parcels.read('{"id":"p1","kilograms":2}', "p1"), { id: "p1", grams: 2000 })
 * throws(() => parcels.read('{"v":3,"id":"p1"}', "p1"), /The stored parcel p1 can't be read/)
 * ```
 */
export const make = <A extends object>({ fields, name, upcasters = [] }: Form<A>) => {
  const version = upcasters.length + 1
  const fault = faultIn(fields as Shape)

  const upToDate = (body: Body): Result.Result<Body, string> => {
    if (body.v === undefined && version === 1) return Result.succeed(body)
    const { v: written = 1, ...older } = body
    if (written === version) return Result.succeed(older)
    if (typeof written !== "number" || !Number.isInteger(written) || written < 1)
      return Result.fail("its version is not a whole number from 1")
    if (written > version) return Result.fail(`it has version ${written}, and this release knows ${version}`)
    const upcast = attempt(() => upcasters.slice(written - 1).reduce((from, next) => next(from), older as Body))
    return upcast === undefined
      ? Result.fail(`it can't be brought from version ${written} to ${version}`)
      : Result.succeed(upcast)
  }

  const judged = (text: string): Result.Result<A, string> => {
    const body = parsed(text)
    if (!isBody(body)) return Result.fail("it is not a JSON object")
    const record = upToDate(body)
    if (Result.isFailure(record)) return Result.fail(record.failure)
    const path = fault(record.success)
    return path === undefined ? Result.succeed(record.success as A) : Result.fail(flawed(path))
  }

  const read = (text: string, id: string | number): A => orUnreadable(judged(text), name, id)

  const write = (record: A): string => JSON.stringify(version === 1 ? record : { v: version, ...record })

  return { read, write }
}

/**
 * Reads and writes lists as a whole. Without `fields`, only the list itself is checked. A list has no version, so a release
 * that changes the elements must store an object instead.
 */
export const makeList = <Element>({ fields, name }: { readonly name: string; readonly fields?: Fields<Element> }) => {
  const fault = fields === undefined ? undefined : faultIn(fields as Shape)

  const judged = (text: string): Result.Result<ReadonlyArray<Element>, string> => {
    const list = parsed(text)
    if (!Array.isArray(list)) return Result.fail("it is not a JSON array")
    const path = fault && faultInEach(list, fault)
    return path === undefined ? Result.succeed(list) : Result.fail(flawed(path))
  }

  const read = (text: string, id: string | number): ReadonlyArray<Element> => orUnreadable(judged(text), name, id)

  const write: (list: ReadonlyArray<Element>) => string = JSON.stringify

  return { read, write }
}
