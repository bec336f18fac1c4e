/**
 * The location codes of a marketplace that is registered again. It still offers the stock that it received under a code,
 * even after the code is mapped to another location. Source: docs/reference/notifications.md#registration.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { RetiredCodes } from "@crossdock/marketplaces"
 *
 * const from = { companyId: CompanyId.make(1), location: "BLR1", code: "B-1" }
 * const before = { locations: [from], retiredCodes: [] }
 * deepStrictEqual(RetiredCodes.retiredCodes(before, [{ ...from, code: "B-2" }]), [from])
 * ```
 */
import type { LocationMapping, Marketplace } from "./Marketplace.ts"

type Known = Pick<Marketplace, "locations" | "retiredCodes"> | undefined

const lastMappings = (before: Known): ReadonlyMap<string, LocationMapping> =>
  new Map([...(before?.retiredCodes ?? []), ...(before?.locations ?? [])].map((one) => [one.code, one]))

/** The codes that `locations` no longer map, with their last locations. `before`: undefined for a new marketplace. */
export const retiredCodes = (
  before: Known,
  locations: ReadonlyArray<LocationMapping>
): ReadonlyArray<LocationMapping> => {
  const codes = new Set(locations.map(({ code }) => code))
  return [...lastMappings(before).values()].filter(({ code }) => !codes.has(code))
}

/** A code that moves to another location. */
export interface MovedCode {
  readonly from: LocationMapping
  readonly to: LocationMapping
}

/** Codes that `locations` map elsewhere than last, even if retired since. `before`: undefined for a new marketplace. */
export const movedCodes = (before: Known, locations: ReadonlyArray<LocationMapping>): ReadonlyArray<MovedCode> => {
  const last = lastMappings(before)
  return locations.flatMap((to) => {
    const from = last.get(to.code)
    const isSame = from === undefined || (from.companyId === to.companyId && from.location === to.location)
    return isSame ? [] : [{ from, to }]
  })
}
