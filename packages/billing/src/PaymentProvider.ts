import { type CompanyId, Eventual } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A payment to charge. Two requests with the same `key` charge only once. */
export interface PaymentRequest {
  readonly key: string
  readonly companyId: CompanyId
  /** The amount in minor units. */
  readonly amount: number
  readonly currency: string
  readonly description: string
}

/** The outcome of a payment. `unknown` means that the provider must be asked again. */
export type Outcome = "succeeded" | "failed" | "unknown"

const outcomes: ReadonlySet<unknown> = new Set(["succeeded", "failed", "unknown"])
const answers: ReadonlySet<unknown> = new Set([...outcomes, "absent"])

interface Provider {
  readonly charge: (request: PaymentRequest) => Effect.Effect<Outcome>
  readonly ask: (key: string) => Effect.Effect<Outcome | "absent">
}

/** Port: charges payments, each key at most once. `ask` never charges; `absent` means the key was never charged. */
export class PaymentProvider extends Context.Service<PaymentProvider, Provider>()(
  "@crossdock/billing/PaymentProvider"
) {
  /** A provider that charges nothing. Invoices remain open until the host has another provider. */
  static readonly none: Provider = { charge: () => Effect.succeed("unknown"), ask: () => Effect.succeed("absent") }

  /** Makes a provider from functions that return promises. A rejected promise or an unknown answer means `unknown`. */
  static readonly from = (own: {
    readonly charge: (request: PaymentRequest) => Promise<Outcome>
    readonly ask: (key: string) => Promise<Outcome | "absent">
  }): Layer.Layer<PaymentProvider> => {
    const asked = <A>(key: string, known: ReadonlySet<unknown>, call: () => Promise<A>) =>
      Eventual.of(call).pipe(
        Effect.tap((answer) => (known.has(answer) ? Effect.void : Effect.die(`It answered ${answer}`))),
        Effect.catchDefect((cause) =>
          Effect.as(Effect.logWarning("The payment provider didn't say an outcome", cause), "unknown" as const)
        ),
        Effect.annotateLogs({ payment: key })
      )
    return Layer.succeed(PaymentProvider, {
      charge: (request) => asked(request.key, outcomes, () => own.charge(request)),
      ask: (key) => asked(key, answers, () => own.ask(key))
    })
  }
}
