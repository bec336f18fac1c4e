/**
 * What becomes of a marketplace's codes when it is registered anew. A marketplace believes what it was told under a code,
 * also when the code stands for another location now.
 */
import type { LocationMapping, Marketplace } from "./Marketplace.ts"

type Known = Pick<Marketplace, "locations" | "former"> | undefined

const lastPlaces = (before: Known): ReadonlyMap<string, LocationMapping> =>
  new Map([...(before?.former ?? []), ...(before?.locations ?? [])].map((one) => [one.code, one]))

/**
 * The codes that stand for no location any more.
 */
export const formerOf = (before: Known, locations: ReadonlyArray<LocationMapping>): ReadonlyArray<LocationMapping> => {
  const codes = new Set(locations.map(({ code }) => code))
  return [...lastPlaces(before).values()].filter(({ code }) => !codes.has(code))
}

export interface Moved {
  readonly from: LocationMapping
  readonly to: LocationMapping
}

/**
 * The codes that stand for another location than they did last.
 */
export const movedCodes = (before: Known, locations: ReadonlyArray<LocationMapping>): ReadonlyArray<Moved> => {
  const last = lastPlaces(before)
  return locations.flatMap((to) => {
    const from = last.get(to.code)
    const isSame = from === undefined || (from.companyId === to.companyId && from.location === to.location)
    return isSame ? [] : [{ from, to }]
  })
}
