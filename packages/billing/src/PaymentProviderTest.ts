/** Adapter: a payment provider that moves no money, for sandboxes and tests. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { type Outcome, PaymentProvider, type PaymentRequest } from "./PaymentProvider.ts"

/** What the provider does. `lost`: requests never reach it. `unsaid`: it charges, but its answer is lost. */
export type Behaviour =
  | { readonly kind: "succeed" | "fail" | "lost" | "unsaid" }
  | { readonly kind: "slow"; readonly takes: Duration.Input }

/** Controls the provider in tests. */
export class PaymentSandbox extends Context.Service<
  PaymentSandbox,
  {
    readonly behave: (behaviour: Behaviour) => Effect.Effect<void>
    /** How often each key was charged. */
    readonly charged: Effect.Effect<ReadonlyMap<string, number>>
    readonly calls: Effect.Effect<number>
  }
>()("@crossdock/billing/PaymentSandbox") {}

interface Books {
  readonly outcomes: HashMap.HashMap<string, Outcome>
  readonly moved: HashMap.HashMap<string, number>
  readonly calls: number
}

/** Makes a `PaymentProvider` that moves no money, and the `PaymentSandbox` that controls it. */
export const make = Effect.gen(function* () {
  const books = yield* Ref.make<Books>({ outcomes: HashMap.empty(), moved: HashMap.empty(), calls: 0 })
  const behaviour = yield* Ref.make<Behaviour>({ kind: "succeed" })

  const book = ({ key }: PaymentRequest, outcome: Outcome) =>
    Ref.modify(books, (before) => {
      const known = HashMap.get(before.outcomes, key)
      if (Option.isSome(known)) return [known.value, before]
      const count = Option.getOrElse(HashMap.get(before.moved, key), () => 0)
      return [
        outcome,
        {
          ...before,
          outcomes: HashMap.set(before.outcomes, key, outcome),
          moved: outcome === "succeeded" ? HashMap.set(before.moved, key, count + 1) : before.moved
        }
      ]
    })

  const charge = (request: PaymentRequest): Effect.Effect<Outcome> =>
    Effect.gen(function* () {
      yield* Ref.update(books, (before) => ({ ...before, calls: before.calls + 1 }))
      const now = yield* Ref.get(behaviour)
      if (now.kind === "lost") return "unknown"
      const booked = book(request, now.kind === "fail" ? "failed" : "succeeded")
      if (now.kind === "unsaid") return yield* Effect.as(booked, "unknown" as const)
      return yield* now.kind === "slow" ? Effect.delay(booked, now.takes) : booked
    })

  const ask = (key: string) =>
    Effect.map(Ref.get(books), ({ outcomes }) => Option.getOrElse(HashMap.get(outcomes, key), () => "absent" as const))

  return Context.make(PaymentProvider, PaymentProvider.of({ charge, ask })).pipe(
    Context.add(
      PaymentSandbox,
      PaymentSandbox.of({
        behave: (next) => Ref.set(behaviour, next),
        charged: Effect.map(Ref.get(books), ({ moved }) => new Map(moved)),
        calls: Effect.map(Ref.get(books), ({ calls }) => calls)
      })
    )
  )
})

/** The services `PaymentProvider` and `PaymentSandbox`. Every payment succeeds immediately until `behave` is called. */
export const layer = Layer.effectContext(make)
