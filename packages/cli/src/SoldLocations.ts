/**
 * Takes locations out of marketplaces: they are notified of no stock there, and can't order from them.
 */
import { type LocationMapping, type Marketplace, Marketplaces } from "@crossdock/marketplaces"
import { Effect } from "effect"
import { caller } from "./Management.ts"

/** The registration that leaves a marketplace as it is. */
export const registrationOf = ({ buffers, currency, locations, name, skus, slug, webhook }: Marketplace) => ({
  slug,
  name,
  currency,
  password: null,
  locations,
  skus,
  buffers,
  webhook: webhook === null ? null : { url: webhook.url, secret: null, authentication: null }
})

/**
 * Every mapping that `isWithdrawn` is taken out of its marketplace. Answers the slugs of the marketplaces that had one.
 */
export const withdraw = (
  marketplaces: ReadonlyArray<Marketplace>,
  isWithdrawn: (mapping: LocationMapping) => boolean
) =>
  Effect.gen(function* () {
    const { register } = yield* Marketplaces.Marketplaces
    const affected = marketplaces.filter(({ locations }) => locations.some(isWithdrawn))
    for (const marketplace of affected) {
      const locations = marketplace.locations.filter((mapping) => !isWithdrawn(mapping))
      yield* register(caller, { ...registrationOf(marketplace), locations })
    }
    return affected.map(({ slug }) => slug)
  })
