/**
 * Companies activate plans and accept, use and end subscriptions while prices change, payments fail and the billing run works.
 */
import { Billing, BillingRun, BillingStore, type ChargeDraft, PaymentProviderTest } from "@crossdock/billing"
import { Companies } from "@crossdock/host"
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

/** What a caller can cause is part of a history; anything else ends it. */
const expected = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    ({ _tag }) => ["BillingNotFound", "BillingRejected", "OtherCurrency"].includes(_tag),
    ({ _tag }) => Effect.succeed(_tag)
  )

/** Nobody signs in for a closed company. */
const open = ({ closed, draw }: Subscribers.Subscribers) =>
  Choice.oneOf(
    draw,
    World.companies.filter((company) => company !== closed)
  )

const activate: Step = (subscribers) =>
  Effect.gen(function* () {
    const { agreements, draw } = subscribers
    const [{ activate }, store] = [yield* Billing.Billing, yield* BillingStore]
    // A token is valid for a moment after its company was closed.
    const [company, plan] = [Choice.oneOf(draw, World.companies), Choice.oneOf(draw, Subscribers.plans)]
    const coupon = Choice.isChance(draw, 0.3) ? Choice.oneOf(draw, Subscribers.coupons).code : null
    const running = yield* store.running(company, "plan")
    const outcome = yield* expected(activate(World.host, company, { planId: plan.id, uniqueId: null, coupon }))
    const isClosed = company === subscribers.closed
    if (outcome === "BillingNotFound" && !isClosed && running.some(({ entityId }) => entityId === plan.id))
      return yield* Effect.fail(`${company} can't repeat ${plan.id}, which runs`)
    if (typeof outcome === "string") return `${company} can't activate ${plan.id}: ${outcome}`
    agreements.set(outcome.agreement.id, company)
    return `${company} activates ${plan.id} with ${coupon}: ${outcome.agreement.id} ${outcome.agreement.status}`
  })

const reprice: Step = ({ draw }) =>
  Effect.gen(function* () {
    const store = yield* BillingStore
    const { id } = Choice.oneOf(draw, Subscribers.plans)
    const plan = yield* Effect.fromNullishOr(yield* store.plan(id))
    const changes = Choice.weighted(draw, [
      [4, { amount: Choice.between(draw, 1, 100_000) }],
      [2, { isActive: Choice.isChance(draw, 0.6) }],
      [1, { currency: "USD" }]
    ])
    const outcome = yield* expected(store.putPlans([{ ...plan, ...changes }]))
    return `plan ${id} becomes ${JSON.stringify(changes)} ${outcome ?? ""}`
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
    const { id } = yield* createSubscription(World.host, company, Subscribers.extension, asked, link)
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

/** A company is closed, or the closed one reopened. */
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
    [3, reprice],
    [3, subscribe],
    [1, end],
    [1, close],
    [4, use],
    [3, mood],
    [14, pass],
    [4, wait]
  ])(subscribers, world)
