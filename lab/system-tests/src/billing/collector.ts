/**
 * A host that is killed during a payment: `collector DATABASE_URL BOOKS before|during|after|never`.
 * The provider charges on every request and writes a line into BOOKS, so a repeated line is a payment that was charged twice.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { BillingPolicy, BillingRun, PaymentProvider } from "@crossdock/billing"
import { Effect, Layer } from "effect"
import { services } from "./Ground.ts"

const [, , url = "", books = "", phase = "never"] = process.argv
let left = phase === "never" ? Number.POSITIVE_INFINITY : 1 + Math.floor(Math.random() * 3)

const die = (when: string) =>
  Effect.sync(() => {
    if (phase === when && left <= 0) process.kill(process.pid, "SIGKILL")
  })

const known = (key: string) => readFileSync(books, "utf8").split("\n").includes(key)

const provider = PaymentProvider.of({
  charge: ({ key }) =>
    Effect.gen(function* () {
      left--
      yield* die("before")
      yield* Effect.sleep("1 millis")
      appendFileSync(books, `${key}\n`)
      yield* die("during")
      if (phase === "after" && left <= 0) setImmediate(() => process.kill(process.pid, "SIGKILL"))
      return "succeeded" as const
    }),
  ask: (key) => Effect.sync(() => (known(key) ? ("succeeded" as const) : ("absent" as const)))
})

const policy = Layer.succeed(BillingPolicy, {
  seller: { name: "", addressLines: [], taxNumber: null, bank: null },
  tax: null,
  retryAfterMillis: [],
  answerMillis: 200
})

await Effect.runPromise(
  Effect.gen(function* () {
    const { collect } = yield* BillingRun.BillingRun
    // Payments that a killed host has claimed are collected once its claim expires.
    for (let idle = 0; idle < 5; ) {
      idle = (yield* collect) === 0 ? idle + 1 : 0
      if (idle > 0) yield* Effect.sleep("60 millis")
    }
  }).pipe(Effect.provide(services(url, Layer.succeed(PaymentProvider, provider)).pipe(Layer.provide(policy))))
)
process.exit(0)
