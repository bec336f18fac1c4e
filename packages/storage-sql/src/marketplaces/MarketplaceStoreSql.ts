/**
 * Adapter: connected marketplaces, each one JSON text.
 */
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named } from "../Database.ts"
import * as Dialect from "../Dialect.ts"

/** Stored bodies call `retiredCodes` `former`. */
const marketplaceOf = (body: string): Marketplace => {
  const { former: retiredCodes, ...rest } = JSON.parse(body)
  return { ...rest, retiredCodes }
}

const bodyOf = ({ retiredCodes: former, ...rest }: Marketplace): string => JSON.stringify({ ...rest, former })

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return MarketplaceStore.of({
    lock: Dialect.holdTable(sql, "crossdock_marketplaces").pipe(named("MarketplaceStore.lock")),
    put: (marketplace) =>
      sql`INSERT INTO crossdock_marketplaces ${sql.insert({ slug: marketplace.slug, body: bodyOf(marketplace) })}
          ON CONFLICT (slug) DO UPDATE SET body = excluded.body`.pipe(Effect.asVoid, named("MarketplaceStore.put")),
    find: (slug) =>
      sql<{ body: string }>`SELECT body FROM crossdock_marketplaces WHERE slug = ${slug}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : marketplaceOf(row.body))),
        named("MarketplaceStore.find")
      ),
    all: sql<{ body: string }>`SELECT body FROM crossdock_marketplaces ORDER BY slug`.pipe(
      Effect.map((found) => found.map((row) => marketplaceOf(row.body))),
      named("MarketplaceStore.all")
    )
  })
})

export const layer: Layer.Layer<MarketplaceStore, never, SqlClient.SqlClient> = Layer.effect(MarketplaceStore, make)
