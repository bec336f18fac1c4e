/** `crossdock coupon`: discounts on plans. */
import { BillingStore, type Coupon, PriceList } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure, found } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import { failed } from "./Plan.ts"

const code = Argument.String("code").pipe(
  Argument.filter(PriceList.isCode, () => "a code of 1 to 100 characters without spaces"),
  Argument.withDescription("the code that customers enter")
)

const date = (name: string, description: string) =>
  CommandLine.orNull(
    Flag.filter(CommandLine.text(name, description), PriceList.isDate, () => "a date, such as 2030-01-31T18:30:00Z")
  )

const reductionText = (reduction: Coupon.Reduction): string =>
  reduction.kind === "percent"
    ? `${reduction.hundredths / 100} %`
    : `${Money.toText(reduction.amount, reduction.currency)} ${reduction.currency}`

export const command = CommandLine.group("coupon", "Coupons, which reduce the price of plans.", [
  define({
    name: "add",
    does: "Adds or changes a coupon. Its uses so far still count.",
    examples: [
      "coupon add NIGHT10 --percent 10 --plans pro --until 2030-01-01",
      "coupon add NIGHT50 --amount 50 --currency INR --uses 100"
    ],
    options: {
      code,
      percent: Flag.Finite("percent").pipe(
        Flag.filter(PriceList.isPercent, () => "above 0, at most 100, and of at most two decimals"),
        Flag.withDescription("percentage off"),
        Flag.optional
      ),
      amount: Flag.Finite("amount").pipe(Flag.withDescription("amount of money off"), Flag.optional),
      currency: CommandLine.optional("currency", "the currency of --amount, an ISO 4217 code"),
      plans: CommandLine.list("plans", "the coupon's plans, comma-separated (default: all)"),
      from: date("from", "its start, such as 2030-01-31 or 2030-01-31T18:30:00Z (default: now)"),
      until: date("until", "its end, exclusive (default: never)"),
      uses: CommandLine.orNull(CommandLine.whole("uses", "how often it can be used (default: unlimited)", 1))
    },
    *run({ amount, percent, ...given }) {
      const { addCoupon, plans } = yield* PriceList.make
      const known = (yield* plans).map(({ id }) => id)
      const unknown = given.plans?.find((id) => !known.includes(id))
      if (unknown !== undefined) yield* found(undefined, `plan ${JSON.stringify(unknown)}`, "plan list")
      const off = { percent: Option.getOrNull(percent), amount: Option.getOrNull(amount) }
      if ((off.percent === null) === (off.amount === null || given.currency === null || off.amount <= 0))
        yield* new CommandFailure("Give either --percent, or --amount above 0 and its --currency")
      const coupon = yield* Effect.catchTag(addCoupon({ ...given, ...off }), "BillingRejected", (error) =>
        failed(error, (path) => path.replace("/", "--"))
      )
      return Answer.sentence(`Coupon ${coupon.code} takes ${reductionText(coupon.reduction)} off.`, coupon)
    }
  }),
  define({
    name: "list",
    does: "Lists all coupons, and how often each was used.",
    examples: ["coupon list"],
    *run() {
      const coupons = (yield* (yield* BillingStore).coupons).map(({ coupon, used }) => ({ ...coupon, used }))
      const shown = coupons.map(({ endsAt, reduction, startsAt, ...rest }) => ({
        ...rest,
        reduction: reductionText(reduction),
        from: Answer.time(startsAt),
        until: Answer.time(endsAt)
      }))
      const columns = ["code", "reduction", "plans", "from", "until", "used", "maxUses"] as const
      return Answer.table(shown, columns, coupons)
    }
  }),
  define({
    name: "disable",
    does: "Ends a coupon now.",
    examples: ["coupon disable NIGHT50"],
    options: { code },
    *run({ code }) {
      const unknown = () => found(undefined, `coupon ${JSON.stringify(code)}`, "coupon list")
      const coupon = yield* Effect.catchTag((yield* PriceList.make).endCoupon(code), "BillingNotFound", unknown)
      return Answer.sentence(`Coupon ${code} has ended.`, coupon)
    }
  })
])
