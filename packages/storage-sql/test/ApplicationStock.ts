/**
 * A program that keeps stock and prices in tables of its own, with names of its own for some columns.
 */
import { StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const tables = (isPostgres: boolean) => [
  `CREATE TABLE IF NOT EXISTS shelf (
    "Seller" BIGINT NOT NULL, sku TEXT NOT NULL, place TEXT NOT NULL, "on hand" INTEGER NOT NULL,
    reserved INTEGER NOT NULL, unsellable INTEGER NOT NULL, "list price" BIGINT, esp BIGINT, version INTEGER NOT NULL,
    price_version INTEGER NOT NULL, change BIGINT NOT NULL, changed_at BIGINT NOT NULL, modified_at BIGINT NOT NULL)`,
  // An entry of PostgreSQL's ordered indexes can't have a text of 2,000 characters.
  `CREATE UNIQUE INDEX IF NOT EXISTS shelf_key ON shelf ("Seller", ${isPostgres ? "md5(sku), md5(place)" : "sku, place"})`,
  `CREATE INDEX IF NOT EXISTS shelf_skus ON shelf ${isPostgres ? "USING hash " : ""}(sku)`,
  `CREATE INDEX IF NOT EXISTS shelf_changes ON shelf ("Seller", change)`,
  `CREATE TABLE IF NOT EXISTS moves (
    "Seller" BIGINT NOT NULL, sku TEXT NOT NULL, place TEXT NOT NULL, "on hand" INTEGER NOT NULL,
    reserved INTEGER NOT NULL, unsellable INTEGER NOT NULL, change BIGINT NOT NULL, changed_at BIGINT NOT NULL,
    reason TEXT NOT NULL, reference TEXT)`
]

const withTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isPostgres = sql.onDialectOrElse({ orElse: () => false, pg: () => true })
  yield* Effect.orDie(Effect.forEach(tables(isPostgres), (statement) => sql.unsafe(statement)))
  return StorageSql.stockIn({
    stock: isPostgres ? "public.shelf" : "main.shelf",
    movements: "moves",
    columns: { company: "Seller", location: "place", onHand: "on hand", mrp: "list price", changeNumber: "change" }
  })
})

/**
 * The groups of such a host; its client is left to give.
 */
export const storageOn = <Stock, E, R>(stock: Layer.Layer<Stock, E, R>) =>
  stock.pipe(
    Layer.provideMerge(Layer.mergeAll(StorageSql.orders, StorageSql.marketplaces, StorageSql.ledger)),
    Layer.provideMerge(Layer.mergeAll(StorageSql.access, StorageSql.catalog)),
    Layer.provideMerge(StorageSql.base)
  )

export const storage = storageOn(Layer.unwrap(withTables))
