/** A host on Deno and its SQLite. Run it with `deno run --allow-all examples/deno/dist/main.js`. */
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { StorageSql } from "@crossdock/storage-sql"
import * as NodeSqlite from "@crossdock/storage-sql/NodeSqlite"
import * as Layer from "effect/Layer"

interface Connection {
  readonly remoteAddr: { readonly hostname: string }
}
declare const Deno: {
  readonly serve: (
    options: { readonly port: number; readonly hostname: string },
    handler: (request: Request, connection: Connection) => Promise<Response>
  ) => unknown
}

const port = Number(process.env.PORT ?? 8080)
const addresses = new WeakMap<Request, string>()
const host = await Host.make({
  storage: Layer.provide(StorageSql.layer, NodeSqlite.layer(process.env.DATABASE ?? "crossdock.db")),
  runtime: Node.runtime(),
  payments: PaymentProviderTest.layer,
  publicUrl: `http://127.0.0.1:${port}`,
  addressOf: (request) => addresses.get(request) ?? "unknown"
})
Deno.serve({ port, hostname: "127.0.0.1" }, (request, { remoteAddr }) => {
  addresses.set(request, remoteAddr.hostname)
  return host.handler(request)
})
process.on("SIGTERM", () => host.dispose().then(() => process.exit(0)))
