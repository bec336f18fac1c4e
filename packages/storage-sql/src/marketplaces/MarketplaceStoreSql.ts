/**
 * Adapter: connected marketplaces, each one JSON text.
 */
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)
  const nextVersion = sql`
    INSERT INTO crossdock_versions (name, version) VALUES ('marketplaces', 1)
    ON CONFLICT (name) DO UPDATE SET version = crossdock_versions.version + 1`

  return MarketplaceStore.of({
    lock: Dialect.lockTable(sql, "crossdock_marketplaces").pipe(named("MarketplaceStore.lock")),
    put: (marketplace) =>
      sql`INSERT INTO crossdock_marketplaces ${sql.insert({ slug: marketplace.slug, body: JSON.stringify(marketplace) })}
          ON CONFLICT (slug) DO UPDATE SET body = excluded.body`.pipe(
        Effect.andThen(nextVersion),
        Effect.asVoid,
        named("MarketplaceStore.put"),
        whole
      ),
    version: sql<{ version: number }>`SELECT version FROM crossdock_versions WHERE name = 'marketplaces'`.pipe(
      Effect.map(([row]) => row?.version ?? 0),
      named("MarketplaceStore.version")
    ),
    find: (slug) =>
      sql<{ body: string }>`SELECT body FROM crossdock_marketplaces WHERE slug = ${slug}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : (JSON.parse(row.body) as Marketplace))),
        named("MarketplaceStore.find")
      ),
    all: sql<{ body: string }>`SELECT body FROM crossdock_marketplaces ORDER BY slug`.pipe(
      Effect.map((found) => found.map((row) => JSON.parse(row.body) as Marketplace)),
      named("MarketplaceStore.all")
    )
  })
})

export const layer: Layer.Layer<MarketplaceStore, never, SqlClient.SqlClient> = Layer.effect(MarketplaceStore, make)
