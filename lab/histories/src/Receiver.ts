/** The receiver of a marketplace. It keeps the latest quantity of each SKU at each of its codes. */
import * as Goods from "./Goods.ts"

interface Latest {
  readonly sequence: number
  readonly quantity: number
}

/** The moods of a receiver. A picky receiver rejects bodies that have one of the SKUs. */
export const moods = ["accepts", "rejects", "picky"] as const

/** A receiver, whose `mood` decides its answers. `bodies` has each event's content by id, which must never change. */
export interface Receiver {
  mood: (typeof moods)[number]
  readonly stock: Map<string, Latest>
  readonly bodies: Map<string, string>
}

export const make = (): Receiver => ({ mood: "accepts", stock: new Map(), bodies: new Map() })

export const keyOf = (code: string, sku: string): string => JSON.stringify([code, sku])

interface Event {
  readonly event_id: string
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
  readonly occurred_at: string
}

/** The status of the receiver's answer to a body. */
export const statusOf = ({ mood }: Receiver, body: string): number => {
  if (mood === "rejects") return 503
  const events: ReadonlyArray<Event> = JSON.parse(body)
  return mood === "picky" && events.some(({ sku }) => sku === Goods.skus[0]) ? 422 : 200
}

/** Receives the body of a notification and returns faults. Old events are ignored. */
export const take = (receiver: Receiver, body: string): ReadonlyArray<string> => {
  const events: ReadonlyArray<Event> = JSON.parse(body)
  const faults: Array<string> = []
  if (events.length === 0 || events.length > 500) faults.push(`a body of ${events.length} events`)
  for (const event of events) {
    const { event_id, location_id, occurred_at, quantity, sequence, sku } = event
    const said = JSON.stringify([location_id, sku, quantity, sequence, occurred_at])
    const before = receiver.bodies.get(event_id)
    if (before !== undefined && before !== said) faults.push(`event ${event_id} said ${before}, now ${said}`)
    receiver.bodies.set(event_id, said)
    const key = keyOf(location_id, sku)
    const known = receiver.stock.get(key)
    if (known === undefined || sequence > known.sequence) receiver.stock.set(key, { sequence, quantity })
  }
  return faults
}
