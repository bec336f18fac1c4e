/** A host that registers a company, signs in the company's system over HTTP, stores products and stock, and draws a document. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { PaymentProviderTest } from "@crossdock/billing"
import { DocumentRenderer } from "@crossdock/documents"
import { DocumentRendererNode } from "@crossdock/documents/node"
import { Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { CompanyId } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"

export const run = async (name: string, database: Layer.Layer<SqlClient.SqlClient>) => {
  const host = await Host.make({
    storage: Layer.provide(StorageSql.layer, database),
    runtime: Node.runtime(),
    payments: PaymentProviderTest.layer,
    publicUrl: "https://shop.example",
    addressOf: Host.forwardedFor
  })
  const companyId = CompanyId.make(1)
  const caller = host.system("setup")
  const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }
  const oms = {
    kind: "integration",
    id: "oms",
    integrationId: "oms",
    companyId,
    locations: null,
    stockPolicy: "set"
  } as const
  const { accounts, companies } = host.services
  await companies.register(caller, { id: companyId, name: "Acme", legalName: "Acme Ltd" }, [location])
  await accounts.register(caller, oms, "correct horse battery")

  const call = async (method: string, path: string, body?: unknown, token = "") => {
    const headers = { "content-type": "application/json", "x-access-token": token, "x-forwarded-for": "192.0.2.1" }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await host.handler(new Request(`https://shop.example${path}`, { method, headers, ...text }))
    return { status: response.status, body: JSON.parse(await response.text()) }
  }
  const signedIn = await call("POST", "/aggregator/v1/token", { username: "oms", password: "correct horse battery" })
  strictEqual(signedIn.status, 200)
  const token = signedIn.body.access_token
  const stock = [{ location_id: "BLR1", sku: "85123A", quantity: 100 }]
  const answer = await call("PUT", "/ims/v3/inventory", stock, token)
  deepStrictEqual([answer.status, JSON.stringify(answer.body).includes("UNKNOWN_SKU")], [200, true])
  strictEqual((await call("GET", "/ims/v3/listings", undefined, token)).status, 200)
  await host.dispose()

  const drawn = Effect.flatMap(DocumentRenderer, ({ invoices }) => invoices([], "a4"))
  const pdf = await Effect.runPromise(Effect.provide(drawn, DocumentRendererNode.layer()))
  strictEqual(new TextDecoder().decode(pdf.slice(0, 5)), "%PDF-")
  console.log(`host over ${name} ran`)
}
