/** Random histories of a subscription, each played twice: previewed event by event, and charged by runs at random times. */
import { Agreement, AgreementReplacement, BillingCycle, type BillingPeriod, Invoice } from "@crossdock/billing"
import { CompanyId, Instant } from "@crossdock/kernel"
import * as FastCheck from "fast-check"
import { agreement } from "./Ground.ts"

type Event =
  | { readonly kind: "up" | "down"; readonly amount: number; readonly days: number }
  | { readonly kind: "use"; readonly amount: number; readonly days: number }
  | { readonly kind: "cancel" | "stop" | "freeze" | "thaw" | "wait"; readonly days: number }

export interface History {
  readonly day: number
  readonly trialDays: number
  readonly coupon: number
  readonly amount: number
  readonly interval: BillingPeriod.Interval
  readonly tax: number
  readonly events: ReadonlyArray<Event>
  /** When billing runs between two events, in percent of the time between them. */
  readonly runs: ReadonlyArray<number>
}

const days = FastCheck.integer({ min: 0, max: 120 })
const amount = FastCheck.integer({ min: 100, max: 10_000_000 })

const event: FastCheck.Arbitrary<Event> = FastCheck.oneof(
  FastCheck.record({ kind: FastCheck.constantFrom("up" as const, "down" as const), amount, days }),
  FastCheck.record({ kind: FastCheck.constant("use" as const), amount, days }),
  FastCheck.record({
    kind: FastCheck.constantFrom(
      "wait" as const,
      "wait" as const,
      "freeze" as const,
      "thaw" as const,
      "stop" as const,
      "cancel" as const
    ),
    days
  })
)

export const history: FastCheck.Arbitrary<History> = FastCheck.record({
  day: FastCheck.integer({ min: 0, max: 1500 }),
  trialDays: FastCheck.constantFrom(0, 0, 7, 14, 45),
  coupon: FastCheck.constantFrom(0, 0, 10, 50, 100),
  amount,
  interval: FastCheck.constantFrom("month" as const, "month" as const, "year" as const),
  tax: FastCheck.constantFrom(0, 1800, 1234),
  events: FastCheck.array(event, { maxLength: 8 }),
  runs: FastCheck.array(FastCheck.integer({ min: 1, max: 99 }), { maxLength: 3 })
})

const company = CompanyId.make(1)

const begun = (one: History, at: number): Agreement.Agreement => {
  const lines = [
    {
      id: "r",
      name: "R",
      term: null,
      pricing: "recurring",
      amount: one.amount,
      interval: one.interval,
      cap: null,
      metadata: null,
      isTest: false
    },
    {
      id: "u",
      name: "U",
      term: null,
      pricing: "usage",
      amount: 100,
      interval: null,
      cap: 5_000_000,
      metadata: null,
      isTest: false
    }
  ] as const
  const fresh = agreement(company, "a", { lines, trialDays: one.trialDays, createdAt: at })
  const discount = one.coupon === 0 ? null : { code: "C", amount: Math.floor((one.amount * one.coupon) / 100) }
  return Agreement.accept({ ...fresh, status: "pending", discount }, at) ?? fresh
}

const priced = (from: Agreement.Agreement, amount: number): Agreement.Agreement["lines"] =>
  from.lines.map((line) => (line.pricing === "recurring" ? { ...line, amount } : line))

/** Applies an event. Returns the new agreement and the event's invoices. `paid` are the invoices at the present price. */
const apply = (
  before: Agreement.Agreement,
  paid: ReadonlyArray<Invoice.Draft>,
  step: Event,
  at: number,
  tax: Invoice.Tax | null
): { readonly agreement: Agreement.Agreement; readonly drafts: ReadonlyArray<Invoice.Draft> } => {
  switch (step.kind) {
    case "wait":
      return { agreement: before, drafts: [] }
    case "use":
      return { agreement: Agreement.addUsage(before, "u", step.amount, tax)?.agreement ?? before, drafts: [] }
    case "stop":
      return { agreement: Agreement.stop(before) ?? before, drafts: [] }
    case "freeze":
      return { agreement: Agreement.freeze(before) ?? before, drafts: [] }
    case "thaw":
      return { agreement: Agreement.thaw(before, at) ?? before, drafts: [] }
    case "cancel": {
      const cancelled = Agreement.cancel(before, at)
      const last = cancelled === undefined ? null : BillingCycle.final(before, at, tax)
      return {
        agreement: { ...(cancelled ?? before), usage: cancelled === undefined ? before.usage : {} },
        drafts: last === null ? [] : [last]
      }
    }
    case "up":
    case "down": {
      if (before.status !== "active") return { agreement: before, drafts: [] }
      const credit = before.credit + Invoice.sum(paid.map((one) => AgreementReplacement.unused(one, one.subtotal, at)))
      const last = BillingCycle.final({ ...before, credit: 0 }, at, tax)
      const next: Agreement.Agreement = {
        ...before,
        lines: priced(before, step.amount),
        anchor: Math.max(before.anchor ?? at, at),
        billed: 0,
        usage: {},
        credit
      }
      const first = BillingCycle.catchUp(next, at, tax)
      return { agreement: first.agreement, drafts: last === null ? first.drafts : [last, ...first.drafts] }
    }
  }
}

/** One of the two ways to play an agreement, with all its invoices and those since the last change of the price. */
const track = (begun: Agreement.Agreement, tax: Invoice.Tax | null) => {
  const all: Array<Invoice.Draft> = []
  let [agreement, paid]: [Agreement.Agreement, Array<Invoice.Draft>] = [begun, []]
  return {
    all,
    bill: (until: number): void => {
      const caught = BillingCycle.catchUp(agreement, until, tax)
      agreement = caught.agreement
      all.push(...caught.drafts)
      paid.push(...caught.drafts)
    },
    apply: (step: Event, at: number): void => {
      const applied = apply(agreement, paid, step, at, tax)
      if ((step.kind === "up" || step.kind === "down") && applied.agreement !== agreement) paid = []
      agreement = applied.agreement
      all.push(...applied.drafts)
      paid.push(...applied.drafts)
    }
  }
}

/** Plays a history in both ways: `previewed` from event to event, and `charged` by runs at random times in between. */
export const play = (one: History) => {
  const tax = one.tax === 0 ? null : { name: "GST", hundredths: one.tax }
  let at = Date.UTC(2026, 0, 1, 9) + one.day * Instant.dayMillis
  const [preview, run] = [track(begun(one, at), tax), track(begun(one, at), tax)]
  for (const step of [...one.events, { kind: "wait", days: 400 } as const]) {
    const until = at + step.days * Instant.dayMillis
    for (const part of [...one.runs].sort((a, b) => a - b)) run.bill(at + Math.floor(((until - at) * part) / 100))
    for (const each of [preview, run]) {
      each.bill(until)
      each.apply(step, until)
    }
    at = until
  }
  return { previewed: preview.all, charged: run.all }
}
