import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { run } from "./shop.js"

await run("better-sqlite3", BetterSqlite3.layer(":memory:"))
