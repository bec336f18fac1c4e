import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Bundle from "@crossdock/example-worker/Bundle"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import type { Plugin } from "esbuild"

const page = fileURLToPath(new URL("../../../docs/guides/workers.md", import.meta.url))

/** A Worker that reports at /alarms how often the object's alarm has fired. */
const observer = `
const { alarm, fetch: served } = Shop.prototype
let alarms = 0
Shop.prototype.alarm = function () { alarms++; return alarm.call(this) }
Shop.prototype.fetch = function (request) {
  return new URL(request.url).pathname === "/alarms" ? Response.json(alarms) : served.call(this, request)
}`

/** The program of the guide, as the block in the page has it. */
const program: Plugin = {
  name: "guide",
  setup: ({ onLoad }) =>
    onLoad({ filter: /workers\.md$/ }, () => ({
      contents: (/^```ts no-run\n([\s\S]*?)^```/m.exec(readFileSync(page, "utf8"))?.[1] ?? "") + observer,
      loader: "ts",
      resolveDir: fileURLToPath(new URL("../src", import.meta.url))
    }))
}

describe("docs/guides/workers.md", () => {
  it("has a program whose seller signs in, and whose background work goes on under steady traffic", async () => {
    const settings = { PUBLIC_URL: "https://shop.example", ACME_PASSWORD: "a long password" }
    const workerd = await Bundle.start(await Bundle.make(page, { plugins: [program] }), settings)
    try {
      const send = (path: string, init: RequestInit) => fetch(new URL(path, workerd.url), init)
      const json = { "content-type": "application/json" }
      const signedIn = await send("/aggregator/v1/token", {
        method: "POST",
        headers: json,
        body: JSON.stringify({ username: "acme", password: settings.ACME_PASSWORD })
      })
      const { access_token: token } = (await signedIn.json()) as { readonly access_token: string }
      const write = () =>
        send("/ims/v3/inventory", {
          method: "PUT",
          headers: { ...json, "x-access-token": token },
          body: JSON.stringify([{ location_id: "BLR1", sku: "none", quantity: 1 }])
        })
      const alarms = async () => (await (await send("/alarms", {})).json()) as number
      // The requests are sent one after the other. If each of them postponed the alarm, the alarm would never fire.
      const end = Date.now() + 20_000
      while ((await alarms()) < 2 && Date.now() < end) strictEqual((await write()).status, 200)
      assertTrue((await alarms()) >= 2)
      deepStrictEqual((await send("/health/ready", {})).status, 200)
    } finally {
      await workerd.dispose()
    }
  })
})
