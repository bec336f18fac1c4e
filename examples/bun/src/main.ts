/** A host on Bun and its SQLite. Run it with `bun run examples/bun/dist/main.js`. */
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { StorageSql } from "@crossdock/storage-sql"
import * as BunSqlite from "@crossdock/storage-sql/BunSqlite"
import * as Layer from "effect/Layer"

interface Server {
  readonly port: number
  readonly requestIP: (request: Request) => { readonly address: string } | null
}
declare const Bun: {
  readonly serve: (options: {
    readonly port: number
    readonly hostname: string
    readonly fetch: (request: Request) => Promise<Response>
  }) => Server
}

const port = Number(process.env.PORT ?? 8080)
const host = await Host.make({
  storage: Layer.provide(StorageSql.layer, BunSqlite.layer(process.env.DATABASE ?? "crossdock.db")),
  runtime: Node.runtime(),
  payments: PaymentProviderTest.layer,
  publicUrl: `http://127.0.0.1:${port}`,
  addressOf: (request) => server.requestIP(request)?.address ?? "unknown"
})
const server = Bun.serve({ port, hostname: "127.0.0.1", fetch: host.handler })
console.log(`Listening on http://127.0.0.1:${server.port}`)
process.on("SIGTERM", () => host.dispose().then(() => process.exit(0)))
