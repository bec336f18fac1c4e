/** Companies begin, use and end subscriptions. Meanwhile prices change, payments fail and billing runs. */
import { Billing, BillingRun, BillingStore, type ChargeDraft, PaymentProviderTest } from "@crossdock/billing"
import { Companies } from "@crossdock/host"
import { Calls } from "@crossdock/http"
import { Money } from "@crossdock/kernel"
import { Effect } from "effect"
import * as Choice from "./Choice.ts"
import * as Subscribers from "./Subscribers.ts"
import * as World from "./World.ts"

const day = 86_400_000

type Step = (
  subscribers: Subscribers.Subscribers,
  world: World.World
) => Effect.Effect<string, unknown, Subscribers.Services | World.Services>

/** Errors that callers can cause are part of a history. All other errors end it. */
const expected = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    ({ _tag }) => ["BillingNotFound", "BillingRejected", "CallRejected", "OtherCurrency"].includes(_tag),
    ({ _tag }) => Effect.succeed(_tag)
  )

const open = ({ closed, draw }: Subscribers.Subscribers) =>
  Choice.oneOf(
    draw,
    World.companies.filter((company) => company !== closed)
  )

const activate: Step = (subscribers, { now }) =>
  Effect.gen(function* () {
    const { agreements, draw, ended, offered } = subscribers
    const [{ activate }, store] = [yield* Billing.Billing, yield* BillingStore]
    // The company may be closed, because its token stays valid for a moment afterwards.
    const [company, plan] = [Choice.oneOf(draw, World.companies), Choice.oneOf(draw, Subscribers.plans)]
    const coupon = Choice.isChance(draw, 0.3) ? Choice.oneOf(draw, Subscribers.coupons).code : null
    const running = yield* store.running(company, "plan")
    const outcome = yield* expected(activate(World.host, company, { planId: plan.id, uniqueId: null, coupon }))
    const isClosed = company === subscribers.closed
    if (outcome === "BillingNotFound" && !isClosed && running.some(({ entityId }) => entityId === plan.id))
      return yield* Effect.fail(`${company} can't repeat ${plan.id}, which runs`)
    if (typeof outcome === "string") return `${company} can't activate ${plan.id}: ${outcome}`
    if (!running.some(({ id }) => id === outcome.agreement.id)) {
      if (coupon !== null && now >= (ended.get(coupon) ?? Number.POSITIVE_INFINITY))
        return yield* Effect.fail(`${company} uses ${coupon}, which was disabled`)
      if (offered.get(plan.id)?.isActive === false)
        return yield* Effect.fail(`${company} gets ${plan.id}, which is disabled`)
    }
    agreements.set(outcome.agreement.id, company)
    return `${company} activates ${plan.id} with ${coupon}: ${outcome.agreement.id} ${outcome.agreement.status}`
  })

/** The operator changes a plan, a coupon or the companies of the extension. */
const offer: Step = (subscribers, world) =>
  Effect.gen(function* () {
    const { coupons, extensions, plans } = yield* Calls.make
    const { draw, ended, offered } = subscribers
    const { currency, id, interval, name, trialDays } = Choice.oneOf(draw, Subscribers.plans)
    const coupon = Choice.oneOf(draw, Subscribers.coupons)
    const { amount = 0, isActive = true } = offered.get(id) ?? {}
    const priced = (price: number, currency: string) =>
      expected(plans.add(World.host, { id, name, price, currency, interval, trialDays }))
    const change = Choice.weighted(draw, [
      [4, "price"],
      [2, "turn"],
      [1, "currency"],
      [1, "coupon"],
      [2, "extension"]
    ])
    if (change === "price") {
      const cheaper = Choice.between(draw, 1, 100_000)
      yield* priced(cheaper / 100, currency)
      offered.set(id, { amount: cheaper, isActive })
    } else if (change === "turn") {
      yield* (isActive ? plans.disable : plans.enable)(World.host, id)
      offered.set(id, { amount, isActive: !isActive })
    } else if (change === "currency") {
      if ((yield* priced(1, "USD")) !== "CallRejected") return yield* Effect.fail(`plan ${id} takes another currency`)
    } else if (change === "coupon") {
      yield* coupons.disable(World.host, coupon.code)
      ended.set(coupon.code, world.now)
    } else {
      const { extension } = Subscribers
      subscribers.charged = Choice.some(draw, World.companies, 0.7)
      yield* extensions.add(World.host, { id: extension, name: "Sync", companies: [...subscribers.charged] })
    }
    for (const { amount, id, isActive } of yield* plans.list) {
      const known = offered.get(id)
      if (known?.amount !== amount || known.isActive !== isActive)
        return yield* Effect.fail(`plan ${id} has ${amount} ${isActive}, not ${JSON.stringify(known)}`)
    }
    return `the operator changes what it offers: ${change}`
  })

const line = { term: null, cap: null, interval: null, metadata: null, isTest: false, trialDays: null }

const draft = (trialDays: number, cap: number | null): ChargeDraft => ({
  name: "Sync",
  returnUrl: "https://seller.example",
  isTest: false,
  trialDays,
  lines: [
    { ...line, name: "Sync", pricing: "recurring", price: { amount: 300, currency: "INR" }, interval: "month" },
    { ...line, name: "Set-up", pricing: "one_time", price: { amount: 50, currency: "INR" } },
    { ...line, name: "Messages", pricing: "usage", price: { amount: 1, currency: "INR" }, cap }
  ]
})

const subscribe: Step = (subscribers) =>
  Effect.gen(function* () {
    const { answerConfirmation, createSubscription } = yield* Billing.Billing
    const { agreements, draw } = subscribers
    const company = open(subscribers)
    const asked = draft(Choice.oneOf(draw, [0, 0, 7]), Choice.oneOf(draw, [null, 200]))
    const link = `link ${++subscribers.links}`
    const created = yield* expected(createSubscription(World.host, company, Subscribers.extension, asked, link))
    const isCharged = subscribers.charged.includes(company)
    if (isCharged === (created === "BillingNotFound"))
      return yield* Effect.fail(`the extension ${isCharged ? "can't charge" : "charges"} ${company}`)
    if (typeof created === "string") return `${company} is asked by an extension that may not charge it: ${created}`
    const { id } = created
    agreements.set(id, company)
    const { status } = yield* answerConfirmation(link, Choice.isChance(draw, 0.8) ? "accept" : "decline", null)
    return `${company} answers a subscription with ${asked.trialDays} trial days: ${id} ${status}`
  })

const end: Step = (subscribers) =>
  Effect.gen(function* () {
    const { draw } = subscribers
    const [{ cancel, stopRenewal }, store] = [yield* Billing.Billing, yield* BillingStore]
    const company = open(subscribers)
    const [running] = yield* store.running(company, "subscription")
    if (running === undefined) return `${company} has no subscription to end`
    const [does, by] = Choice.isChance(draw, 0.5) ? (["cancels", cancel] as const) : (["stops", stopRenewal] as const)
    const outcome = yield* expected(by(World.host, company, Subscribers.extension, running.id))
    return `${company} ${does} ${running.id}: ${typeof outcome === "string" ? outcome : outcome.status}`
  })

const use: Step = (subscribers) =>
  Effect.gen(function* () {
    const { draw } = subscribers
    const [billing, store] = [yield* Billing.Billing, yield* BillingStore]
    const company = open(subscribers)
    const [running] = yield* store.running(company, "subscription")
    const used = running?.lines.find(({ pricing }) => pricing === "usage")
    if (running === undefined || used === undefined) return `${company} has nothing to use`
    const amount = Choice.isChance(draw, 0.1) ? Money.largestTotal : Choice.between(draw, 0, 9_000)
    return `${company} uses ${amount}, counted: ${yield* billing.addUsage(World.host, company, running.id, used.id, amount)}`
  })

const close: Step = (subscribers) =>
  Effect.gen(function* () {
    const companies = yield* Companies.Companies
    const { closed, draw } = subscribers
    const company = closed ?? Choice.oneOf(draw, World.companies)
    subscribers.closed = closed === null ? company : null
    const { agreements } = yield* (closed === null ? companies.close : companies.reopen)(World.host, company)
    return `${company} is ${closed === null ? "closed" : "reopened"}, and ${agreements} of its agreements`
  })

const mood: Step = ({ draw }) =>
  Effect.gen(function* () {
    const { behave } = yield* PaymentProviderTest.PaymentSandbox
    const kind = Choice.weighted(draw, [
      [4, "succeed"],
      [4, "fail"],
      [1, "lost"],
      [1, "unsaid"]
    ])
    yield* behave({ kind })
    return `payments ${kind}`
  })

const pass: Step = () =>
  Effect.gen(function* () {
    const { bill, collect } = yield* BillingRun.BillingRun
    return `${yield* bill} billed, ${yield* collect} collected`
  })

const wait: Step = ({ draw }, world) =>
  Effect.sync(() => {
    const days = Choice.between(draw, 1, 12)
    world.now += days * day
    return `${days} days pass`
  })

export const step: Step = (subscribers, world) =>
  Choice.weighted<Step>(subscribers.draw, [
    [6, activate],
    [3, offer],
    [3, subscribe],
    [1, end],
    [1, close],
    [4, use],
    [3, mood],
    [14, pass],
    [4, wait]
  ])(subscribers, world)
