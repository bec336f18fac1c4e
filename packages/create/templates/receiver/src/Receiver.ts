/**
 * Receives stock notifications. They may be repeated, late or out of order: the highest sequence of a SKU and location counts.
 */
import { createServer, type Server } from "node:http"
import { text } from "node:stream/consumers"
import { ReceiverKit } from "@crossdock/notifications/node"
import { Result } from "effect"

/** In place of a database. */
export interface Stock {
  readonly levels: Map<string, { readonly quantity: number; readonly sequence: number }>
  readonly numbers: Map<string, number>
}

export const emptyStock = (): Stock => ({ levels: new Map(), numbers: new Map() })

export const keyOf = ({ location_id, sku }: Pick<ReceiverKit.StockEvent, "location_id" | "sku">) =>
  `${sku} at ${location_id}`

export const make = (stock: Stock, secrets: ReadonlyArray<string>, log: (line: string) => void): Server =>
  createServer(async (request, response) => {
    const received = ReceiverKit.receive(
      { headers: request.headers, body: await text(request) },
      {
        secrets,
        now: Date.now(),
        sequenceOf: (event) => stock.levels.get(keyOf(event))?.sequence,
        numberOf: (channel) => stock.numbers.get(channel)
      }
    )
    if (Result.isFailure(received)) {
      const { reason, status } = received.failure
      response.writeHead(status).end(reason)
      return
    }
    const { channel, events, missing, number } = received.success
    for (const event of events) {
      stock.levels.set(keyOf(event), event)
      log(`${keyOf(event)}: ${event.quantity}`)
    }
    stock.numbers.set(channel, number)
    if (missing > 0) log(`${missing} notifications never came: ask the platform for a full reconcile`)
    response.end()
  })
