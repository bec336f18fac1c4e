import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { company, start } from "../src/Crossdock.ts"
import { seed } from "../src/Seed.ts"
import { make } from "../src/Server.ts"
import { open } from "../src/Shop.ts"

const guide = readFileSync(new URL("../../../docs/guides/existing-backend.md", import.meta.url), "utf8")
const password = /BAZAAR_PASSWORD='([^']+)'/.exec(guide)?.[1] ?? ""
const body = (name: string) => JSON.parse(new RegExp(`${name}='(\\{.*\\})'`).exec(guide)?.[1] ?? "null")
const orderOfGuide = (/-d '(\{"external_order_id.*)'$/m.exec(guide)?.[1] ?? "").replaceAll(
  `'"$address"'`,
  JSON.stringify(body("address"))
)
const salesOfGuide = [...guide.matchAll(/-d '(\{"id":[^']*)'/g)].map(([, sale = ""]) => sale)
const shipments = /localhost:8080(\/partner\/oms\/[^']+)'/.exec(guide)?.[1] ?? ""

describe("An empty shop", () => {
  it("that can't be filled stays empty, so that the next start fills it", async () => {
    const shop = open(":memory:")
    const crossdock = await start(shop, "http://127.0.0.1")
    try {
      const rejected = await seed(crossdock, "short").then(
        () => "filled",
        ({ message }: Error) => message
      )
      deepStrictEqual(
        [rejected, (await crossdock.services.companies.find(company)).ok],
        ["/password: must be one line of 12 to 2,000 characters", false]
      )
      await seed(crossdock, password)
      const signIn = new Request("http://127.0.0.1/partner/auth/bazaar/token", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "bazaar", password })
      })
      strictEqual((await crossdock.handler(signIn)).status, 200)
    } finally {
      await crossdock.dispose()
      shop.handle.close()
    }
  })

  it("begins with a product and five units, and orders and sells as its guide says", async () => {
    process.env.SHOP_PASSWORD = "secret"
    const shop = open(":memory:")
    const crossdock = await start(shop, "http://127.0.0.1")
    const server = make(shop, crossdock, "http://127.0.0.1")
    const url = await server.listen({ port: 0 })
    const send = async (path: string, headers: Record<string, string>, sent?: string) => {
      const type = sent === undefined ? {} : { "content-type": "application/json" }
      const init = sent === undefined ? {} : { method: "POST", body: sent }
      const answer = await fetch(`${url}${path}`, { ...init, headers: { ...type, ...headers } })
      const text = await answer.text()
      return { status: answer.status, cookie: answer.headers.get("set-cookie"), body: text && JSON.parse(text) }
    }
    try {
      // The second start finds that everything exists.
      await seed(crossdock, password)
      await seed(crossdock, password)
      const signedIn = await send("/login", {}, '{"username":"asha","password":"secret"}')
      const cookie = signedIn.cookie?.split(";")[0] ?? ""
      const listed = await send("/partner/ims/v3/listings", { cookie })
      deepStrictEqual(
        listed.body.data.map((row: { sku: string; quantity: number }) => [row.sku, row.quantity]),
        [["TEE-M", 5]]
      )
      const issued = await send("/partner/auth/bazaar/token", {}, JSON.stringify({ username: "bazaar", password }))
      const token = { "x-access-token": issued.body.access_token }
      strictEqual((await send("/partner/order/api/v1/bazaar/create", token, orderOfGuide)).status, 200)
      const admin = await send("/admin", { cookie })
      deepStrictEqual(admin.body.stock, [{ location: "BLR1", sku: "TEE-M", on_hand: 5, reserved: 2 }])
      const found = await send(shipments, { cookie })
      deepStrictEqual(
        [found.status, JSON.stringify(found.body).includes("TEE-M")],
        [200, true],
        JSON.stringify(found.body)
      )
      const sold: Array<number> = []
      for (const sale of salesOfGuide) sold.push((await send("/sales", { cookie }, sale)).status)
      deepStrictEqual(sold, [409, 200])
    } finally {
      await server.close()
      await crossdock.dispose()
      shop.handle.close()
    }
  })
})
