/** Fills a database with sellers and SKUs as if by years of bulks, and measures the disk. */
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode, PasswordHashScrypt } from "@crossdock/crypto"
import { CompanyId, Ids } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { shipmentOrderOf } from "@crossdock/orders"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { seedOrder, shipmentAt } from "../seed.ts"

export interface Size {
  readonly sellers: number
  /** The number of SKUs per seller. Each SKU is at one location. */
  readonly skus: number
}

export const slug = "grow-market"
export const password = `${slug}-secret`
export const skuOf = (nth: number): string => `SKU-${nth}`
const idOf = (seller: number): number => 1000 + seller
export const locationOf = (seller: number): string => `C${idOf(seller)}`

const { sizes: _, ...product } = Fresh.product(CompanyId.make(1), "p", [])
const bodies = { product: JSON.stringify(product), size: JSON.stringify(Fresh.size("sku")) }

/** Movements are in the checkpoints of levels, as if they were old and had been folded. */
const statements = ({ sellers, skus }: Size): ReadonlyArray<string> => [
  `INSERT INTO crossdock_companies (id, name, legal_name)
    SELECT 1000 + i, 'Seller ' || i, 'Seller ' || i FROM generate_series(0, ${sellers - 1}) i`,
  `INSERT INTO crossdock_locations (company_id, code, name, currency, handling_hours)
    SELECT c.id, 'C' || c.id, 'Store', 'INR', 24 FROM crossdock_companies c WHERE c.id >= 1000`,
  `INSERT INTO crossdock_products (company_id, item_code, name, folded_name, brand, slug, hs_code, batch, body, created_at,
      modified_at)
    SELECT c.id, 'ITEM-' || i, 'Product ' || i, 'product ' || i, 'Anvika', 'slug-' || i, '62064000', 0, '${bodies.product}', 1, 1
    FROM crossdock_companies c, generate_series(0, ${skus - 1}) i WHERE c.id >= 1000`,
  `INSERT INTO crossdock_sizes (company_id, product_id, sku, name, position, body)
    SELECT p.company_id, p.id, 'SKU-' || substr(p.item_code, 6), 'M', 0, '${bodies.size}' FROM crossdock_products p
    WHERE p.company_id >= 1000`,
  `INSERT INTO crossdock_levels (company_id, location_id, size_id, on_hand, reserved, unsellable, version, sequence, changed_at,
      modified_at)
    SELECT s.company_id, l.id, s.id, 1000000, 0, 0, 1, 0, 1, 1
    FROM crossdock_sizes s JOIN crossdock_locations l ON l.company_id = s.company_id WHERE s.company_id >= 1000`,
  `INSERT INTO crossdock_checkpoints (company_id, location_id, size_id, number, on_hand, reserved, unsellable)
    SELECT company_id, location_id, size_id, 0, on_hand, 0, 0 FROM crossdock_levels WHERE company_id >= 1000`,
  `INSERT INTO crossdock_prices (company_id, location_id, size_id, mrp, esp, version, modified_at)
    SELECT company_id, location_id, size_id, 49900, 44900, 1, 1 FROM crossdock_levels WHERE company_id >= 1000`,
  "VACUUM ANALYZE",
  "CHECKPOINT"
]

const services = Marketplaces.layer.pipe(
  Layer.provideMerge(Notifications.layer),
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provideMerge(Layer.mergeAll(StorageSql.layer, PasswordHashScrypt.layer(), DigestNode.layer, Ids.layer))
)

/** Applies migrations, and stores the sellers with a marketplace that sells for all of them. */
export const fill = (size: Size) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { register } = yield* Marketplaces.Marketplaces
    for (const statement of statements(size)) yield* sql.unsafe(statement)
    const locations = Array.from({ length: size.sellers }, (_, seller) => ({
      companyId: CompanyId.make(idOf(seller)),
      location: locationOf(seller),
      code: locationOf(seller)
    }))
    const caller = { principal: { kind: "system", id: "grow" }, requestId: null } as const
    const registration = {
      slug,
      name: slug,
      password,
      currency: "INR",
      locations,
      skus: null,
      buffers: [],
      webhook: null
    }
    yield* register(caller, registration)
  }).pipe(Effect.provide(services))

const closed = {
  order: JSON.stringify(seedOrder),
  facts: JSON.stringify(shipmentOrderOf(seedOrder)),
  shipment: JSON.stringify(shipmentAt(1))
}

/** Stores past orders, each with one delivered shipment. They belong to the sellers in turn. */
export const close = ({ sellers }: Size, orders: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const n = `generate_series(1, ${orders}) i`
    const insert = Effect.gen(function* () {
      // The trigger that counts shipments is off, because each of them would update the same row.
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql.unsafe(`INSERT INTO crossdock_orders (id, marketplace, external_order_id, facts, body)
        SELECT lpad(to_hex(i), 24, '0'), '${slug}', md5(i::text), '${closed.facts}', '${closed.order}' FROM ${n}`)
      yield* sql.unsafe(`INSERT INTO crossdock_shipments (company_id, id, location, marketplace, order_id, forward_id,
          order_status, order_date, is_open, invoice_number, version, body)
        SELECT 1000 + i % ${sellers}, lpad(i::text, 20, '0'), 'C' || 1000 + i % ${sellers}, '${slug}',
          lpad(to_hex(i), 24, '0'), lpad(i::text, 20, '0'), 'DELIVERED', 1600000000000 + i * 1000::bigint, 0, 'INV-' || i, 9,
          '${closed.shipment}' FROM ${n}`)
    })
    yield* sql.withTransaction(insert)
    yield* sql`VACUUM ANALYZE`
    yield* sql`CHECKPOINT`
  })

/** The bytes of tables, and of their indexes. */
export interface Bytes {
  readonly tables: number
  readonly indexes: number
}

export const bytes = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Bytes>`
      SELECT SUM(pg_table_size(oid))::bigint AS tables, SUM(pg_indexes_size(oid))::bigint AS indexes FROM pg_class
      WHERE relkind = 'r' AND relname LIKE 'crossdock%'`
  ),
  ([row]): Bytes => row ?? { tables: 0, indexes: 0 }
)

/** Measures the seconds of a `VACUUM` after each level has changed once, and of reading all rows as `pg_dump` does. */
export const upkeep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const seconds = (work: Effect.Effect<unknown, SqlError>) =>
    Effect.map(Effect.timed(work), ([taken]) => Duration.toSeconds(taken))
  const tables = yield* sql<{ name: string }>`
    SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE 'crossdock%'`
  const copies = Effect.forEach(tables, ({ name }) => sql.unsafe(`COPY ${name} TO '/dev/null'`))
  const dump = yield* seconds(copies)
  yield* sql`UPDATE crossdock_levels SET version = version + 1`
  return { dump, vacuum: yield* seconds(sql`VACUUM`) }
})
