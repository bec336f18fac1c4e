/**
 * Port: somebody who moves money.
 */
import type { CompanyId } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * `key` names the payment: asking to charge twice with one key charges once.
 */
export interface PaymentRequest {
  readonly key: string
  readonly companyId: CompanyId
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly description: string
}

/**
 * `unknown`: nobody can say yet; ask again. `absent`: the provider never heard of it.
 */
export type Outcome = "succeeded" | "failed" | "unknown"

/**
 * Laws: a key is charged at most once, however often `charge` is called with it; `ask` never charges, and answers `absent`
 * only when a charge with that key has not happened and will not unless it is asked for again.
 */
export class PaymentProvider extends Context.Service<
  PaymentProvider,
  {
    readonly charge: (request: PaymentRequest) => Effect.Effect<Outcome>
    readonly ask: (key: string) => Effect.Effect<Outcome | "absent">
  }
>()("@crossdock/billing/PaymentProvider") {}
