/** The laws of a payment provider, for ours for tests and one of plain functions. */
import { type Outcome, PaymentProvider, PaymentProviderTest, type PaymentRequest } from "@crossdock/billing"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Logger } from "effect"

const request = (key: string): PaymentRequest => ({
  key,
  companyId: CompanyId.make(1),
  amount: 100,
  currency: "INR",
  description: "Plan Pro"
})

/** A provider of plain functions, and its charges. */
const plain = (fails: (key: string) => boolean = () => false) => {
  const charged = new Map<string, number>()
  const answer = (key: string): "succeeded" | "absent" => (charged.has(key) ? "succeeded" : "absent")
  const provider = PaymentProvider.from({
    charge: async ({ amount, key }) => {
      if (fails(key)) throw new Error("The gateway is down")
      charged.set(key, charged.get(key) ?? amount)
      return "succeeded"
    },
    ask: async (key) => answer(key)
  })
  return { charged, provider }
}

const logged: Array<unknown> = []
const quiet = Logger.layer([Logger.make(({ message }) => logged.push(message))])

const on = <A>(provider: Layer.Layer<PaymentProvider>, work: (of: PaymentProvider["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(PaymentProvider, work).pipe(Effect.provide(Layer.merge(provider, quiet)))

for (const [name, provider] of [
  ["for tests", PaymentProviderTest.layer],
  ["of plain functions", plain().provider]
] as const) {
  describe(`A payment provider ${name}`, () => {
    it.effect("charges a key once, and says so", () =>
      on(provider, ({ ask, charge }) =>
        Effect.gen(function* () {
          for (const key of ["a", "b"]) {
            strictEqual(yield* ask(key), "absent")
            deepStrictEqual([yield* charge(request(key)), yield* charge(request(key))], ["succeeded", "succeeded"])
            strictEqual(yield* ask(key), "succeeded")
          }
        })
      )
    )
  })
}

describe("A payment provider of plain functions", () => {
  it.effect("doesn't know the outcome of a charge that throws, and says so in the log", () => {
    const { charged, provider } = plain((key) => key === "lost")
    return on(provider, ({ ask, charge }) =>
      Effect.gen(function* () {
        logged.length = 0
        strictEqual(yield* charge(request("lost")), "unknown")
        deepStrictEqual([yield* ask("lost"), charged.size], ["absent", 0])
        strictEqual(logged.length, 1)
      })
    )
  })

  it.effect("doesn't take another answer for an outcome", () => {
    const answer = (async () => "yes") as unknown as () => Promise<Outcome>
    return on(PaymentProvider.from({ charge: answer, ask: answer }), ({ ask, charge }) =>
      Effect.gen(function* () {
        deepStrictEqual([yield* charge(request("a")), yield* ask("a")], ["unknown", "unknown"])
      })
    )
  })
})
