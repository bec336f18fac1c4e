/**
 * Receives the webhooks of all marketplaces and of an endpoint of events. It checks the promises to every receiver: a valid
 * signature, one sender at a time per key, no gap, and the right order. A key is a marketplace's channel of stock, or an
 * endpoint.
 */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { EventReceiver, ReceiverKit } from "@crossdock/notifications/node"
import { Result } from "effect"

export interface Receiver {
  readonly url: (key: string) => string
  /** The newest quantity that a marketplace has received, by `slug sku location`. */
  readonly stock: ReadonlyMap<string, number>
  /** The number of the last event that the endpoint received. */
  readonly lastEvent: () => number
  /** The numbers of webhooks, of their events, and of events that were repeated. */
  readonly counts: { readonly sent: number; readonly events: number; readonly repeated: number }
  /** The faults, as sentences. */
  readonly faults: ReadonlyArray<string>
  readonly close: () => void
}

/** The milliseconds that a receiver needs for a webhook. With this delay, two senders of one key overlap and are found. */
const work = 5

const events = EventReceiver.make([])

export const start = (secret: string): Promise<Receiver> => {
  const stock = new Map<string, number>()
  const sequences = new Map<string, number>()
  const numbers = new Map<string, number>()
  /** The received events of stock, by marketplace and id. */
  const seen = new Set<string>()
  const sending = new Set<string>()
  const counts = { sent: 0, repeated: 0, events: 0 }
  const faults: Array<string> = []
  let last = 0

  const takeStock = (slug: string, incoming: ReceiverKit.Incoming): number => {
    const keyOf = ({ location_id, sku }: ReceiverKit.StockEvent) => `${slug} ${sku} ${location_id}`
    const received = ReceiverKit.receive(incoming, {
      secrets: [secret],
      now: Date.now(),
      sequenceOf: (event) => sequences.get(keyOf(event)),
      numberOf: (channel) => numbers.get(channel)
    })
    if (Result.isFailure(received)) return received.failure.status
    const { channel, events: fresh, missing, number } = received.success
    if (missing > 0) faults.push(`${slug} missed ${missing} notifications before number ${number}`)
    for (const event of JSON.parse(incoming.body) as ReadonlyArray<ReceiverKit.StockEvent>) {
      const id = `${slug} ${event.event_id}`
      // If a host couldn't store that it had sent events, the events are sent again, by this host or another one.
      if (seen.has(id)) counts.repeated++
      else if (event.sequence <= (sequences.get(keyOf(event)) ?? 0))
        faults.push(`${slug} received ${keyOf(event)} out of order in number ${number}`)
      seen.add(id)
    }
    numbers.set(channel, number)
    counts.events += fresh.length
    for (const event of fresh) {
      sequences.set(keyOf(event), event.sequence)
      stock.set(keyOf(event), event.quantity)
    }
    return 204
  }

  const takeEvents = (incoming: ReceiverKit.Incoming): number => {
    const received = events(incoming, { secrets: [secret], now: Date.now() })
    if (Result.isFailure(received)) return received.failure.status
    for (const { number } of received.success.events) {
      if (number > last + 1) faults.push(`the endpoint received event ${number} after ${last}`)
      if (number > last) counts.events++
      else counts.repeated++
      last = Math.max(last, number)
    }
    return 204
  }

  const take = async (key: string, headers: IncomingHttpHeaders, body: string): Promise<number> => {
    if (sending.has(key)) faults.push(`${key} has two senders at once`)
    sending.add(key)
    const status = key === "events" ? takeEvents({ headers, body }) : takeStock(key, { headers, body })
    if (status !== 204) faults.push(`${key} received a webhook that is answered ${status}`)
    counts.sent++
    await new Promise((resolve) => setTimeout(resolve, work))
    sending.delete(key)
    return status
  }

  const server = createServer(async (request, response) => {
    let body = ""
    request.setEncoding("utf8")
    // The sender may be killed while it sends.
    try {
      for await (const chunk of request) body += chunk
    } catch {
      return
    }
    response.writeHead(await take((request.url ?? "").slice(1), request.headers, body)).end()
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: (key) => `http://127.0.0.1:${port}/${key}`,
        stock,
        lastEvent: () => last,
        counts,
        faults,
        close: () => {
          server.closeAllConnections()
          server.close()
        }
      })
    })
  })
}
