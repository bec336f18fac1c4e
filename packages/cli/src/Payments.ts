/** The payment provider of the host: the endpoint of `PAYMENTS`, the test provider, or none. */
import { Directory } from "@crossdock/access"
import { PaymentProvider, PaymentProviderTest } from "@crossdock/billing"
import { PaymentProviderHttp } from "@crossdock/host/node"
import { Effect, Layer, Option } from "effect"
import { type Finding, fault, ok } from "./doctor/Finding.ts"
import { isSandbox, type Settings } from "./Settings.ts"
import * as Storage from "./Storage.ts"

const chosen = (settings: Settings, hasOwnIntegrations: boolean) =>
  Option.getOrElse(settings.payments, () => (isSandbox(settings, hasOwnIntegrations) ? "test" : "none"))

/** Provides the payment provider. By default it is the test provider if the host loads the sandbox, else none. */
export const layer = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const directory = yield* Directory
      const payments = chosen(settings, yield* Storage.withoutTimeout(directory.hasOwnIntegrations))
      if (payments === "test") return PaymentProviderTest.layer
      return payments === "none"
        ? Layer.succeed(PaymentProvider, PaymentProvider.none)
        : PaymentProviderHttp.layer(payments)
    })
  )

/** The provider's name: the endpoint's host, `test` or `none`. */
export const nameOf = (settings: Settings, hasOwnIntegrations: boolean): string => {
  const payments = chosen(settings, hasOwnIntegrations)
  return typeof payments === "string" ? payments : new URL(payments.url).host
}

const says: Readonly<Record<string, string>> = {
  none: "invoices are not charged, and stay open",
  test: "the test provider: invoices become paid without a charge"
}

/** What `crossdock doctor` and the host's log at its start say about the payment provider. */
export const finding = (settings: Settings, hasOwnIntegrations: boolean): Finding => {
  const name = nameOf(settings, hasOwnIntegrations)
  const found = says[name] ?? `charged by ${name}`
  return name === "test" && !isSandbox(settings, hasOwnIntegrations)
    ? fault("payments", found, "set PAYMENTS to the address of your payment endpoint, or to none")
    : ok("payments", found)
}

/** Logs the finding if it isn't ok. */
export const announced = (settings: Settings, hasOwnIntegrations: boolean) => {
  const { says, state, todo } = finding(settings, hasOwnIntegrations)
  return state === "ok" ? Effect.void : Effect.logWarning(`Payments: ${says}. To do: ${todo}`)
}
