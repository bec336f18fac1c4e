import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Directory } from "@crossdock/access"
import { AuditTrail, CompanyWrite, UserAgents } from "@crossdock/audit"
import { Billing, BillingLedger } from "@crossdock/billing"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { Ids } from "@crossdock/kernel"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { temporaryFolder } from "./Databases.ts"

const services = (file: string) =>
  Layer.merge(AuditTrail.layer, Layer.provide(Billing.layer, BillingLedger.layer)).pipe(
    Layer.provideMerge(CompanyWrite.layer),
    Layer.provideMerge(StorageSql.layer),
    Layer.provide(BetterSqlite3.layer(file)),
    Layer.provide([
      DigestNode.layer,
      NonceNode.layer,
      Ids.layer,
      Layer.succeed(UserAgents, UserAgents.of({ describe: () => ({}) }))
    ])
  )

const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
const bytes = (file: string) =>
  ["", "-wal", "-shm"].map((end) => readFileSync(`${file}${end}`).toString("latin1")).join("")

describe("Erasure on SQLite", () => {
  it.live("leaves no byte of the person in any file of the database, while the host runs on", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      yield* Effect.gen(function* () {
        const [directory, trail] = [yield* Directory, yield* AuditTrail.AuditTrail]
        const company = yield* Fresh.companyId
        yield* directory.putCompanies([Fresh.company(company)])
        const client = {
          principal: { kind: "platform_client", id: "test", companyId: company, scopes: [] },
          requestId: null
        } as const
        for (let n = 0; n < 60; n++) {
          const who = n % 3 === 0 ? "zarathustra" : "somebody"
          yield* trail.record(client, {
            entity: { type: "order", id: `o-${n}`, action: "update" },
            application: null,
            modifier: { user_id: who, user_details: { email: `${who}@example.com`, full_name: who.toUpperCase() } },
            deviceInfo: null,
            location: null,
            sessions: null,
            // Some so long that SQLite keeps them on pages of their own.
            payload: { customer: { name: who, note: `${who} `.repeat(n % 2 === 0 ? 3 : 900) }, n }
          })
        }
        assertTrue(bytes(file).toLowerCase().includes("zarathustra"))
        strictEqual(yield* trail.erase(caller, company, "Zarathustra"), 20)
        const left = bytes(file).toLowerCase()
        strictEqual(left.includes("zarathustra"), false)
        assertTrue(left.includes("somebody"))
        strictEqual((yield* trail.verify(company)).broken, undefined)
      }).pipe(Effect.provide(services(file)))
    })
  )

  it.live("leaves no byte of a billing customer either", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "erasure.db")
      yield* Effect.gen(function* () {
        const [directory, billing] = [yield* Directory, yield* Billing.Billing]
        const [company, other] = [yield* Fresh.companyId, yield* Fresh.companyId]
        yield* directory.putCompanies([company, other].map((id) => Fresh.company(id)))
        yield* billing.putCustomer(caller, other, { uniqueId: null, detail: { name: "somebody" } })
        for (let n = 0; n < 20; n++) {
          yield* billing.putCustomer(caller, company, {
            uniqueId: null,
            detail: { name: "zarathustra ".repeat(n % 2 === 0 ? 3 : 900) }
          })
        }
        assertTrue(bytes(file).includes("zarathustra"))
        strictEqual(yield* billing.eraseCustomer(caller, company), true)
        const left = bytes(file)
        strictEqual(left.includes("zarathustra"), false)
        assertTrue(left.includes("somebody"))
      }).pipe(Effect.provide(services(file)))
    })
  )
})
