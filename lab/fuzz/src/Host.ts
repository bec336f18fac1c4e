/** A host in this process on a new database, and the laws of its data. The host has fields, series and charges of its own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AuditTrail, CompanyWrite } from "@crossdock/audit"
import { CustomFields } from "@crossdock/catalog"
import * as NodeHost from "@crossdock/cli/Host"
import * as Server from "@crossdock/cli/Server"
import * as Settings from "@crossdock/cli/Settings"
import * as Storage from "@crossdock/cli/Storage"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import * as Charges from "@crossdock/histories/Charges"
import * as Fields from "@crossdock/histories/Fields"
import { seriesOf } from "@crossdock/histories/World"
import { UserAgentsBowser } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import { OrderPricing } from "@crossdock/orders"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import * as PostgresServer from "@crossdock/postgres/PostgresServer"
import { PaperNumbers } from "@crossdock/shipments"
import { Effect, Layer, Logger, Redacted, Scope } from "effect"

export const databases = ["sqlite", "postgres", "memory"] as const

export type Database = (typeof databases)[number]

export const secret = "a secret of the fuzzer, of 32 bytes or more"

/** The address of a new database, which is deleted with the scope. */
const databaseUrl = (database: Database, postgres: string | undefined) => {
  if (database === "memory") return Effect.succeed("memory:")
  if (database === "sqlite") {
    return Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "crossdock-fuzz-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ).pipe(Effect.map((folder) => `sqlite:${join(folder, "fuzz.db")}`))
  }
  const server =
    postgres !== undefined
      ? Effect.succeed(postgres)
      : Effect.acquireRelease(
          Effect.promise(() => PostgresServer.start()),
          ({ stop }) => Effect.promise(stop)
        ).pipe(Effect.map(({ url }) => url))
  return Effect.flatMap(server, PostgresDatabase.make).pipe(Effect.map(Redacted.value))
}

const companies = [CompanyId.make(1), CompanyId.make(2)]

/** Finds stock that isn't the sum of its movements, and broken audit chains. */
const discrepancies = Effect.gen(function* () {
  const [inventory, trail] = [yield* Inventory.Inventory, yield* AuditTrail.AuditTrail]
  const found: Array<string> = []
  for (const company of companies) {
    for (const one of yield* inventory.verify(company))
      found.push(`stock of company ${company}: ${JSON.stringify(one)}`)
    const { broken } = yield* trail.verify(company)
    if (broken !== undefined) found.push(`audit trail of company ${company}: ${JSON.stringify(broken)}`)
  }
  return found
})

const checking = Layer.mergeAll(Inventory.layer, AuditTrail.layer).pipe(
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provide([DigestNode.layer, NonceNode.layer, Ids.layer, UserAgentsBowser.layer])
)

export interface Running {
  readonly url: string
  /** Finds faults in the stored data. */
  readonly discrepancies: Effect.Effect<ReadonlyArray<string>>
}

/** Starts a host that runs until the scope ends. `postgres` is a server to use instead of a new one. */
export const start = (database: Database, postgres?: string): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = yield* databaseUrl(database, postgres)
    const settings = yield* Settings.read({
      DATABASE_URL: url,
      PORT: "0",
      SANDBOX: "1",
      TOKEN_SECRET: secret,
      TRUST_PROXY: "1"
    })
    const memoMap = Layer.makeMemoMapUnsafe()
    const scope = yield* Scope.Scope
    const servers = { main: (yield* Server.make()).server, admin: (yield* Server.make()).server }
    const own = Layer.mergeAll(
      Layer.succeed(CustomFields.Policy, Fields.policy),
      Layer.succeed(PaperNumbers.Series, seriesOf),
      Layer.succeed(OrderPricing.Charges, Charges.policy)
    )
    const options = { passwordCost: { logN: 4, blockSize: 8, parallel: 1 } }
    const layer = Layer.provide(NodeHost.layer(settings, servers, options), own)
    const context = yield* Layer.buildWithMemoMap(Layer.provideMerge(layer, Logger.layer([])), memoMap, scope)
    // If the database is in memory, the same memo map is needed to get the host's storage.
    const stored = Layer.buildWithMemoMap(Layer.provide(checking, Storage.layer(url)), memoMap, scope)
    return {
      url: yield* Effect.provide(NodeHost.address(settings), context),
      discrepancies: Effect.flatMap(stored, (services) => Effect.provide(discrepancies, services)).pipe(Effect.orDie)
    }
  }).pipe(Effect.orDie)
