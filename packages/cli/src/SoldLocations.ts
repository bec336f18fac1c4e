/**
 * Takes locations out of marketplaces: they are notified of no stock there, and can't order from them.
 */
import { type LocationMapping, type Marketplace, Marketplaces } from "@crossdock/marketplaces"
import { Effect } from "effect"
import { caller } from "./Management.ts"

/**
 * Every mapping that `isWithdrawn` is taken out of its marketplace. Answers the slugs of the marketplaces that had one.
 */
export const withdraw = (
  marketplaces: ReadonlyArray<Marketplace>,
  isWithdrawn: (mapping: LocationMapping) => boolean
) =>
  Effect.gen(function* () {
    const { amend } = yield* Marketplaces.Marketplaces
    const affected = marketplaces.filter(({ locations }) => locations.some(isWithdrawn))
    for (const { slug } of affected) {
      yield* amend(caller, slug, (present) => ({
        ...present,
        locations: present.locations.filter((mapping) => !isWithdrawn(mapping))
      }))
    }
    return affected.map(({ slug }) => slug)
  })
