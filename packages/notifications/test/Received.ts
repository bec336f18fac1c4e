/**
 * What receivers in tests of the worker received.
 */
import { NotificationStore } from "@crossdock/notifications"
import { Effect } from "effect"
import * as Hosts from "./Hosts.ts"
import * as Receiver from "./Receiver.ts"

export interface StockEvent {
  readonly event_id: string
  readonly type: string
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
  readonly occurred_at: string
}

export const eventsOf = (one: Pick<Receiver.Received, "body">): ReadonlyArray<StockEvent> => JSON.parse(one.body)
export const idOf = ({ headers }: Receiver.Received): string => String(headers["webhook-id"])
export const [a = "", b = "", c = ""] = Hosts.skus
export const key = { marketplace: "bazaar", companyId: Hosts.company }

/**
 * A server that keeps every request and answers as `reply` says, which gets the number of the request, from 0.
 */
export const receiver = (reply: (n: number, one: Receiver.Received) => number | "hang") =>
  Effect.gen(function* () {
    const all: Array<Receiver.Received> = []
    const server = yield* Receiver.make((one) => {
      all.push(one)
      const status = reply(all.length - 1, one)
      if (status !== "hang") one.answer.writeHead(status).end()
    })
    return { ...server, all }
  })

export const accepting = receiver(() => 200)

export const channel = Effect.flatMap(NotificationStore, (store) => store.find(key))
