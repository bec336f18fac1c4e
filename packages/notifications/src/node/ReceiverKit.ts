/** Checks and reads stock notifications. A SKU's current stock is the quantity with the highest sequence. */
import * as Result from "effect/Result"
import { channelHeader, numberHeader } from "../WebhookSender.ts"
import * as Signature from "./Signature.ts"

export { channelHeader, numberHeader } from "../WebhookSender.ts"

/** The sellable quantity of a SKU at a location of the marketplace. Source: docs/reference/notifications.md#events. */
export interface StockEvent {
  readonly event_id: string
  readonly type: "inventory.updated"
  readonly sku: string
  readonly location_id: string
  readonly quantity: number
  readonly sequence: number
  readonly occurred_at: string
}

/** A request as it was received. The names of headers must be in lower case, and the body must be the exact text. */
export interface Incoming {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** The data that the receiver has stored. There are two secrets while one is replaced. `now` is in epoch milliseconds. */
export interface Known {
  readonly secrets: ReadonlyArray<string>
  readonly now: number
  readonly sequenceOf: (event: StockEvent) => number | undefined
  readonly numberOf: (channel: string) => number | undefined
}

/**
 * A valid notification. Store `events` with their sequences, and store `number`. `old` is the number of dropped events.
 * `missing` is the number of missing notifications. If there are any, reconcile.
 */
export interface Received {
  readonly events: ReadonlyArray<StockEvent>
  readonly old: number
  readonly channel: string
  readonly number: number
  readonly missing: number
}

/** An invalid notification. Answer it with `status`, and ignore its content. */
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

/** The request if one of the secrets signed it within 300 s of `now` (epoch milliseconds), and otherwise the rejection. */
export const verify = (
  incoming: Incoming,
  { now, secrets }: Pick<Known, "secrets" | "now">
): Result.Result<Incoming, Rejected> => {
  const seconds = Math.floor(now / 1000)
  const isSigned = secrets.some((secret) => Signature.matches(secret, incoming.headers, incoming.body, seconds))
  return isSigned ? Result.succeed(incoming) : Result.fail({ status: 401, reason: "The signature is wrong or too old" })
}

const text = (header: Incoming["headers"][string]): string => (typeof header === "string" ? header : "")

/**
 * Checks a notification, drops old and repeated events, and finds gaps. Fails with 401 if the signature is wrong or over
 * 300 s old, and with 400 if the body isn't a list of events.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReceiverKit, Signature } from "@crossdock/notifications/node"
 * import { Result } from "effect"
 *
 * const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
 * const event = { event_id: "e1", type: "inventory.updated", sku: "SKU-1", location_id: "B-1", quantity: 7, sequence: 102 }
 * const body = JSON.stringify([{ ...event, occurred_at: "2026-01-31T00:00:00.000Z" }])
 * const [now, timestamp] = [Date.UTC(2026, 0, 31), Date.UTC(2026, 0, 31) / 1000]
 * const signed = { "webhook-id": "msg_1", "webhook-timestamp": `${timestamp}` }
 * const signature = Signature.sign(secret, "msg_1", timestamp, body)
 * const headers = { ...signed, "webhook-signature": signature, "x-crossdock-channel": "7", "x-crossdock-number": "5" }
 * const stored = { sequenceOf: () => 102, numberOf: () => 2 }
 * const received = Result.getOrThrow(ReceiverKit.receive({ headers, body }, { secrets: [secret], now, ...stored }))
 * deepStrictEqual(received, { events: [], old: 1, channel: "7", number: 5, missing: 2 })
 * ```
 */
export const receive = ({ body, headers }: Incoming, known: Known): Result.Result<Received, Rejected> => {
  const verified = verify({ body, headers }, known)
  if (Result.isFailure(verified)) return Result.fail(verified.failure)
  const all = eventsOf(body)
  if (all === undefined) return Result.fail({ status: 400, reason: "The body is not a list of stock events" })
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
