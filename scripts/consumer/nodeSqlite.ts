import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import { run } from "./shop.js"

await run("node:sqlite", NodeSqlite.layer(":memory:"))
