import * as Client from "@crossdock/client/promise"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { useHost } from "../../http/test/TestHost.ts"
import * as Wire from "./Wire.ts"

const host = useHost()

const account = { url: Wire.account.url, username: "acme", password: "acme-secret" }
const reason = new Error("the caller went away")

const rejection = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error
  )

describe("an aborted call", () => {
  it("sends nothing when it is aborted already", async () => {
    const wire = Wire.to(host)
    const client = Client.seller({ ...account, fetch: wire.fetch })
    const signal = AbortSignal.abort(reason)
    strictEqual(await rejection(client.listings.count(undefined, { signal })), reason)
    strictEqual(await rejection(client.bulk.stock.update([], { signal })), reason)
    deepStrictEqual(wire.sent, [])
  })

  it("ends its request and rejects with the signal's reason; a list and a bulk, too", async () => {
    const isSignIn = ({ path }: Wire.Sent) => path.includes("token")
    const wire = Wire.to(host, (sent) => (isSignIn(sent) ? undefined : "never"))
    const asked = () => wire.sent.filter((sent) => !isSignIn(sent)).length
    const client = Client.seller({ ...account, fetch: wire.fetch })
    const records = [{ location_id: "BLR1", sku: "85123A", quantity: 1 }]
    const aborting = (call: (signal: AbortSignal) => Promise<unknown>) => {
      const controller = new AbortController()
      const before = asked()
      const ended = rejection(call(controller.signal))
      const look = setInterval(() => {
        if (asked() > before) controller.abort(reason)
      }, 5)
      return ended.finally(() => clearInterval(look))
    }
    const iterate = async (signal: AbortSignal) => {
      for await (const _ of client.pages.listings.page(undefined, { signal }));
    }
    const outcomes = [
      await aborting((signal) => client.listings.count(undefined, { signal })),
      await aborting((signal) => client.stock.update({ payload: records }, { idempotencyKey: "k", signal })),
      await aborting((signal) => client.bulk.stock.update(records, { signal })),
      await aborting(iterate)
    ]
    deepStrictEqual(
      outcomes.map((one) => one === reason),
      [true, true, true, true]
    )
    // Each of them was ended by its signal, which the wire counts twice.
    strictEqual(wire.running(), -asked())
  })
})
