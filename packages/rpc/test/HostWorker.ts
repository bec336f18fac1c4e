/** A host in a worker thread, with one seller, `acme`. */
import { parentPort } from "node:worker_threads"
import { PaymentProviderTest } from "@crossdock/billing"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { Handlers, Procedures } from "@crossdock/rpc"
import { StorageMemory } from "@crossdock/storage-memory"
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect, Layer } from "effect"
import { RpcServer } from "effect/rpc"

const url = "https://partner.example"
const companyId = CompanyId.make(1)
const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }
const acme = {
  kind: "integration",
  id: "acme",
  integrationId: "acme",
  companyId,
  locations: null,
  stockPolicy: "set"
} as const

const host = await Host.make({
  storage: StorageMemory.layer,
  runtime: Node.runtime(),
  payments: PaymentProviderTest.layer,
  publicUrl: url,
  addressOf: () => "the same process"
})
const setup = host.system("setup")
await host.services.companies.register(setup, { id: companyId, name: "Acme", legalName: "Acme Ltd" }, [location])
await host.services.accounts.register(setup, acme, "acme's password")

parentPort?.once("close", () => host.dispose())

await RpcServer.layer(Procedures.seller.group).pipe(
  Layer.provide(Handlers.layer(Procedures.seller, { handler: host.handler, url })),
  Layer.provide(RpcServer.layerProtocolWorkerRunner),
  Layer.provide(NodeWorkerRunner.layer),
  Layer.launch,
  Effect.runPromise
)
