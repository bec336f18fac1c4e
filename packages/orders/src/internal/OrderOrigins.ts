/**
 * The locations that the shipments of an order leave from.
 */
import { Directory, type Location } from "@crossdock/access"
import type { CompanyId } from "@crossdock/kernel"
import { type Marketplace, Offer } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import type { OrderDraft } from "../OrderDraft.ts"
import { cached } from "./LookupCache.ts"

/**
 * The locations by shipment; undefined when the marketplace has no location with the shipment's code.
 */
export type OrderOrigins = ReadonlyArray<Location | undefined>

/**
 * The companies of the locations, each once, by ascending id.
 */
export const companiesOf = (origins: OrderOrigins): ReadonlyArray<CompanyId> =>
  [...new Set(origins.flatMap((origin) => (origin === undefined ? [] : [origin.companyId])))].sort((a, b) => a - b)

/**
 * Makes the lookup.
 */
export const make = Effect.gen(function* () {
  const directory = yield* Directory
  const locations = yield* cached((company: CompanyId) => directory.locations([company]))

  return (marketplace: Marketplace, draft: OrderDraft) =>
    Effect.forEach(draft.shipments, ({ location }) =>
      Effect.gen(function* () {
        const mapped = marketplace.locations.find(
          ({ code, companyId }) => code === location && Offer.isOpen(marketplace, companyId)
        )
        const known = mapped === undefined ? [] : yield* locations.get(mapped.companyId)
        return known.find(({ code }) => code === mapped?.location)
      })
    )
})
