/**
 * The shop as it was before: one SQLite file, its tables in Kysely, and who is signed in.
 */
import { randomUUID } from "node:crypto"
import type { CompanyId } from "@crossdock/kernel"
import Database from "better-sqlite3"
import { Kysely, SqliteDialect } from "kysely"

/** Stock and price of a SKU at a location. What Crossdock asks for beside the shop's own columns begins with `version`. */
export interface ShopStock {
  readonly companyId: CompanyId
  readonly location: string
  readonly sku: string
  readonly onHand: number
  readonly reserved: number
  readonly unsellable: number
  readonly mrp: number | null
  readonly esp: number | null
  readonly modifiedAt: number
  readonly version: number
  readonly priceVersion: number
  readonly changeNumber: number
  readonly changedAt: number
}

interface Tables {
  readonly shop_stock: ShopStock
  readonly shop_sales: { id: string; sku: string; quantity: number }
  readonly shop_orders: { id: string; marketplace: string; externalId: string }
  readonly shop_sessions: { session: string; username: string }
}

const schema = `
  CREATE TABLE IF NOT EXISTS shop_stock (
    companyId INTEGER, location TEXT, sku TEXT, onHand INTEGER NOT NULL DEFAULT 0, reserved INTEGER NOT NULL DEFAULT 0,
    unsellable INTEGER NOT NULL DEFAULT 0, mrp INTEGER, esp INTEGER, modifiedAt INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0, priceVersion INTEGER NOT NULL DEFAULT 0,
    changeNumber INTEGER NOT NULL DEFAULT 0, changedAt INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (companyId, location, sku));
  CREATE TABLE IF NOT EXISTS shop_moves (
    companyId INTEGER, location TEXT, sku TEXT, onHand INTEGER, reserved INTEGER, unsellable INTEGER, reason TEXT);
  CREATE TABLE IF NOT EXISTS shop_deleted (companyId INTEGER, location TEXT, sku TEXT, marketplace TEXT,
    changeNumber INTEGER, changedAt INTEGER, PRIMARY KEY (companyId, location, sku, marketplace));
  CREATE TABLE IF NOT EXISTS shop_sales (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_orders (id TEXT PRIMARY KEY, marketplace TEXT NOT NULL, externalId TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_sessions (session TEXT PRIMARY KEY, username TEXT NOT NULL);`

export interface Shop {
  readonly handle: Database.Database
  readonly db: Kysely<Tables>
}

export const open = (file: string): Shop => {
  const handle = new Database(file)
  handle.exec(schema)
  return { handle, db: new Kysely<Tables>({ dialect: new SqliteDialect({ database: handle }) }) }
}

export const signIn = async ({ db }: Shop, username: string, password: string) => {
  const expected = process.env.SHOP_PASSWORD
  if (expected === undefined || expected === "" || password !== expected) return undefined
  const session = randomUUID()
  await db.insertInto("shop_sessions").values({ session, username }).execute()
  return `session=${session}`
}

export const signedIn = ({ db }: Shop, cookies: string | null | undefined) =>
  db
    .selectFrom("shop_sessions")
    .selectAll()
    .where("session", "=", /(?:^|; )session=([^;]+)/.exec(cookies ?? "")?.[1] ?? "")
    .executeTakeFirst()
