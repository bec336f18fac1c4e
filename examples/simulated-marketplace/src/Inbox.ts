/** Receives stock notifications and keeps the newest stock of each SKU and location. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { ReceiverKit } from "@crossdock/notifications/node"
import { Result } from "effect"

export interface Inbox {
  readonly url: string
  /** The newest event of each SKU and location, by `sku location`. */
  readonly stock: ReadonlyMap<string, ReceiverKit.StockEvent>
  readonly counts: { notifications: number; events: number; old: number; missing: number; rejected: number }
  readonly close: () => void
}

export const open = (secret: string): Promise<Inbox> =>
  new Promise((resolve) => {
    const stock = new Map<string, ReceiverKit.StockEvent>()
    const numbers = new Map<string, number>()
    const counts = { notifications: 0, events: 0, old: 0, missing: 0, rejected: 0 }
    const take = (incoming: ReceiverKit.Incoming): number => {
      const received = ReceiverKit.receive(incoming, {
        secrets: [secret],
        now: Date.now(),
        sequenceOf: ({ location_id, sku }) => stock.get(`${sku} ${location_id}`)?.sequence,
        numberOf: (channel) => numbers.get(channel)
      })
      if (Result.isFailure(received)) {
        counts.rejected++
        return received.failure.status
      }
      const { channel, events, missing, number, old } = received.success
      for (const event of events) stock.set(`${event.sku} ${event.location_id}`, event)
      numbers.set(channel, number)
      counts.notifications++
      counts.events += events.length
      counts.old += old
      counts.missing += missing
      return 204
    }
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => response.writeHead(take({ headers: request.headers, body })).end())
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: `http://127.0.0.1:${port}/inventory`,
        stock,
        counts,
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      })
    })
  })
