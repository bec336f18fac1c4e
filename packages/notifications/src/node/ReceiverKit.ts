/**
 * For those who implement a marketplace: what to do with a stock notification that came in.
 *
 * A notification is signed, may come twice, and may be older than what came before. Its events are absolute quantities, so
 * a receiver that keeps the highest sequence per SKU and location ends equal to the sender's stock, whatever was lost on
 * the way.
 */
import * as Result from "effect/Result"
import * as Signature from "./Signature.ts"

/**
 * Which channel a notification belongs to (a seller's company), and its number there, counted from 1. They are outside of
 * the signature and serve to find gaps alone: what is kept of stock never depends on them.
 */
export const channelHeader = "x-crossdock-channel"
export const numberHeader = "x-crossdock-number"

/**
 * One SKU at one of the marketplace's own locations: what can be sold now. Source: contract, Inventory webhook.
 */
export interface StockEvent {
  readonly event_id: string
  readonly type: "inventory.updated"
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
  readonly occurred_at: string
}

/**
 * As it came: header names in lower case, the body's exact text.
 */
export interface Incoming {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/**
 * What the receiver knows: its secrets (two while one is being replaced), the time in epoch milliseconds, the highest
 * sequence that it has kept of a SKU at a location, and the last number of a channel, both undefined at first.
 */
export interface Known {
  readonly secrets: ReadonlyArray<string>
  readonly now: number
  readonly sequenceOf: (event: StockEvent) => number | undefined
  readonly numberOf: (channel: string) => number | undefined
}

/**
 * `events` are to be kept, each with its sequence; `old` were passed over, being older than what is kept or the same.
 * `missing` counts notifications that never came: ask the sender for a full reconcile when it is not 0. Keep `number` as
 * the channel's last one.
 */
export interface Received {
  readonly events: ReadonlyArray<StockEvent>
  readonly old: number
  readonly channel: string
  readonly number: number
  readonly missing: number
}

/**
 * Answer with `status`. Nothing of the notification may be used.
 */
export interface Rejected {
  readonly status: 400 | 401
  readonly reason: string
}

const texts = ["event_id", "sku", "location_id", "occurred_at"]
const wholes = ["quantity", "sequence"]

const isEvent = (value: unknown): value is StockEvent => {
  if (typeof value !== "object" || value === null) return false
  const fields: Readonly<Record<string, unknown>> = { ...value }
  return (
    fields.type === "inventory.updated" &&
    texts.every((name) => typeof fields[name] === "string") &&
    wholes.every((name) => Number.isSafeInteger(fields[name]))
  )
}

const eventsOf = (body: string): ReadonlyArray<StockEvent> | undefined => {
  try {
    const parsed: unknown = JSON.parse(body)
    return Array.isArray(parsed) && parsed.every(isEvent) ? parsed : undefined
  } catch {
    return undefined
  }
}

const text = (header: Incoming["headers"][string]): string => (typeof header === "string" ? header : "")

/**
 * Checks the signature and the time, drops what is old or was seen before, and finds gaps.
 */
export const receive = ({ body, headers }: Incoming, known: Known): Result.Result<Received, Rejected> => {
  const now = Math.floor(known.now / 1000)
  if (!known.secrets.some((secret) => Signature.matches(secret, headers, body, now))) {
    return Result.fail({ status: 401, reason: "The signature is wrong or too old" })
  }
  const all = eventsOf(body)
  if (all === undefined) return Result.fail({ status: 400, reason: "The body is no list of stock events" })
  const channel = text(headers[channelHeader])
  const stated = Number(text(headers[numberHeader]))
  const last = known.numberOf(channel) ?? 0
  const number = Number.isSafeInteger(stated) ? stated : last
  const newest = new Map<string, StockEvent>()
  for (const event of all) {
    const key = JSON.stringify([event.sku, event.location_id])
    if (event.sequence > (newest.get(key)?.sequence ?? known.sequenceOf(event) ?? 0)) newest.set(key, event)
  }
  return Result.succeed({
    events: [...newest.values()],
    old: all.length - newest.size,
    channel,
    number: Math.max(last, number),
    missing: Math.max(0, number - last - 1)
  })
}
