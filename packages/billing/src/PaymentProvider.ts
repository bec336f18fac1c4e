/** Port: a payment provider. */
import type { CompanyId } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** A payment to charge. Two requests with the same `key` charge once. */
export interface PaymentRequest {
  readonly key: string
  readonly companyId: CompanyId
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly description: string
}

/** The outcome of a payment; `unknown` means that the provider must be asked again. */
export type Outcome = "succeeded" | "failed" | "unknown"

interface Provider {
  readonly charge: (request: PaymentRequest) => Effect.Effect<Outcome>
  readonly ask: (key: string) => Effect.Effect<Outcome | "absent">
}

/**
 * Laws: a key is charged at most once, however often `charge` is called with it. `ask` never charges. It answers `absent`
 * only if nothing was charged with the key, and nothing will be without another `charge`.
 */
export class PaymentProvider extends Context.Service<PaymentProvider, Provider>()(
  "@crossdock/billing/PaymentProvider"
) {
  /** Charges nothing: invoices stay open until the host has another provider. */
  static readonly none: Provider = { charge: () => Effect.succeed("unknown"), ask: () => Effect.succeed("absent") }
}
