import * as BunSqlite from "@crossdock/storage-sql/BunSqlite"
import { show } from "../../worker/test/Laws.ts"

await show(BunSqlite.layer(process.argv.at(-1) ?? ""))
