/** The shop without Crossdock: one SQLite file, its tables in Kysely, and its sign-in. */
import { randomUUID } from "node:crypto"
import Database from "better-sqlite3"
import { Kysely, SqliteDialect } from "kysely"

/** The shop's own tables. Stock is written through Crossdock, so that marketplaces are notified. */
interface Tables {
  readonly shop_stock: { location: string; sku: string; on_hand: number; reserved: number }
  readonly shop_sales: { id: string; sku: string; quantity: number }
  readonly shop_orders: { id: string; marketplace: string; external_id: string }
  readonly shop_sessions: { session: string; username: string }
}

/** The shop's schema. Crossdock needs the columns of `shop_stock` from `version` on, the index, and the table of movements. */
const schema = `
  CREATE TABLE IF NOT EXISTS shop_stock (
    company_id INTEGER NOT NULL, sku TEXT NOT NULL, location TEXT NOT NULL,
    on_hand INTEGER NOT NULL, reserved INTEGER NOT NULL, unsellable INTEGER NOT NULL, list_price INTEGER, price INTEGER,
    version INTEGER NOT NULL DEFAULT 0, price_version INTEGER NOT NULL DEFAULT 0, change_number INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL DEFAULT 0, modified_at INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (company_id, sku, location));
  CREATE INDEX IF NOT EXISTS shop_stock_changes ON shop_stock (company_id, change_number);
  CREATE TABLE IF NOT EXISTS shop_movements (
    company_id INTEGER NOT NULL, sku TEXT NOT NULL, location TEXT NOT NULL, change_number INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, on_hand INTEGER NOT NULL, reserved INTEGER NOT NULL, unsellable INTEGER NOT NULL,
    reason TEXT NOT NULL, reference TEXT);
  CREATE TABLE IF NOT EXISTS shop_sales (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS shop_orders (id TEXT PRIMARY KEY, marketplace TEXT NOT NULL, external_id TEXT NOT NULL);
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
