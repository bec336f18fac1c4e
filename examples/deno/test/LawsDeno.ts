import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import { show } from "../../worker/test/Laws.ts"

await show(NodeSqlite.layer(process.argv.at(-1) ?? ""))
