/** The webhook of a marketplace. It checks signatures, and keeps the quantity with the highest sequence per level. */

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Signature } from "@crossdock/notifications/node"

export interface Receiver {
  readonly url: string
  /** The last quantity received, by `sku location`. */
  readonly stock: ReadonlyMap<string, number>
  readonly counts: { readonly events: number; readonly requests: number; readonly badSignatures: number }
  readonly close: () => void
}

interface Event {
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
}

export const start = (secret: string): Promise<Receiver> =>
  new Promise((resolve) => {
    const stock = new Map<string, number>()
    const sequences = new Map<string, number>()
    const counts = { events: 0, requests: 0, badSignatures: 0 }
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        counts.requests++
        if (!Signature.matches(secret, request.headers, body)) {
          counts.badSignatures++
          response.writeHead(401).end()
          return
        }
        for (const event of JSON.parse(body) as ReadonlyArray<Event>) {
          counts.events++
          const key = `${event.sku} ${event.location_id}`
          if (event.sequence <= (sequences.get(key) ?? 0)) continue
          sequences.set(key, event.sequence)
          stock.set(key, event.quantity)
        }
        response.writeHead(204).end()
      })
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
