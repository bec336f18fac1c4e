/** `crossdock plan`: the plans to which companies can subscribe. */
import { type BillingRejected, BillingStore, PriceList } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import { Effect } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure, found } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TextFile from "../TextFile.ts"

/** The failure with all faults of a record, each on its own line. */
export const failed = ({ violations }: BillingRejected, placeOf = (path: string) => path) =>
  new CommandFailure(violations.map(({ message, path }) => `${placeOf(path)}: ${message}`).join("\n"))

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
        "the plan, as JSON; - is standard input. Required: `id`, `name`, `price` (for one interval), `currency` and `interval` (`month` or `year`). Optional: `description`, `trialDays`, `productSuite` and `limits`, as in `plan list --json`. A limit of -1 is unlimited. Without `limits`, all are unlimited"
      )
    },
    *run({ file }) {
      const given = yield* TextFile.readAs(file, PriceList.PlanInput, "a plan")
      const plan = yield* Effect.catchTag((yield* PriceList.make).addPlan(given), "BillingRejected", (error) =>
        failed(error)
      )
      const every = `${Money.toText(plan.amount, plan.currency)} ${plan.currency} a ${plan.interval}`
      return Answer.sentence(`Plan ${plan.id} costs ${every}.`, plan)
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
