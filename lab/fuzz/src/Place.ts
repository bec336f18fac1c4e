/** Places in a body, and bodies with one changed place. */
import { isObject, Raw } from "./JsonText.ts"
import type { Schema } from "./Operation.ts"

export type Place = ReadonlyArray<string | number>

/** All places in a value: every field, and the first element of each list. */
export const all = (value: unknown): ReadonlyArray<Place> => {
  const inner: ReadonlyArray<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.slice(0, 1).map((one) => [0, one])
    : isObject(value)
      ? Object.entries(value)
      : []
  return inner.flatMap(([key, one]) => [[key], ...all(one).map((place) => [key, ...place])])
}

export const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value
  )

/** The value with `to` at the place. If `to` is undefined, the place is removed. */
export const set = (value: unknown, [key, ...rest]: Place, to: unknown): unknown => {
  if (key === undefined) return to
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => {
      if (at !== key) return [one]
      const changed = set(one, rest, to)
      return changed === undefined ? [] : [changed]
    })
  }
  if (!isObject(value)) return value
  return { ...value, [key]: set(value[key], rest, to) }
}

/** The schema of a place. It is empty if no schema is known. */
export const schemaAt = (schema: Schema, place: Place): Schema => {
  const all = Array.isArray(schema.anyOf) ? (schema.anyOf as ReadonlyArray<Schema>) : [schema]
  const [key, ...rest] = place
  if (key === undefined) return all.find(({ type }) => type !== "null") ?? schema
  for (const one of all) {
    const inner = typeof key === "number" ? one.items : (one.properties as Schema | undefined)?.[key]
    if (isObject(inner)) return schemaAt(inner, rest)
  }
  return {}
}

/** The value with the key of an object written twice. It is undefined if the place isn't a field of an object. */
export const twice = (value: unknown, place: Place, textOf: (value: unknown) => string): unknown => {
  const [key, above] = [place.at(-1), place.slice(0, -1)]
  const parent = valueAt(value, above)
  if (typeof key !== "string" || !isObject(parent)) return undefined
  const again = `${textOf(parent).slice(0, -1)},${JSON.stringify(key)}:${textOf(parent[key])}}`
  return set(value, above, new Raw(again))
}
