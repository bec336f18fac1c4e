import {
  Agreement,
  AgreementLifecycle,
  AgreementReplacement,
  BillingCycle,
  BillingPeriod,
  Coupon,
  entitlementOf,
  Invoice,
  nothingAllowed
} from "@crossdock/billing"
import { Instant, Money } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Option } from "effect"
import * as FastCheck from "fast-check"
import { line, oneTime, pending, start, usage } from "./Fixtures.ts"

const { dayMillis } = Instant

const accepted = (more: Partial<Agreement.Agreement> = {}): Agreement.Agreement => {
  const found = Agreement.accept(pending(more), start)
  if (found === undefined) throw new Error("A pending one can be accepted")
  return found
}

const totals = (drafts: ReadonlyArray<Invoice.Draft>) => drafts.map(({ total }) => total)
const dates = (drafts: ReadonlyArray<Invoice.Draft>) =>
  drafts.map(({ period }) => new Date(period.start).toISOString().slice(0, 10))
const items = (draft: Invoice.Draft | undefined | null) => draft?.items.map(({ amount, type }) => [type, amount])

describe("The billing cycle", () => {
  it("bills each period once at its beginning, and catches up on those that passed", () => {
    const { agreement, drafts } = BillingCycle.catchUp(accepted(), start + 90 * dayMillis, null)
    deepStrictEqual(dates(drafts), ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"])
    deepStrictEqual(
      drafts.map(({ index }) => index),
      [0, 1, 2, 3]
    )
    deepStrictEqual(BillingCycle.catchUp(agreement, start + 90 * dayMillis, null).drafts, [])
  })

  it("bills nothing during a trial", () => {
    const trial = accepted({ trialDays: 14 })
    deepStrictEqual(BillingCycle.preview(trial, start + 14 * dayMillis - 1, null), [])
    deepStrictEqual(dates(BillingCycle.preview(trial, start + 14 * dayMillis, null)), ["2026-02-14"])
  })

  it("bills nothing of a test: not a line that is one, and no line of a charge that is one", () => {
    const testLines = [line(), { ...oneTime, isTest: true }, { ...usage, isTest: true }]
    const { agreement: begun } = BillingCycle.catchUp(accepted({ lines: testLines }), start, null)
    const partly = Agreement.addUsage(begun, "usage", 1_500, null)?.agreement ?? begun
    const { agreement, drafts } = BillingCycle.catchUp(partly, start + 30 * dayMillis, null)
    deepStrictEqual(drafts.map(items), [[["subscription", 30_000]]])
    const test = accepted({ isTest: true, lines: [line(), oneTime, usage] })
    const { agreement: wholly, drafts: first } = BillingCycle.catchUp(test, start, null)
    deepStrictEqual(first, [])
    const used = Agreement.addUsage(wholly, "usage", 1_500, null)?.agreement ?? wholly
    deepStrictEqual(BillingCycle.preview(used, start + 90 * dayMillis, null), [])
    strictEqual(BillingCycle.final(used, start + dayMillis, null), null)
    // Its periods pass nevertheless.
    strictEqual(BillingCycle.catchUp(used, start + 30 * dayMillis, null).agreement.billed, agreement.billed)
  })

  it("bills one-time lines with the first period, usage after its period and never more than its cap", () => {
    const agreed = accepted({ lines: [line(), oneTime, usage] })
    const first = BillingCycle.catchUp(agreed, start, null)
    deepStrictEqual(items(first.drafts[0]), [
      ["subscription", 30_000],
      ["one_time", 5_000]
    ])
    const once = Agreement.addUsage(first.agreement, "usage", 1_500, null)
    strictEqual(once?.counted, 1_500)
    const twice = Agreement.addUsage(once?.agreement ?? agreed, "usage", 1_500, null)
    strictEqual(twice?.counted, 500)
    const second = BillingCycle.catchUp(twice?.agreement ?? agreed, start + 30 * dayMillis, null)
    deepStrictEqual(items(second.drafts[0]), [
      ["subscription", 30_000],
      ["usage", 2_000]
    ])
    const third = BillingCycle.catchUp(second.agreement, start + 60 * dayMillis, null)
    deepStrictEqual(items(third.drafts[0]), [["subscription", 30_000]])
    strictEqual(Agreement.addUsage(agreed, "recurring", 1, null), undefined)
    strictEqual(Agreement.addUsage(agreed, "usage", -1, null), undefined)
  })

  it("counts usage up to a sum that an invoice shows exactly with its tax, whatever is used of what", () => {
    const amount = FastCheck.oneof(
      FastCheck.integer({ min: 0, max: 10_000 }),
      FastCheck.integer({ min: Money.largestTotal - 100_000, max: Money.largestTotal }),
      FastCheck.constant(Number.MAX_SAFE_INTEGER)
    )
    const hundredths = FastCheck.constantFrom(0, 1, 500, 1_234, 1_800, 9_999)
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(FastCheck.constantFrom("usage", "more"), amount), { maxLength: 5 }),
        hundredths,
        (uses, hundredths) => {
          const tax = { name: "GST", hundredths }
          const lines = [line(), { ...usage, cap: null }, { ...usage, id: "more", cap: null }]
          const { agreement } = BillingCycle.catchUp(accepted({ lines }), start, tax)
          const used = uses.reduce(
            (one, [id, amount]) => Agreement.addUsage(one, id, amount, tax)?.agreement ?? one,
            agreement
          )
          const drafts = BillingCycle.preview(used, start + 30 * dayMillis, tax)
          return totals(drafts).every((total) => total <= Money.largestTotal)
        }
      )
    )
    const lines = [line(), { ...usage, cap: null }, { ...usage, id: "more", cap: null }]
    const { agreement } = BillingCycle.catchUp(accepted({ lines }), start, null)
    const first = Agreement.addUsage(agreement, "usage", Money.largestTotal - 40_000, null)
    const second = Agreement.addUsage(first?.agreement ?? agreement, "more", Number.MAX_SAFE_INTEGER, null)
    deepStrictEqual([first?.counted, second?.counted], [Money.largestTotal - 40_000, 10_000])
    const [next] = BillingCycle.catchUp(second?.agreement ?? agreement, start + 30 * dayMillis, null).drafts
    strictEqual(next?.total, Money.largestTotal)
    strictEqual(Agreement.addUsage(second?.agreement ?? agreement, "usage", 1, null)?.counted, 0)
  })

  it("charges nothing before the end of a trial: neither what is used in it, nor when it is cancelled in it", () => {
    const day = FastCheck.integer({ min: 0, max: 40 })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.tuple(day, FastCheck.nat(2_000)), { maxLength: 5 }),
        day,
        (uses, end) => {
          const trial = accepted({ lines: [line(), oneTime, usage], trialDays: 30 })
          const anchor = trial.anchor ?? start
          let present = trial
          let recorded = 0
          const drafts: Array<Invoice.Draft> = []
          for (const [after, amount] of uses.toSorted(([one], [other]) => one - other)) {
            const at = start + Math.min(after, end) * dayMillis
            const caught = BillingCycle.catchUp(present, at, null)
            drafts.push(...caught.drafts)
            const used = Agreement.addUsage(caught.agreement, "usage", amount, null)
            present = used?.agreement ?? caught.agreement
            if (at >= anchor) recorded += used?.counted ?? 0
          }
          const at = start + end * dayMillis
          const caught = BillingCycle.catchUp(present, at, null)
          const last = BillingCycle.final(caught.agreement, at, null)
          drafts.push(...caught.drafts, ...(last === null ? [] : [last]))
          const charged = Invoice.sum(totals(drafts))
          strictEqual(charged, at < anchor ? 0 : 35_000 + recorded)
        }
      )
    )
    // An earlier release counted usage in a trial.
    const counted = accepted({ lines: [line(), usage], trialDays: 30, usage: { usage: 700 } })
    strictEqual(BillingCycle.final(counted, start + dayMillis, null), null)
    deepStrictEqual(totals(BillingCycle.preview(counted, start + 30 * dayMillis, null)), [30_000])
  })

  it("says of each item of an invoice which period it is for: usage belongs to the one in which it was used", () => {
    const { agreement } = BillingCycle.catchUp(accepted({ lines: [line(), usage] }), start, null)
    const used = Agreement.addUsage(agreement, "usage", 70, null)?.agreement ?? agreement
    const [second] = BillingCycle.preview(used, start + 30 * dayMillis, { name: "GST", hundredths: 1_800 })
    const [first, next] = [0, 1].map((index) => BillingPeriod.periodOf(start, "month", index))
    deepStrictEqual(
      second?.items.map(({ period, type }) => [type, period]),
      [
        ["subscription", next],
        ["usage", first],
        ["tax", next]
      ]
    )
    const at = start + 10 * dayMillis
    deepStrictEqual(
      BillingCycle.final(used, at, null)?.items.map(({ period }) => period),
      [{ start, end: at }]
    )
  })

  it("subtracts a discount from the first period only, credit from as many periods as it lasts, and taxes the rest", () => {
    const agreed = accepted({ discount: { code: "TEN", amount: 3_000 }, credit: 40_000 })
    const drafts = BillingCycle.preview(agreed, start + 65 * dayMillis, { name: "GST", hundredths: 1800 })
    deepStrictEqual(drafts.map(items), [
      [
        ["subscription", 30_000],
        ["discount", -3_000],
        ["credit", -27_000]
      ],
      [
        ["subscription", 30_000],
        ["credit", -13_000],
        ["tax", 3_060]
      ],
      [
        ["subscription", 30_000],
        ["tax", 5_400]
      ]
    ])
    deepStrictEqual(totals(drafts), [0, 20_060, 35_400])
    for (const draft of drafts) strictEqual(Invoice.sum(draft.items.map(({ amount }) => amount)), draft.total)
  })

  it("bills a subscription of one-time lines alone once, for no length of time", () => {
    const agreed = accepted({ lines: [oneTime] })
    strictEqual(BillingCycle.dueAt(agreed), start)
    const { agreement, drafts } = BillingCycle.catchUp(agreed, start + 400 * dayMillis, null)
    deepStrictEqual(
      drafts.map((draft) => [items(draft), draft.period]),
      [[[["one_time", 5_000]], { start, end: start }]]
    )
    strictEqual(BillingCycle.dueAt(agreement), null)
  })

  it("makes no invoice of lines that cost nothing, and passes the period", () => {
    const { agreement, drafts } = BillingCycle.catchUp(accepted({ lines: [line({ amount: 0 })] }), start, null)
    deepStrictEqual([drafts, agreement.billed], [[], 1])
  })

  it("names the plan in the items of a plan, and only there", () => {
    const planIds = (kind: "plan" | "subscription") =>
      BillingCycle.preview(accepted({ kind }), start, null).flatMap((draft) => draft.items.map(({ planId }) => planId))
    deepStrictEqual([planIds("plan"), planIds("subscription")], [["ext1"], [null]])
  })

  it("says before what the next invoice comes to, without credit and tax", () => {
    const amounts = (one: Agreement.Agreement) => BillingCycle.nextAmount(one)
    const first = accepted({ lines: [line(), oneTime], discount: { code: "TEN", amount: 3_000 }, credit: 9_000 })
    strictEqual(amounts(first), 32_000)
    const { agreement } = BillingCycle.catchUp(first, start, null)
    strictEqual(amounts(agreement), 30_000)
    strictEqual(amounts(accepted({ lines: [line({ amount: 0 })] })), 0)
    deepStrictEqual(
      [pending(), Agreement.freeze(agreement)].map((one) => one && amounts(one)),
      [undefined, undefined]
    )
  })

  it("is due when the next period starts, and never while frozen or after the end", () => {
    const { agreement } = BillingCycle.catchUp(accepted(), start, null)
    strictEqual(BillingCycle.dueAt(agreement), Date.UTC(2026, 1, 28, 10))
    for (const idle of [Agreement.freeze(agreement), Agreement.cancel(agreement, start)])
      strictEqual(idle === undefined ? undefined : BillingCycle.dueAt(idle), null)
  })

  it("keeps an agreement that needs no confirmation pending", () => {
    const waiting = pending({ confirmation: null })
    strictEqual(BillingCycle.dueAt(waiting), null)
    deepStrictEqual(BillingCycle.catchUp(waiting, start + 400 * dayMillis, null), { agreement: waiting, drafts: [] })
  })

  it("a replaced agreement is billed by the days that were used, in total", () => {
    const { agreement, drafts } = BillingCycle.catchUp(accepted(), start, null)
    const period = Agreement.billedPeriod(agreement)
    strictEqual(period === undefined ? 0 : BillingPeriod.daysOf(period), 28)
    for (const [after, used] of [
      [0, 0],
      [1, 1],
      [7 * dayMillis, 7],
      [27.5 * dayMillis, 28]
    ] as const) {
      const credits = drafts.map((draft) => AgreementReplacement.unused(draft, draft.subtotal, start + after))
      strictEqual(30_000 - Invoice.sum(credits), Math.round((30_000 * used) / 28))
    }
  })

  it("an agreement that nobody confirms for 48 hours expires, and nothing is billed for it", () => {
    const waiting = pending()
    const end = start + 48 * 3_600_000
    strictEqual(Agreement.statusAt(waiting, end - 1), "pending")
    strictEqual(Agreement.statusAt(waiting, end), "expired")
    const { agreement, drafts } = BillingCycle.catchUp(waiting, end, null)
    deepStrictEqual([agreement.status, drafts.length], ["expired", 0])
    strictEqual(BillingCycle.dueAt(agreement), null)
  })

  it("an agreement that is not renewed ends with its period, and its last usage is billed", () => {
    const { agreement } = BillingCycle.catchUp(accepted({ lines: [line(), usage] }), start, null)
    const stopped = Agreement.stop(Agreement.addUsage(agreement, "usage", 70, null)?.agreement ?? agreement)
    const ended = BillingCycle.catchUp(stopped ?? agreement, start + 400 * dayMillis, null)
    strictEqual(ended.agreement.status, "cancelled")
    deepStrictEqual(ended.drafts.map(items), [[["usage", 70]]])
    strictEqual(ended.agreement.cancelledAt, Agreement.billedPeriod(agreement)?.end)
  })

  it("an agreement that was frozen is not billed for the periods that passed meanwhile", () => {
    const { agreement } = BillingCycle.catchUp(accepted(), start, null)
    const frozen = Agreement.freeze(agreement) ?? agreement
    deepStrictEqual(BillingCycle.preview(frozen, start + 400 * dayMillis, null), [])
    const later = Date.UTC(2026, 4, 15)
    const thawed = Agreement.thaw(frozen, later) ?? frozen
    deepStrictEqual(dates(BillingCycle.preview(thawed, later, null)), ["2026-04-30"])
  })

  it("an agreement that was frozen in its trial begins when it is thawed, with what is charged once", () => {
    const frozen = Agreement.freeze(accepted({ lines: [line(), oneTime], trialDays: 14 }))
    const later = Date.UTC(2026, 4, 15)
    const thawed = frozen && Agreement.thaw(frozen, later)
    const drafts = thawed === undefined ? [] : BillingCycle.preview(thawed, later, null)
    deepStrictEqual(dates(drafts), ["2026-05-15"])
    deepStrictEqual(
      drafts.map(({ items }) => items.map(({ type }) => type)),
      [["subscription", "one_time"]]
    )
    const inTrial = frozen && Agreement.thaw(frozen, start + dayMillis)
    strictEqual(inTrial && BillingCycle.dueAt(inTrial), start + 14 * dayMillis)
  })
})

describe("The states of charges", () => {
  const { moves, next, slotOf, statuses, transitions } = AgreementLifecycle

  it("let a company have one running plan, and one subscription of each extension", () => {
    const running = { entityId: "ext1", status: "active" } as const
    deepStrictEqual(
      [
        slotOf({ ...running, kind: "plan" }),
        slotOf({ ...running, kind: "subscription" }),
        slotOf({ ...running, kind: "subscription", status: "frozen" }),
        slotOf({ ...running, kind: "subscription", status: "cancelled" })
      ],
      ["plan", "subscription ext1", "subscription ext1", undefined]
    )
  })

  it("can all be reached, and those without a move are final", () => {
    for (const kind of ["subscription", "one_time"] as const) {
      const reached = new Set<string>(["pending"])
      for (let size = 0; size !== reached.size; ) {
        size = reached.size
        for (const status of statuses) {
          if (reached.has(status)) for (const to of Object.values(transitions[kind][status])) reached.add(to)
        }
      }
      deepStrictEqual(
        statuses.filter((status) => !reached.has(status)),
        kind === "subscription" ? ["success"] : ["active", "cancelled", "frozen", "no_renew"]
      )
    }
  })

  it("are those of the reference, and no move leaves a declined, expired or cancelled one", () => {
    const arrows = statuses.flatMap((from) => [
      ...new Set(moves.flatMap((move) => next("subscription", from, move) ?? []).map((to) => `${from} ${to}`))
    ])
    deepStrictEqual(arrows.sort(), [
      "active cancelled",
      "active frozen",
      "active no_renew",
      "frozen active",
      "frozen cancelled",
      "no_renew cancelled",
      "pending active",
      "pending cancelled",
      "pending declined",
      "pending expired"
    ])
  })

  it("the moves of an agreement are those of the table and no others", () => {
    const made = {
      accept: (one: Agreement.Agreement) => Agreement.accept(one, start),
      decline: Agreement.decline,
      expire: Agreement.expire,
      cancel: (one: Agreement.Agreement) => Agreement.cancel(one, start),
      freeze: Agreement.freeze,
      thaw: (one: Agreement.Agreement) => Agreement.thaw(one, start),
      stop: Agreement.stop,
      end: (one: Agreement.Agreement) => Agreement.end(one, start)
    }
    for (const kind of ["subscription", "one_time", "plan"] as const) {
      for (const status of statuses) {
        for (const move of moves) {
          const to = next(kind, status, move)
          const moved = made[move](pending({ kind, status }))
          deepStrictEqual([moved?.status, moved === undefined], [to, to === undefined], `${kind} ${status} ${move}`)
        }
      }
    }
  })
})

describe("Coupons", () => {
  const plan = {
    id: "basic",
    name: "Basic",
    description: "",
    amount: 99_900,
    currency: "INR",
    interval: "month" as const,
    trialDays: 0,
    productSuite: null,
    isActive: true,
    limits: nothingAllowed,
    createdAt: 0,
    modifiedAt: 0
  }
  const ten: Coupon.Coupon = {
    code: "TEN",
    reduction: { kind: "percent", hundredths: 1000 },
    plans: ["basic"],
    startsAt: 10,
    endsAt: 20,
    maxUses: 2
  }

  it("reduce the price by a percentage or an amount, and never below 0", () => {
    deepStrictEqual(Coupon.discount(ten, plan, 0, 10), Option.some(9_990))
    const fixed = { ...ten, reduction: { kind: "fixed", amount: 5_000, currency: "INR" } } as const
    deepStrictEqual(Coupon.discount(fixed, plan, 0, 10), Option.some(5_000))
    deepStrictEqual(Coupon.discount(fixed, { ...plan, amount: 3_000 }, 0, 10), Option.some(3_000))
  })

  it("take the same off a plan that they are for, whenever they were redeemed", () => {
    deepStrictEqual(
      [plan, { ...plan, amount: 50_000 }, { ...plan, id: "growth" }].map((one) => Coupon.amountOff(ten, one)),
      [Option.some(9_990), Option.some(5_000), Option.none()]
    )
  })

  it("are valid only for their plans, currency, dates and number of uses", () => {
    for (const [coupon, other, used, now] of [
      [ten, plan, 0, 9],
      [ten, plan, 0, 20],
      [ten, plan, 2, 10],
      [ten, { ...plan, id: "growth" }, 0, 10],
      [{ ...ten, reduction: { kind: "fixed", amount: 1, currency: "USD" } } as const, plan, 0, 10]
    ] as const) {
      assertTrue(Option.isNone(Coupon.discount(coupon, other, used, now)))
    }
    deepStrictEqual(Coupon.discount({ ...ten, plans: null, maxUses: null }, plan, 1e9, 19), Option.some(9_990))
    deepStrictEqual(Coupon.discount({ ...ten, startsAt: null, endsAt: null }, plan, 0, 1e9), Option.some(9_990))
  })
})

describe("Entitlements", () => {
  const limits = { ...nothingAllowed, team: { limit: -1 }, products: { bulk: true, limit: 2 } }

  it("say yes or no, and why", () => {
    deepStrictEqual(entitlementOf(limits, "team", 1e9), { allowed: true, why: "The plan sets no limit for team" })
    deepStrictEqual(entitlementOf(limits, "products", 1), { allowed: true, why: "1 of 2 of products are in use" })
    deepStrictEqual(entitlementOf(limits, "products", 2), {
      allowed: false,
      why: "All 2 of products that the plan allows are in use"
    })
    deepStrictEqual(entitlementOf(limits, "extensions", 0), {
      allowed: false,
      why: "The plan does not include extensions"
    })
  })
})
