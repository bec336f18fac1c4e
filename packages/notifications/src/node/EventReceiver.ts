/** Checks and reads the webhooks of a company's change feed. Source: docs/reference/events.md#receiving. */
import type { CompanyEvent } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { endpointHeader } from "../WebhookSender.ts"
import * as ReceiverKit from "./ReceiverKit.ts"

export { endpointHeader } from "../WebhookSender.ts"

/** A valid webhook for `endpoint`. Store `webhookId` in the transaction that handles `events`, and skip a stored id. */
export interface Received<Known extends CompanyEvent.AnyEventType> {
  readonly webhookId: string
  readonly endpoint: string
  readonly events: ReadonlyArray<CompanyEvent.CompanyEvent>
  /** Gives an event its type, or undefined if the type or version isn't known or `data` doesn't match the schema. */
  readonly known: (event: CompanyEvent.CompanyEvent) => CompanyEvent.EventOf<Known> | undefined
}

/** The types of events with the schemas of their data, such as `EventTypes.all` of host or `ShipmentFeed.types`. */
export type Typed = CompanyEvent.AnyEventType & { readonly data: Schema.Constraint }

const Whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Body = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      companyId: CompanyId,
      number: Whole,
      change: Whole,
      at: Schema.Int,
      type: Schema.String,
      version: Whole,
      data: Schema.Unknown
    })
  )
)

const decode = Schema.decodeUnknownOption(Body)

/**
 * Makes the function that checks a webhook and reads its events, including those not in `types`. It fails with 401 if
 * the signature is wrong or over 300 s old, and with 400 if the body isn't a list of events.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { StockFeed } from "@crossdock/inventory"
 * import { EventReceiver, Signature } from "@crossdock/notifications/node"
 * import { Result } from "effect"
 *
 * const receive = EventReceiver.make(StockFeed.types)
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * const event = { companyId: 7, number: 13, change: 5, at: 0, version: 1 }
 * const data = { ...StockFeed.types[0].example, sellable: 8 }
 * const body = JSON.stringify([{ ...event, type: "stock.changed", data }, { ...event, number: 14, type: "x.y", data: {} }])
 * const [now, timestamp] = [Date.UTC(2026, 0, 31), Date.UTC(2026, 0, 31) / 1000]
 * const headers = {
 *   "webhook-id": "msg_1",
 *   "webhook-timestamp": `${timestamp}`,
 *   "webhook-signature": Signature.sign(secret, "msg_1", timestamp, body),
 *   "x-crossdock-endpoint": "erp"
 * }
 * const { endpoint, events, known, webhookId } = Result.getOrThrow(receive({ headers, body }, { secrets: [secret], now }))
 * deepStrictEqual([webhookId, endpoint, events.map(({ number }) => number)], ["msg_1", "erp", [13, 14]])
 * deepStrictEqual(events.map((one) => known(one)?.data.sellable), [8, undefined])
 * ```
 */
export const make = <const Known extends Typed>(types: ReadonlyArray<Known>) => {
  const fits = new Map(types.map(({ data, type, version }) => [`${type} ${version}`, Schema.is(data)]))
  const known = (event: CompanyEvent.CompanyEvent) =>
    fits.get(`${event.type} ${event.version}`)?.(event.data)
      ? // The schema of the event's type and version has just accepted its data.
        (event as unknown as CompanyEvent.EventOf<Known>)
      : undefined

  return (
    incoming: ReceiverKit.Incoming,
    { now, secrets }: { readonly secrets: ReadonlyArray<string>; readonly now: number }
  ): Result.Result<Received<Known>, ReceiverKit.Rejected> =>
    Result.flatMap(ReceiverKit.verify(incoming, { now, secrets }), ({ body, headers }) =>
      Option.match(decode(body), {
        onNone: () => Result.fail({ status: 400, reason: "The body is not a list of events" }),
        onSome: (events) =>
          Result.succeed({
            webhookId: String(headers["webhook-id"]),
            endpoint: String(headers[endpointHeader] ?? ""),
            events,
            known
          })
      })
    )
}
