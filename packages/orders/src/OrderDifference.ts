/**
 * What differs between an order that was taken and another one under the same id.
 */
import { pointer, type Violation } from "@crossdock/kernel"
import type { OrderDraft } from "./OrderDraft.ts"

type Place = ReadonlyArray<string>

/**
 * Where the fields of a draft stand in a request; all others have the same name in snake case.
 */
const requestNames: Readonly<Record<string, Place>> = {
  currency: ["ordering_currency"],
  gstin: ["tax_info", "gstin"],
  location: ["location_id"],
  fulfillment: ["fulfillment_type"],
  selfShip: ["is_self_ship"],
  packAfter: ["delivery", "pack_after"],
  packBy: ["delivery", "pack_by"],
  dispatchBy: ["delivery", "dispatch_by"],
  deliverBy: ["delivery", "deliver_by"]
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * The places at which two JSON values differ, as deep as both have them.
 */
const places = (
  first: unknown,
  second: unknown,
  at: Place,
  nameOf: (key: string) => Place
): ReadonlyArray<{ readonly at: Place; readonly first: unknown }> => {
  if (first === second) return []
  if (!isObject(first) || !isObject(second) || Array.isArray(first) !== Array.isArray(second)) return [{ at, first }]
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return keys.flatMap((key) =>
    // What is inside `meta` has the caller's own names.
    places(first[key], second[key], [...at, ...nameOf(key)], key === "meta" ? (name) => [name] : nameOf)
  )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/**
 * `first` in the order of `second`: matched by each name in turn, and what has no match in the order it has.
 */
const arranged = <A>(
  first: ReadonlyArray<A>,
  second: ReadonlyArray<A>,
  names: ReadonlyArray<(one: A) => string | null>
): ReadonlyArray<A> => {
  const found = new Map<number, A>()
  let rest = [...first.entries()]
  for (const nameOf of names) {
    const byName = Map.groupBy(rest, ([, one]) => nameOf(one))
    const taken = new Set<number>()
    for (const [at, one] of second.entries()) {
      const name = found.has(at) ? null : nameOf(one)
      const match = name === null ? undefined : byName.get(name)?.shift()
      if (match === undefined) continue
      found.set(at, match[1])
      taken.add(match[0])
    }
    rest = rest.filter(([at]) => !taken.has(at))
  }
  const others = rest.map(([, one]) => one)
  const inPlace = second.flatMap((_, at) => found.get(at) ?? others.shift() ?? [])
  return [...inPlace, ...others]
}

/**
 * The order of shipments and of lines is no content (contract, Marketplace). Lines need no id, so equal ones match first.
 */
const inOrderOf = (first: OrderDraft, second: OrderDraft): OrderDraft => {
  const shipments = arranged(first.shipments, second.shipments, [(one) => one.externalShipmentId])
  return {
    ...first,
    shipments: shipments.map((one, at) => {
      const lines = second.shipments[at]?.lines ?? []
      return {
        ...one,
        lines: arranged(one.lines, lines, [(line) => JSON.stringify(line), (line) => line.externalLineId])
      }
    })
  }
}

/**
 * One violation for each field that differs, at its place in the request, in the order of the fields; personal fields are
 * named and not shown.
 */
export const between = (first: OrderDraft, second: OrderDraft): ReadonlyArray<Violation> =>
  places(inOrderOf(first, second), second, [], (key) => requestNames[key] ?? [snakeCase(key)]).map(({ at, first }) => ({
    path: pointer(at),
    code: "ORDER_EXISTS",
    message: isPersonal(at)
      ? "differs from the order that was taken"
      : `was ${shown(first)} in the order that was taken`
  }))

const isPersonal = ([field = ""]: Place): boolean => /^(customer|.*_address|meta)$/.test(field)
