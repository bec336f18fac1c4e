/** `crossdock plan`: the plans for companies. */
import { BillingStore, type Plan, type PlanLimits } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import { Clock, Effect, Schema } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure, found } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TextFile from "../TextFile.ts"

const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(300))
const limit = Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1))

const Limits = Schema.Struct({
  application: Schema.Struct({ enabled: Schema.Boolean, hardLimit: limit, softLimit: limit }),
  marketplace: Schema.Struct({ enabled: Schema.Boolean }),
  otherPlatform: Schema.Struct({ enabled: Schema.Boolean }),
  team: Schema.Struct({ limit }),
  products: Schema.Struct({ bulk: Schema.Boolean, limit }),
  extensions: Schema.Struct({ enabled: Schema.Boolean, limit }),
  integrations: Schema.Struct({ enabled: Schema.Boolean, limit })
})

const unlimited: PlanLimits = {
  application: { enabled: true, hardLimit: -1, softLimit: -1 },
  marketplace: { enabled: true },
  otherPlatform: { enabled: true },
  team: { limit: -1 },
  products: { bulk: true, limit: -1 },
  extensions: { enabled: true, limit: -1 },
  integrations: { enabled: true, limit: -1 }
}

/** `price` is a decimal amount of the currency, for one interval. */
const PlanFile = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)),
  name: text,
  description: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
  price: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  currency: Schema.String,
  interval: Schema.Literals(["month", "year"]),
  trialDays: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3650 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(0))
  ),
  productSuite: Schema.NullOr(text).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  limits: Limits.pipe(Schema.withDecodingDefaultKey(Effect.succeed(unlimited)))
})

const minorUnits = (price: number, currency: string) =>
  Effect.mapError(
    Effect.fromResult(Money.fromNumber(price, currency)),
    ({ message }) => new CommandFailure(`/price: ${message}`)
  )

/** The place of a fault in the file, which has one plan. */
const placeOf = (path: string): string => (path === "/0/amount" ? "/price" : path.replace(/^\/0/, ""))

const put = (plan: Plan) =>
  Effect.flatMap(BillingStore, (store) => store.putPlans([plan])).pipe(
    Effect.catchTag("BillingRejected", ({ violations }) => {
      const faults = violations.map(({ message, path }) => `${placeOf(path)}: ${message}`)
      return new CommandFailure(faults.join("\n"))
    })
  )

const find = (id: string) =>
  Effect.flatMap(BillingStore, (store) => store.plan(id)).pipe(
    Effect.flatMap((plan) => found(plan, `plan ${JSON.stringify(id)}`, "plan list"))
  )

const add = define({
  name: "add",
  does: "Adds or changes a plan from a file. Subscribers pay a new price from their next period on. A plan keeps its currency and interval, and a withdrawn one stays withdrawn.",
  examples: ["plan add pro.json"],
  options: {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "the plan, as JSON: `id`, `name`, `price` (a number of the currency, for one interval), `currency` and `interval` (`month` or `year`); optionally `description`, `trialDays`, `productSuite` and `limits`, named as in `plan list --json`, where -1 is no limit (default: no limits). - is standard input"
      )
    )
  },
  *run({ file }) {
    const { price, ...given } = yield* TextFile.readAs(file, PlanFile, "a plan")
    const amount = yield* minorUnits(price, given.currency)
    const [store, now] = [yield* BillingStore, yield* Clock.currentTimeMillis]
    const { createdAt, isActive } = (yield* store.plan(given.id)) ?? { createdAt: now, isActive: true }
    const plan: Plan = { ...given, amount, isActive, createdAt, modifiedAt: now }
    yield* put(plan)
    const every = `${Money.toText(amount, plan.currency)} ${plan.currency} a ${plan.interval}`
    return Answer.sentence(`Plan ${plan.id} costs ${every}.`, plan)
  }
})

const list = define({
  name: "list",
  does: "Lists all plans.",
  examples: ["plan list"],
  options: {},
  *run() {
    const plans = (yield* (yield* BillingStore).plans).map((plan) => ({
      ...plan,
      price: Money.toText(plan.amount, plan.currency)
    }))
    return Answer.table(plans, ["id", "name", "price", "currency", "interval", "trialDays", "isActive"])
  }
})

const enabling = (isActive: boolean) =>
  define({
    name: isActive ? "enable" : "disable",
    does: isActive ? "Offers a plan again." : "Withdraws a plan. Existing subscribers keep it.",
    examples: [`plan ${isActive ? "enable" : "disable"} pro`],
    options: { id: Argument.String("id").pipe(Argument.withDescription("the plan's id")) },
    *run({ id }) {
      const plan = { ...(yield* find(id)), isActive, modifiedAt: yield* Clock.currentTimeMillis }
      yield* put(plan)
      return Answer.sentence(`Plan ${id} is ${isActive ? "offered" : "withdrawn"}.`, plan)
    }
  })

export const command = CommandLine.group("plan", "Plans that companies can subscribe to.", [
  add,
  list,
  enabling(false),
  enabling(true)
])
