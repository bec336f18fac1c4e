/** The issuer of the platform's invoices: from a host's settings to the printed page. */
import { describe, it } from "@effect/vitest"
import { assertInclude, strictEqual } from "@effect/vitest/utils"
import { texts } from "../../../packages/documents/test/PdfReading.ts"
import { basicOf, settings, startHost } from "./TestHost.ts"

interface Answer {
  readonly access_token: string
  readonly data: ReadonlyArray<{ readonly invoice_url: string; readonly statement_descriptor: string }>
}

describe("a platform's invoice", () => {
  it("shows name, address, tax number and bank of the seller that the host's settings name", async () => {
    const invoiceSeller = {
      name: "Crossdock Services Private Limited",
      addressLines: ["7 Dock Road", "Mumbai 400001"],
      taxNumber: { name: "GSTIN", value: "27AAAAA0000A1Z5" },
      bank: "Bank of Mumbai, account 1, IFSC BOMB0000001"
    }
    const host = await startHost(settings({ invoiceSeller }))
    const call = async (method: string, path: string, authorization: string, body?: unknown): Promise<Answer> => {
      const headers = { authorization, "content-type": "application/json" }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(`${host.url}/service/${path}`, { method, headers, ...sent })
      strictEqual(answer.status, 200, path)
      return (await answer.json()) as Answer
    }
    const tokenPath = "panel/authentication/v1.0/company/1/oauth/token"
    const token = await call("POST", tokenPath, basicOf("ops", "ops-secret"), { grant_type: "client_credentials" })
    const bearer = `Bearer ${token.access_token}`
    const billing = "platform/billing/v1.0/company/1"
    await call("POST", `${billing}/subscription/customer-detail`, bearer, {
      name: "Acme Retail",
      email: "pay@acme.example",
      phone: { phone_country_code: "91", phone_number: "9845000000" }
    })
    await call("POST", `${billing}/subscription/activate`, bearer, { plan_id: "growth" })
    const [invoice] = (await call("GET", `${billing}/invoice/list`, bearer)).data
    strictEqual(invoice?.statement_descriptor, invoiceSeller.name)
    const pdf = await fetch(invoice?.invoice_url ?? "")
    const printed = (await texts(new Uint8Array(await pdf.arrayBuffer()))).join(" ").replace(/\s+/g, " ")
    const { addressLines, bank, name, taxNumber } = invoiceSeller
    for (const text of [name, ...addressLines, `GSTIN ${taxNumber.value}`, `Pay to: ${bank}`])
      assertInclude(printed, text)
    await host.stop()
  })
})
