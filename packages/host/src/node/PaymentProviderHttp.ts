/** Adapter: the payment endpoint of the operator. Source: docs/reference/billing.md#payment-endpoint. */
import { type Outcome, PaymentProvider } from "@crossdock/billing"
import { Signature } from "@crossdock/notifications/node"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** The address of the payment endpoint, and the secret that signs requests to it. */
export interface Endpoint {
  readonly url: string
  /** The secret that signs each request: a text that begins with `whsec_`, followed by Base64. */
  readonly secret: Redacted.Redacted
}

const outcomeOf = Schema.decodeUnknownEffect(
  Schema.Struct({ outcome: Schema.Literals(["succeeded", "failed", "unknown"]) })
)

class Unclear extends Schema.TaggedError<Unclear>("@crossdock/host/node/PaymentProviderHttp/Unclear")("Unclear", {
  why: Schema.String
}) {}

const sent = (url: string, init: RequestInit) =>
  Effect.tryPromise({
    try: (signal) => fetch(url, { ...init, redirect: "manual", signal }),
    catch: () => new Unclear({ why: "it can't be reached" })
  })

const read = (response: Response): Effect.Effect<Outcome, Unclear> =>
  response.status === 200
    ? Effect.tryPromise(() => response.json()).pipe(
        Effect.flatMap(outcomeOf),
        Effect.map(({ outcome }) => outcome),
        Effect.mapError(() => new Unclear({ why: "its answer is no outcome" }))
      )
    : Effect.fail(new Unclear({ why: `it answered ${response.status}` }))

/** Makes an unclear answer the outcome "unknown". Billing asks for the outcome later, with the same key. */
const unknown = (key: string) => (error: Unclear) =>
  Effect.logWarning(`The payment endpoint didn't say the outcome of a payment: ${error.why}`).pipe(
    Effect.annotateLogs({ payment: key }),
    Effect.as("unknown" as const)
  )

const make = ({ secret, url }: Endpoint): PaymentProvider["Service"] => {
  const signed = (key: string, body: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const timestamp = Math.floor(now / 1000)
      return {
        "webhook-id": key,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": Signature.sign(Redacted.value(secret), key, timestamp, body)
      }
    })
  return {
    charge: ({ amount, companyId, currency, description, key }) =>
      Effect.gen(function* () {
        const body = JSON.stringify({ key, company_id: companyId, amount, currency, description })
        const headers = { ...(yield* signed(key, body)), "content-type": "application/json" }
        return yield* read(yield* sent(url, { method: "POST", headers, body }))
      }).pipe(Effect.catch(unknown(key))),
    ask: (key) =>
      Effect.gen(function* () {
        const response = yield* sent(`${url}/${encodeURIComponent(key)}`, { headers: yield* signed(key, "") })
        return response.status === 404 ? ("absent" as const) : yield* read(response)
      }).pipe(Effect.catch(unknown(key)))
  }
}

/** Charges invoices by requests to the payment endpoint. */
export const layer = (endpoint: Endpoint): Layer.Layer<PaymentProvider> =>
  Layer.succeed(PaymentProvider, make(endpoint))
