import { deepStrictEqual } from "node:assert/strict"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { after, before, test } from "node:test"
import { Webhook } from "standardwebhooks"
import { emptyStock, make } from "../src/Receiver.ts"

const secret = `whsec_${Buffer.from("a secret of thirty-two characters").toString("base64")}`
const stock = emptyStock()
const receiver = make(stock, [secret], () => {})
let url: string

before(async () => {
  receiver.listen(0, "127.0.0.1")
  await once(receiver, "listening")
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

after(() => receiver.close())

const notify = async (number: number, quantity: number, sequence: number, signedWith = secret) => {
  const event = {
    event_id: `e${sequence}`,
    type: "inventory.updated",
    sku: "85123A",
    location_id: "BLR1",
    quantity,
    sequence
  }
  const body = JSON.stringify([{ ...event, occurred_at: new Date().toISOString() }])
  const [id, now] = [`msg_${number}`, new Date()]
  const answer = await fetch(url, {
    method: "POST",
    body,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(signedWith).sign(id, now, body),
      "x-crossdock-channel": "1",
      "x-crossdock-number": String(number)
    }
  })
  return [answer.status, stock.levels.get("85123A at BLR1")?.quantity]
}

test("the newest quantity counts, and a forged notification is rejected", async () => {
  deepStrictEqual(await notify(1, 100, 1), [200, 100])
  deepStrictEqual(await notify(3, 98, 3), [200, 98])
  deepStrictEqual(await notify(2, 99, 2), [200, 98])
  deepStrictEqual(await notify(3, 98, 3), [200, 98])
  const forged = `whsec_${Buffer.from("another secret of thirty characters").toString("base64")}`
  deepStrictEqual(await notify(4, 0, 4, forged), [401, 98])
})
