/** `crossdock plan`: the plans to which companies can subscribe. */
import { BillingStore, PriceList } from "@crossdock/billing"
import { Money, Transaction, type Violation } from "@crossdock/kernel"
import { Array as Arr, Effect, Result, Schema } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure, found } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TextFile from "../TextFile.ts"

/** The failure with all faults of a record, each on its own line. */
export const failed = (
  { violations }: { readonly violations: ReadonlyArray<Pick<Violation, "message" | "path">> },
  placeOf = (path: string) => path
) => new CommandFailure(violations.map(({ message, path }) => `${placeOf(path)}: ${message}`).join("\n"))

/** A record of `plan list --json`, with fields that `plan add` doesn't set. */
const isListed = Schema.is(
  Schema.Struct({
    amount: Schema.Int,
    createdAt: Schema.Int,
    isActive: Schema.Boolean,
    modifiedAt: Schema.Int,
    price: Schema.String
  })
)

const decode = TextFile.decodeValue(PriceList.PlanInput, "a plan")

/** The plans in a file, which has one plan, or a list like `plan list --json`, whose price is a text. */
const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* TextFile.read(file)
  const content = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new CommandFailure("The file is not valid JSON")
  })
  const isList = Array.isArray(content)
  const records: ReadonlyArray<unknown> = isList ? content : [content]
  const decoded = records.map((one) => {
    if (!isListed(one)) return Result.map(decode(one), (plan) => ({ plan, isWithdrawn: false }))
    const { amount: _amount, createdAt: _createdAt, isActive, modifiedAt: _modifiedAt, price, ...rest } = one
    return Result.map(decode({ ...rest, price: Number(price) }), (plan) => ({ plan, isWithdrawn: !isActive }))
  })
  const faults = decoded.flatMap((one, at) =>
    Result.isFailure(one)
      ? one.failure.map((fault) => ({ ...fault, path: `${isList ? `/${at}` : ""}${fault.path}` }))
      : []
  )
  if (faults.some(({ path }) => path === "")) return yield* new CommandFailure("The file must contain a JSON object")
  return faults.length > 0 ? yield* failed({ violations: faults }) : Arr.getSuccesses(decoded)
})

const enabling = (isActive: boolean) =>
  define({
    name: isActive ? "enable" : "disable",
    does: isActive ? "Offers a plan again." : "Withdraws a plan. Existing subscribers keep it.",
    examples: [`plan ${isActive ? "enable" : "disable"} pro`],
    options: { id: CommandLine.argument("id", "the plan's id") },
    *run({ id }) {
      const { setActive } = yield* PriceList.make
      const unknown = () => found(undefined, `plan ${JSON.stringify(id)}`, "plan list")
      const plan = yield* Effect.catchTag(setActive(id, isActive), "BillingNotFound", unknown)
      return Answer.sentence(`Plan ${id} is ${isActive ? "offered" : "withdrawn"}.`, plan)
    }
  })

export const command = CommandLine.group("plan", "Plans that companies can subscribe to.", [
  define({
    name: "add",
    does: "Adds or changes a plan from a file. Subscribers pay a new price from their next period on. A plan's currency and interval can't change, and a withdrawn plan stays withdrawn.",
    examples: ["plan add pro.json"],
    options: {
      file: CommandLine.argument(
        "file",
        "the plan, or the list that `plan list --json` prints, as JSON; - is standard input. Required: `id`, `name`, `price` (for one interval), `currency` and `interval` (`month` or `year`). Optional: `description`, `trialDays`, `productSuite` and `limits`, as in `plan list --json`. A limit of -1 is unlimited. Without `limits`, all are unlimited"
      )
    },
    *run({ file }) {
      const [all, { addPlan, setActive }] = [yield* read(file), yield* PriceList.make]
      const adding = Effect.forEach(all, ({ isWithdrawn, plan }) =>
        Effect.flatMap(addPlan(plan), (added) => (isWithdrawn ? setActive(added.id, false) : Effect.succeed(added)))
      )
      const work = (yield* Transaction.Transaction).run(adding)
      const plans = yield* Effect.catchTag(work, "BillingRejected", (error) => failed(error))
      const costs = plans.map(
        (plan) =>
          `Plan ${plan.id} costs ${Money.toText(plan.amount, plan.currency)} ${plan.currency} a ${plan.interval}.`
      )
      return Answer.sentence(costs.join("\n"), plans.length === 1 ? plans[0] : plans)
    }
  }),
  define({
    name: "list",
    does: "Lists all plans.",
    examples: ["plan list"],
    *run() {
      const plans = (yield* (yield* BillingStore).plans).map((plan) => ({
        ...plan,
        price: Money.toText(plan.amount, plan.currency)
      }))
      return Answer.table(plans, ["id", "name", "price", "currency", "interval", "trialDays", "isActive"])
    }
  }),
  enabling(false),
  enabling(true)
])
