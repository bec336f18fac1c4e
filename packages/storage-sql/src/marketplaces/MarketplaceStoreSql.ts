import { StoredBody } from "@crossdock/kernel"
import { type LocationMapping, type Marketplace, MarketplaceStore, type StoredWebhook } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { each, first, rowsOf } from "../Dialect.ts"
import { allOrNothing, named, unbounded } from "../TransactionSql.ts"

const mapping: StoredBody.Fields<LocationMapping> = { companyId: true, location: true, code: true }

export const webhook = new StoredBody.OneOf<StoredWebhook.StoredWebhook>([
  { url: true, encrypted: true },
  { url: true, secret: true, retiring: { secret: true, until: true }, authentication: { type: true } }
])

export const marketplaces = StoredBody.make<Marketplace>({
  name: "marketplace",
  fields: {
    ...StoredBody.present("slug name currency skus"),
    locations: [mapping],
    retiredCodes: [mapping],
    buffers: [{ companyId: true, location: true, sku: true, quantity: true }],
    webhook
  }
})

const columns = Dialect.columns("slug text, body text")

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const whole = allOrNothing(sql)
  const nextVersion = sql`
    INSERT INTO crossdock_versions (name, version) VALUES ('marketplaces', 1)
    ON CONFLICT (name) DO UPDATE SET version = crossdock_versions.version + 1`

  const putAll = (some: ReadonlyArray<Marketplace>) => {
    const values = rowsOf(sql, columns, some, (one) => [one.slug, marketplaces.write(one)])
    // Without WHERE true, SQLite would read ON as part of a join.
    return sql`INSERT INTO crossdock_marketplaces (slug, body) SELECT r.slug, r.body FROM ${values} r WHERE true
        ON CONFLICT (slug) DO UPDATE SET body = excluded.body`.pipe(Effect.andThen(nextVersion), Effect.asVoid)
  }

  return MarketplaceStore.of({
    lock: Dialect.lockTable(sql, "crossdock_marketplaces").pipe(named("MarketplaceStore.lock")),
    put: (marketplace) => putAll([marketplace]).pipe(named("MarketplaceStore.put"), whole),
    putAll: (some) => putAll(some).pipe(named("MarketplaceStore.putAll"), whole),
    version: sql<{ version: number }>`SELECT version FROM crossdock_versions WHERE name = 'marketplaces'`.pipe(
      Effect.map(([row]) => row?.version ?? 0),
      named("MarketplaceStore.version")
    ),
    find: (slug) =>
      sql<{ body: string }>`SELECT body FROM crossdock_marketplaces WHERE slug = ${slug}`.pipe(
        first((row) => marketplaces.read(row.body, slug)),
        named("MarketplaceStore.find")
      ),
    all: sql<{ slug: string; body: string }>`SELECT slug, body FROM crossdock_marketplaces ORDER BY slug`.pipe(
      each((row) => marketplaces.read(row.body, row.slug)),
      named("MarketplaceStore.all")
    ),
    purge: Dialect.purge(sql, "crossdock_marketplaces").pipe(named("MarketplaceStore.purge"), unbounded)
  })
})

export const layer = Layer.effect(MarketplaceStore, make)
