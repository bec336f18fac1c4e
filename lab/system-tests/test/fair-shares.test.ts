import { LinkSignerHmac } from "@crossdock/crypto"
import { generousAllowances, MarketplaceApi, PlatformApi, SellerApi, SignedLinks } from "@crossdock/http"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Option, Redacted } from "effect"
import { describe, it } from "vitest"
import * as Api from "../src/Api.ts"
import { useHost } from "./TestHost.ts"

/** The caller has no account yet, or just a link. */
const open = ["token", "confirm", "documentLinks", "invoiceDocuments"]

interface Group {
  readonly endpoints: Readonly<Record<string, { readonly method: string; readonly path: string }>>
}

const operationsOf = (groups: Readonly<Record<string, Group>>) =>
  Object.entries(groups)
    .filter(([name]) => !open.includes(name))
    .flatMap(([, { endpoints }]) => Object.values(endpoints))
    .map(({ method, path }) => ({
      method,
      path: path.replace(":marketplace_slug", "bazaar").replace(":company_id", "1").replaceAll(/:\w+/g, "1")
    }))

describe("a host that works on no request of an account", () => {
  const secret = Redacted.make("a secret of the tests, 32 bytes or more")
  const host = useHost(() => ({
    allowances: { ...generousAllowances, share: 0, writes: 0 },
    tokenSecret: Option.some(secret)
  }))

  it("answers none but those that lack a parameter, whether they have a body or not, and whether it is read or not", async () => {
    const platform = await Api.platform(host.url)
    const callers = [
      { api: Api.make(host.url), operations: [] },
      { api: await Api.seller(host.url), operations: operationsOf(SellerApi.groups) },
      { api: await Api.marketplace(host.url), operations: operationsOf(MarketplaceApi.groups) },
      { api: platform, operations: operationsOf(PlatformApi.groups) }
    ]
    const answered: Array<string> = []
    let asked = 0
    for (const { api, operations } of callers) {
      for (const { method, path } of operations) {
        for (const body of [undefined, []]) {
          asked++
          api.call(method, path, body).then(
            ({ status }) => answered.push(`${method} ${path}${body === undefined ? "" : " with a body"}: ${status}`),
            () => {}
          )
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    for (const { api } of callers) api.close()
    assertTrue(asked > 80, `${asked} requests`)
    deepStrictEqual(answered.filter((one) => !one.endsWith("400")).toSorted(), [])
  })
  it("opens no link to a document of its company", async () => {
    const signer = LinkSignerHmac.make(secret)
    const linked = (path: string, name: string) => `${host.url}${path}/${SignedLinks.signed(signer, name, Date.now())}`
    const opened = await Promise.allSettled(
      [
        linked("/documents", `labels-a4-1-${"0".repeat(20)}.pdf`),
        linked("/billing/invoice", `billing-1-${"0".repeat(24)}.pdf`)
      ].map((url) => fetch(url, { signal: AbortSignal.timeout(1_000) }))
    )
    deepStrictEqual(
      opened.map(({ status }) => status),
      ["rejected", "rejected"]
    )
  })
})
