/** The laws of billing. They are checked after every step. Each returns its violations. */
import { type Agreement, Billing, BillingCycle, BillingStore, Invoice } from "@crossdock/billing"
import { type CompanyId, Money } from "@crossdock/kernel"
import { Effect } from "effect"
import * as Subscribers from "./Subscribers.ts"
import * as World from "./World.ts"

type Faults = ReadonlyArray<string>

const most = 100_000

/** An invoice's total is the sum of its items, and a trial is free. An ended trial remains ended if the clock is set back. */
const invoiceFaults = ({ items, number, total }: Invoice.Invoice, anchor: number | null, latest: number): Faults => [
  ...(Invoice.sum(items.map(({ amount }) => amount)) === total ? [] : [`the items of ${number} aren't its total`]),
  ...(total >= 0 && total <= Money.largestTotal ? [] : [`${number} comes to ${total}`]),
  ...(total === 0 || (anchor !== null && latest >= anchor) ? [] : [`${number} charges before a trial has ended`])
]

/** The numbers of each year have no gaps. */
const numberFaults = (invoices: ReadonlyArray<Invoice.Invoice>): Faults => {
  const years = Map.groupBy(invoices, ({ number }) => Number(number.split("-")[1]))
  return [...years].flatMap(([year, all]) =>
    all
      .map(({ number }) => number)
      .sort()
      .flatMap((number, nth) =>
        number === Invoice.numberText(year, nth + 1) ? [] : [`${number} is number ${nth + 1}`]
      )
  )
}

/** Only an open invoice or a closed company freezes an agreement. After a rejected charge, it isn't active. */
const statusFaults = (
  { id, status }: Agreement.Agreement,
  invoices: ReadonlyArray<Invoice.Invoice>,
  isClosed: boolean
): Faults => {
  if (isClosed) return status === "active" ? [`${id} is active, and its company closed`] : []
  const open = invoices.filter((one) => one.agreementId === id && one.status === "open")
  const isRejected = open.some(({ payment }) => payment.attempts > Subscribers.retryAfterMillis.length)
  if (status === "frozen" && open.length === 0) return [`${id} is frozen, and nothing of it is open`]
  return status === "active" && isRejected
    ? [`${id} is active, and a payment of it was rejected for the last time`]
    : []
}

/** One-time charges are only in the first period that is billed. */
const onceFaults = ({ id, isTest, lines }: Agreement.Agreement, invoices: ReadonlyArray<Invoice.Invoice>): Faults => {
  const items = invoices.flatMap((one) => (one.agreementId === id ? one.items : []))
  const charged = items.filter(({ type }) => type === "one_time").length
  const expected =
    !isTest && items.some(({ type }) => type === "subscription")
      ? lines.filter(({ pricing }) => pricing === "one_time").length
      : 0
  return charged === expected ? [] : [`${id} has charged ${charged} of ${expected} lines that are charged once`]
}

/** The issued invoice has the amount that the company was shown. */
const shownFaults = (shown: Subscribers.Shown | undefined, invoices: ReadonlyArray<Invoice.Invoice>): Faults => {
  const issued = invoices.find((one) => one.agreementId === shown?.agreementId && one.index === shown.index)
  if (issued === undefined || shown === undefined) return []
  const charged = issued.items.filter(({ type }) => type !== "credit" && type !== "tax")
  const amount = Invoice.sum(charged.map((item) => item.amount))
  return amount === shown.amount ? [] : [`${issued.number} charges ${amount}, and ${shown.amount} were shown`]
}

const companyFaults = (subscribers: Subscribers.Subscribers, company: CompanyId) =>
  Effect.gen(function* () {
    const [{ current }, store] = [yield* Billing.Billing, yield* BillingStore]
    const { items: invoices } = yield* store.invoices(company, { number: 1, size: most })
    const ids = [...subscribers.agreements].flatMap(([id, of]) => (of === company ? [id] : []))
    const agreements = yield* store.agreements(company, ids)
    const anchors = new Map(agreements.map(({ anchor, id }) => [id, anchor]))
    const plan = (yield* current(company))?.agreement
    const faults = [
      ...invoices.flatMap((one) => invoiceFaults(one, anchors.get(one.agreementId) ?? null, subscribers.latest)),
      ...numberFaults(invoices),
      ...agreements.flatMap((one) => statusFaults(one, invoices, company === subscribers.closed)),
      ...agreements.flatMap((one) => onceFaults(one, invoices)),
      ...shownFaults(subscribers.shown.get(company), invoices)
    ]
    const amount = plan && BillingCycle.nextAmount(plan)
    if (plan === undefined || amount === undefined) subscribers.shown.delete(company)
    else subscribers.shown.set(company, { agreementId: plan.id, index: plan.billed, amount })
    if (company !== Subscribers.neverPays) return faults
    const isUnpaid = invoices.some((one) => one.agreementId === plan?.id && one.status === "open")
    if (plan !== undefined && isUnpaid) subscribers.enabledUnpaid.add(plan.id)
    return subscribers.enabledUnpaid.size <= 1
      ? faults
      : [...faults, `${company} never paid, and had ${[...subscribers.enabledUnpaid].join(" and ")}`]
  })

/** No coupon is used too often. */
const couponFaults = Effect.flatMap(BillingStore, (store) => store.coupons).pipe(
  Effect.map((all) =>
    all.flatMap(({ coupon, used }) =>
      used <= (coupon.maxUses ?? used) ? [] : [`${coupon.code} was used ${used} times`]
    )
  )
)

export const billing = (subscribers: Subscribers.Subscribers, { now }: World.World) =>
  Effect.gen(function* () {
    subscribers.latest = Math.max(subscribers.latest, now)
    const faults = yield* Effect.forEach(World.companies, (company) => companyFaults(subscribers, company))
    return [...faults.flat(), ...(yield* couponFaults)]
  })
