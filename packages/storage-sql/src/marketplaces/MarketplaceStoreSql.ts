/**
 * Adapter: connected marketplaces, each one JSON text.
 */
import { MarketplaceStore } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { named } from "../Database.ts"
import * as Dialect from "../Dialect.ts"
import { allOrNothing } from "../TransactionSql.ts"
import { marketplaces } from "./MarketplaceBodies.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)
  const nextVersion = sql`
    INSERT INTO crossdock_versions (name, version) VALUES ('marketplaces', 1)
    ON CONFLICT (name) DO UPDATE SET version = crossdock_versions.version + 1`

  return MarketplaceStore.of({
    lock: Dialect.lockTable(sql, "crossdock_marketplaces").pipe(named("MarketplaceStore.lock")),
    put: (marketplace) =>
      sql`INSERT INTO crossdock_marketplaces ${sql.insert({ slug: marketplace.slug, body: marketplaces.write(marketplace) })}
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
        Effect.map(([row]) => row && marketplaces.read(row.body, slug)),
        named("MarketplaceStore.find")
      ),
    all: sql<{ slug: string; body: string }>`SELECT slug, body FROM crossdock_marketplaces ORDER BY slug`.pipe(
      Effect.map((found) => found.map((row) => marketplaces.read(row.body, row.slug))),
      named("MarketplaceStore.all")
    )
  })
})

export const layer: Layer.Layer<MarketplaceStore, never, SqlClient.SqlClient> = Layer.effect(MarketplaceStore, make)
