/**
 * The backend's own tables, in the same SQLite file as Crossdock's, whose names begin with `crossdock_`.
 */
import Database from "better-sqlite3"

export type Shop = Database.Database

export const open = (file: string): Shop => {
  const shop = new Database(file)
  shop.exec(`
    CREATE TABLE IF NOT EXISTS sales (id TEXT PRIMARY KEY, sku TEXT NOT NULL, quantity INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, marketplace TEXT NOT NULL, external_id TEXT NOT NULL);`)
  return shop
}
