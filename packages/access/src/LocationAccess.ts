/** The locations of a company that a token covers: all of them, or those that it names. */
import type { Stored } from "@crossdock/kernel"
import { taggedError } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Directory } from "./Directory.ts"
import { Forbidden, type Integration } from "./Principal.ts"

type Covering = Pick<Integration, "locations">

/**
 * Whether the integration may see and change the data of this location.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { mayUse } from "@crossdock/access"
 *
 * strictEqual(mayUse({ locations: ["BLR1"] }, "BLR2"), false)
 * ```
 */
export const mayUse = (integration: Covering, location: string): boolean =>
  integration.locations === null || integration.locations.includes(location)

/** A record found at a location, or "UNKNOWN_LOCATION" if there is no record or no access to the location. */
export const seenBy = <A>(integration: Covering, location: string, found: A | undefined): A | "UNKNOWN_LOCATION" =>
  found === undefined || !mayUse(integration, location) ? "UNKNOWN_LOCATION" : found

/** The company has no location with this code. */
export class UnknownLocation extends taggedError<UnknownLocation>()(
  "@crossdock/access/UnknownLocation",
  { location: Schema.String },
  ({ location }) => `Your company has no location ${location}. Send the code of one of its locations.`
) {}

/** The locations to search: the requested one, or null for all that the token covers. */
export const locationsToSearch = (
  directory: typeof Directory.Service,
  { companyId, locations }: Pick<Integration, "companyId" | "locations">,
  requested: string | undefined
): Stored<ReadonlyArray<string> | null, Forbidden | UnknownLocation> =>
  Effect.gen(function* () {
    if (requested === undefined) return locations
    if (!mayUse({ locations }, requested))
      return yield* new Forbidden({
        reason: `The token does not cover location ${requested}. Use a token for it, or one for the whole company.`
      })
    const known = yield* directory.locations([companyId])
    return known.some(({ code }) => code === requested)
      ? [requested]
      : yield* new UnknownLocation({ location: requested })
  })

/**
 * Rejects an integration that isn't allowed to change the catalog. Source: docs/reference/authentication.md#modes.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { mayWriteCatalog } from "@crossdock/access"
 * import { Effect } from "effect"
 *
 * strictEqual(Effect.runSync(Effect.flip(mayWriteCatalog({ locations: ["BLR1"] })))._tag, "Forbidden")
 * ```
 */
export const mayWriteCatalog = ({ locations }: Covering): Effect.Effect<void, Forbidden> =>
  locations === null
    ? Effect.void
    : new Forbidden({
        reason: "A location-level token can't change the catalog. Sign in with a company-level integration."
      })
