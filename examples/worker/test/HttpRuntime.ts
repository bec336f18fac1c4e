/**
 * A server for the tests of the HTTP interfaces on Bun or Deno. It runs on the built packages, with the runtime's own HTTP
 * server and SQLite. Each test file has a separate host with the data of these tests. The header `x-test-host` has the host's
 * name and how to make the host. The server prints its port.
 */
import { Directory } from "@crossdock/access"
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { generousAllowances } from "@crossdock/http"
import { StorageSql } from "@crossdock/storage-sql"
import { Effect, Layer, Logger, Redacted } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as TestWorld from "../../../packages/http/test/TestWorld.ts"
import { type Wanted, wantedOf } from "./WantedHost.ts"

type Handler = (request: Request) => Promise<Response>

interface Bun {
  readonly serve: (options: { readonly port: number; readonly hostname: string; readonly fetch: Handler }) => {
    readonly port: number
  }
}

interface Deno {
  readonly serve: (
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handler: Handler
  ) => { readonly addr: { readonly port: number } }
}

const { Bun, Deno } = globalThis as { readonly Bun?: Bun; readonly Deno?: Deno }

const sqlite: Layer.Layer<SqlClient> = Layer.unwrap(
  Effect.promise(async () =>
    Bun === undefined
      ? (await import("@crossdock/storage-sql/NodeSqlite")).layer(":memory:")
      : (await import("@crossdock/storage-sql/BunSqlite")).layer(":memory:")
  )
)

const make = async ({ object: _object, tokenSecret, ...wanted }: Wanted) => {
  const host = await Host.make({
    ...wanted,
    storage: Layer.provide(StorageSql.layer, sqlite),
    runtime: Node.runtime({ passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }),
    payments: PaymentProviderTest.layer,
    publicUrl: "http://crossdock.test",
    addressOf: () => "127.0.0.1",
    tokenSecret: Redacted.make(tokenSecret),
    allowances: generousAllowances,
    sandbox: true,
    admin: true,
    workers: true,
    observability: Logger.layer([])
  })
  await host.run(Effect.flatMap(Directory, () => TestWorld.load))
  return host
}

const hosts = new Map<string, Promise<Host.Host>>()

const handler: Handler = async (request) => {
  const wanted = wantedOf(request)
  const host = hosts.get(wanted.object) ?? make(wanted)
  hosts.set(wanted.object, host)
  host.catch(console.error)
  // The whole body is read first. If nobody reads it, a server may end the connection while the client is still sending.
  const whole = request.body === null ? request : new Request(request, { body: await request.arrayBuffer() })
  return (await host).handler(whole)
}

const hostname = "127.0.0.1"
const port =
  Deno === undefined
    ? Bun?.serve({ port: 0, hostname, fetch: handler }).port
    : Deno.serve({ port: 0, hostname, onListen: () => {} }, handler).addr.port
console.log(port)
