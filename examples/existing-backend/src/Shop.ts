/**
 * The shop as it was before: one SQLite file, its tables in Kysely, and who is signed in.
 */
import { randomUUID } from "node:crypto"
import Database from "better-sqlite3"
import { Kysely, SqliteDialect } from "kysely"

interface Tables {
  readonly shop_products: { sku: string; name: string }
  readonly shop_stock: { companyId: number; location: string; sku: string; onHand: number; reserved: number }
  readonly shop_sales: { id: string; sku: string; quantity: number }
  readonly shop_orders: { id: string; marketplace: string; externalId: string }
  readonly shop_sessions: { cookie: string; username: string }
}

const schema = `
  CREATE TABLE IF NOT EXISTS shop_products (sku TEXT PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_sales (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_orders (id TEXT PRIMARY KEY, marketplace TEXT NOT NULL, externalId TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_sessions (cookie TEXT PRIMARY KEY, username TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_stock (
    companyId INTEGER, location TEXT, sku TEXT, onHand INTEGER NOT NULL, reserved INTEGER NOT NULL,
    unsellable INTEGER NOT NULL, version INTEGER NOT NULL, changeNumber INTEGER NOT NULL, changedAt INTEGER NOT NULL,
    modifiedAt INTEGER NOT NULL, PRIMARY KEY (companyId, location, sku));
  CREATE TABLE IF NOT EXISTS shop_moves (
    companyId INTEGER, location TEXT, sku TEXT, onHand INTEGER, reserved INTEGER, unsellable INTEGER, reason TEXT);
  CREATE TABLE IF NOT EXISTS shop_deleted (
    companyId INTEGER, location TEXT, sku TEXT, marketplace TEXT, changeNumber INTEGER, changedAt INTEGER,
    PRIMARY KEY (companyId, location, sku, marketplace));
  CREATE TABLE IF NOT EXISTS shop_prices (
    companyId INTEGER, location TEXT, sku TEXT, mrp INTEGER NOT NULL, esp INTEGER NOT NULL, version INTEGER NOT NULL,
    modifiedAt INTEGER NOT NULL, PRIMARY KEY (companyId, location, sku));`

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
  if (password !== process.env.SHOP_PASSWORD) return undefined
  const cookie = `session=${randomUUID()}`
  await db.insertInto("shop_sessions").values({ cookie, username }).execute()
  return cookie
}

export const signedIn = ({ db }: Shop, cookie: string | null | undefined) =>
  db
    .selectFrom("shop_sessions")
    .selectAll()
    .where("cookie", "=", cookie ?? "")
    .executeTakeFirst()
