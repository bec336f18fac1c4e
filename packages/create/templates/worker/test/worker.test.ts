import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { after, before, test } from "node:test"
import { unstable_dev } from "wrangler"

const password = "correct horse battery"
let worker: Awaited<ReturnType<typeof unstable_dev>>

before(async () => {
  worker = await unstable_dev("src/worker.ts", {
    vars: { ACME_PASSWORD: password },
    experimental: { disableExperimentalWarning: true }
  })
})

after(() => worker.stop())

test("the seller signs in and has no listings yet", async () => {
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ username: "acme", password })
  const signedIn = await worker.fetch("/aggregator/v1/token", { method: "POST", headers, body })
  strictEqual(signedIn.status, 200)
  const { access_token: token } = (await signedIn.json()) as { access_token: string }
  const listings = await worker.fetch("/ims/v3/listings", { headers: { "x-access-token": token } })
  deepStrictEqual(listings.status, 200)
})
