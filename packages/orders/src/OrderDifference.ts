/** Compares an order with the accepted order that has the same external id. Source: docs/reference/orders.md#repeats. */
import { Gstin } from "@crossdock/access"
import type { CustomFields } from "@crossdock/catalog"
import { pointer, Text, type Violation } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import { type Order, type OrderDraft, OrderRejected, personalFields } from "./Order.ts"
import * as OrderErasure from "./OrderErasure.ts"

type FieldPath = ReadonlyArray<string>

/** Maps a draft's fields to their paths in the request. The path of a field that isn't listed is its name in snake case. */
const requestNames: Readonly<Record<string, FieldPath>> = {
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

const differingPaths = (
  first: unknown,
  second: unknown,
  at: FieldPath,
  nameOf: (key: string) => FieldPath
): ReadonlyArray<{ readonly at: FieldPath; readonly first: unknown }> => {
  if (first === second) return []
  if (!isObject(first) || !isObject(second) || Array.isArray(first) !== Array.isArray(second)) return [{ at, first }]
  const keys = [...new Set([...Object.keys(first), ...Object.keys(second)])]
  return keys.flatMap((key) =>
    // Inside `meta` and custom fields, the caller chooses the names.
    differingPaths(
      first[key],
      second[key],
      [...at, ...nameOf(key)],
      key === "meta" || key === "customFields" ? (name) => [name] : nameOf
    )
  )
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return Text.isLonger(text, 100) ? `${[...text].slice(0, 100).join("")}…` : text
}

/** Sorts `first` like `second`, matched by each of `names` in turn. Entries without a match keep their order. */
const arranged = <A>(
  first: ReadonlyArray<A>,
  second: ReadonlyArray<A>,
  names: ReadonlyArray<(one: A) => string | null>
): ReadonlyArray<A> => {
  const found = new Map<number, A>()
  let rest = [...first.entries()]
  for (const nameOf of names) {
    const byName = Map.groupBy(rest, ([, one]) => nameOf(one))
    const matched = new Set<number>()
    for (const [at, one] of second.entries()) {
      const name = found.has(at) ? null : nameOf(one)
      const match = name === null ? undefined : byName.get(name)?.shift()
      if (match === undefined) continue
      found.set(at, match[1])
      matched.add(match[0])
    }
    rest = rest.filter(([at]) => !matched.has(at))
  }
  const others = rest.map(([, one]) => one)
  const inPlace = second.flatMap((_, at) => found.get(at) ?? others.shift() ?? [])
  return [...inPlace, ...others]
}

/** Sorts shipments and lines like those of the second order. Equal lines are matched first, then lines with equal ids. */
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
 * One `ORDER_EXISTS` per differing field, with its path in the request. Values of personal or custom fields aren't shown.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { OrderDifference } from "@crossdock/orders"
 * import { orderDraft } from "@crossdock/orders/testing"
 *
 * const differences = OrderDifference.between(orderDraft(), orderDraft({ currency: "USD" }))
 * deepStrictEqual(differences.map(({ path }) => path), ["/ordering_currency"])
 * ```
 */
export const between = (first: OrderDraft, second: OrderDraft): ReadonlyArray<Violation> =>
  differingPaths(inOrderOf(first, second), second, [], (key) => requestNames[key] ?? [snakeCase(key)]).map(
    ({ at, first }) => ({
      path: pointer(at),
      code: "ORDER_EXISTS",
      message:
        personal.has(at[0] ?? "") || at.includes("custom_fields")
          ? "differs from the order that was accepted before"
          : `was ${shown(first)} in the order that was accepted before`
    })
  )

const personal = new Set(personalFields.map(snakeCase))

const withoutBlank = <A extends { readonly email: string | null }>(one: A): A =>
  one.email?.trim() === "" ? { ...one, email: null } : one

/** Returns the earlier order if its content is the same, or fails with `ORDER_EXISTS`: docs/reference/orders.md#repeats. */
export const sameOrder = (first: Order, draft: OrderDraft, fields: CustomFields.CustomFields) => {
  const { addedCharges: _, ...sent } = first.draft
  // An earlier release stored the buyer's tax number and blank email addresses as they were sent.
  const before = {
    ...sent,
    gstin: Gstin.normalized(sent.gstin),
    customer: sent.customer && withoutBlank(sent.customer),
    billingAddress: withoutBlank(sent.billingAddress),
    shippingAddress: withoutBlank(sent.shippingAddress)
  }
  const differences = between(before, OrderErasure.comparable(first, draft, fields))
  if (differences.length === 0) return Effect.succeed(first)
  return Effect.fail(
    new OrderRejected({
      code: "ORDER_EXISTS",
      summary: `Order ${draft.externalOrderId} already exists with other content. Send a new external_order_id for a new order, or the first content again to repeat it.`,
      violations: [
        {
          path: "/external_order_id",
          code: "ORDER_EXISTS",
          message:
            "is the id of an order with other content. Send a new id for a new order, or the first content again to repeat it"
        },
        ...differences
      ]
    })
  )
}
