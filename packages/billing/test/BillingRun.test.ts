import { Directory } from "@crossdock/access"
import { AuditStore, CompanyWrite } from "@crossdock/audit"
import {
  Billing,
  BillingLedger,
  BillingPeriod,
  BillingRun,
  BillingStore,
  BillingWorker,
  type ChargeDraft,
  Invoice,
  InvoiceNumber,
  PaymentProvider,
  PaymentProviderTest
} from "@crossdock/billing"
import { DigestNode } from "@crossdock/crypto"
import { CompanyId, Ids, Instant, StorageError, Transaction } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { caller, line, pending, plan, services, usage } from "./Fixtures.ts"

const one = CompanyId.make(1)
const start = Date.UTC(2026, 0, 31, 10)
const days = (count: number) => Duration.days(count)

const draft: ChargeDraft = {
  name: "Sync",
  returnUrl: "https://seller.example",
  isTest: false,
  trialDays: 0,
  lines: [
    {
      name: "Sync",
      term: "Monthly",
      pricing: "recurring",
      price: { amount: 300, currency: "INR" },
      interval: "month",
      cap: null,
      metadata: null,
      isTest: false,
      trialDays: null
    }
  ]
}

const ready = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const [directory, store] = [yield* Directory, yield* BillingStore]
  yield* directory.putCompanies(
    ["One", "Two", "Three", "Four"].map((name, nth) => ({
      id: CompanyId.make(nth + 1),
      name,
      legalName: `${name} Ltd`
    }))
  )
  yield* store.putExtensions([{ id: "ext1", name: "E", companies: null }])
  yield* store.putPlans([plan("small", 31_000), plan("big", 62_000), plan("trial", 31_000, 14)])
})

const subscribed = Effect.gen(function* () {
  yield* ready
  const billing = yield* Billing.Billing
  yield* billing.createSubscription(caller, one, "ext1", draft, "first")
  return yield* billing.answerConfirmation("first", "accept", null)
})

const all = Effect.gen(function* () {
  const store = yield* BillingStore
  const { items } = yield* store.invoices(one, { number: 1, size: 500 })
  return items.toReversed()
})

const run = Effect.gen(function* () {
  const { bill, collect } = yield* BillingRun.BillingRun
  yield* bill
  yield* collect
})

const sandbox = PaymentProviderTest.PaymentSandbox

describe("The billing run", () => {
  it.effect("bills each period once, with numbers without gaps, and catches up after a host was down", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* TestClock.adjust(days(100))
      yield* run
      yield* run
      const invoices = yield* all
      deepStrictEqual(
        invoices.map(({ index, number, status, total }) => [index, number, status, total]),
        [0, 1, 2, 3].map((n) => [n, `INV-2026-00000${n + 1}`, "paid", 30_000])
      )
      const { charged } = yield* sandbox
      strictEqual((yield* charged).size, 4)
    }).pipe(Effect.provide(services))
  )

  it.effect("numbers invoices as the host does, and still without gaps", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* TestClock.adjust(days(40))
      yield* run
      deepStrictEqual(
        (yield* all).map(({ number }) => number),
        ["EU/2026/1", "EU/2026/2"]
      )
    }).pipe(
      Effect.provide(
        Layer.provide(
          services,
          Layer.succeed(InvoiceNumber, (year, nth) => `EU/${year}/${nth}`)
        )
      )
    )
  )

  it.effect("ten runs at once bill and charge no more than one", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* TestClock.adjust(days(100))
      yield* Effect.all(
        Array.from({ length: 10 }, () => run),
        { concurrency: "unbounded" }
      )
      strictEqual((yield* all).length, 4)
      const { calls, charged } = yield* sandbox
      strictEqual((yield* charged).size, 4)
      assertTrue([...(yield* charged).values()].every((times) => times === 1))
      strictEqual(yield* calls, 4)
    }).pipe(Effect.provide(services))
  )

  it.effect("a host that may write no more charges nothing", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* TestClock.adjust(days(100))
      const { bill } = yield* BillingRun.BillingRun
      yield* bill
      const rejection = new StorageError({ operation: "write", cause: new Error("A later release has migrated it") })
      const present = yield* Transaction.Transaction
      const { collect } = yield* Effect.provideService(BillingRun.make, Transaction.Transaction, {
        ...present,
        run: () => Effect.fail(rejection)
      })
      yield* Effect.ignore(collect)
      strictEqual(yield* (yield* sandbox).calls, 0)
      yield* run
      strictEqual(yield* (yield* sandbox).calls, 4)
    }).pipe(Effect.provide(services))
  )

  it.effect("numbers begin again in each year", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* TestClock.setTime(Date.UTC(2027, 0, 31, 11))
      yield* run
      const numbers = (yield* all).map(({ number }) => number)
      deepStrictEqual(numbers.slice(0, 2).toSorted(), ["INV-2026-000001", "INV-2027-000001"])
      strictEqual(numbers.length, 13)
    }).pipe(Effect.provide(services))
  )

  it.effect("an agreement that nobody confirms expires on its own", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      const made = yield* billing.createSubscription(caller, one, "ext1", draft, "late")
      yield* TestClock.adjust(Duration.hours(48))
      const seen = yield* billing.answerConfirmation("late", "accept", null)
      strictEqual(seen.status, "expired")
      yield* run
      const store = yield* BillingStore
      strictEqual((yield* store.agreement(one, made.id))?.status, "expired")
      const rejected = yield* Effect.flip(billing.cancel(caller, one, "ext1", made.id))
      strictEqual(rejected.message, "Subscription is expired: there is nothing to cancel")
    }).pipe(Effect.provide(services))
  )

  it.effect("runs in the background, woken by the clock", () =>
    Effect.gen(function* () {
      yield* subscribed
      const worker = yield* Effect.forkChild(BillingWorker.run({ poll: "1 hour" }))
      yield* TestClock.adjust("2 hours")
      deepStrictEqual(
        (yield* all).map(({ status }) => status),
        ["paid"]
      )
      yield* TestClock.adjust(days(29))
      yield* TestClock.adjust("2 hours")
      deepStrictEqual(
        (yield* all).map(({ status }) => status),
        ["paid", "paid"]
      )
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(services))
  )
})

/** A company whose billing can't be written. */
const two = CompanyId.make(2)

const faulty = (fault: Effect.Effect<never, StorageError>) => {
  const ledger = Layer.effect(
    BillingLedger.BillingLedger,
    Effect.map(BillingLedger.make, (whole) =>
      BillingLedger.BillingLedger.of({
        ...whole,
        companyChange: (company, change) =>
          company === two
            ? { ...whole.companyChange(company, change), save: () => fault }
            : whole.companyChange(company, change)
      })
    )
  )
  return Layer.fresh(BillingRun.layer).pipe(Layer.provide(ledger), Layer.provideMerge(services))
}

const active = (companyId: CompanyId, id: string) =>
  pending({
    companyId,
    id,
    entityId: `extension of ${id}`,
    status: "active",
    confirmation: null,
    anchor: start,
    activatedAt: start
  })

const invoicesOf = (company: CompanyId) =>
  Effect.flatMap(BillingStore, (store) => store.invoices(company, { number: 1, size: 1000 })).pipe(
    Effect.map(({ items }) => items.map(({ status }) => status))
  )

/** A provider that neither charges a company nor reports the outcome. */
const silentTo = (company: CompanyId) => {
  const asked = new Set<string>()
  const provider = Layer.succeed(PaymentProvider, {
    charge: ({ companyId, key }) =>
      companyId === company
        ? Effect.andThen(
            Effect.sync(() => asked.add(key)),
            Effect.never
          )
        : Effect.succeed("succeeded"),
    ask: (key) => (asked.has(key) ? Effect.never : Effect.succeed("absent"))
  })
  return Layer.fresh(BillingRun.layer).pipe(Layer.provide(provider), Layer.provideMerge(services))
}

describe("The billing worker", () => {
  for (const [how, fault] of Object.entries({
    fails: Effect.fail(new StorageError({ operation: "commit", cause: "unreachable" })),
    dies: Effect.die("a bug"),
    "is interrupted inside": Effect.interrupt
  })) {
    it.effect(`bills and collects for the companies behind one whose billing ${how} each time`, () =>
      Effect.gen(function* () {
        yield* ready
        const store = yield* BillingStore
        yield* store.save([active(two, "stuck"), active(CompanyId.make(3), "behind")])
        const worker = yield* Effect.forkChild(BillingWorker.run())
        yield* TestClock.adjust("3 seconds")
        deepStrictEqual(yield* invoicesOf(CompanyId.make(3)), ["paid"])
        yield* TestClock.adjust("1 hour")
        yield* store.save([active(CompanyId.make(4), "later")])
        yield* TestClock.adjust("2 seconds")
        deepStrictEqual(yield* invoicesOf(CompanyId.make(4)), ["paid"])
        deepStrictEqual(yield* invoicesOf(two), [])
        yield* Fiber.interrupt(worker)
      }).pipe(Effect.provide(faulty(fault)))
    )
  }

  it.effect("bills what is due behind more than a batch that can't be billed", () =>
    Effect.gen(function* () {
      yield* ready
      const store = yield* BillingStore
      yield* store.save(Array.from({ length: 1200 }, (_, nth) => active(two, `a${nth}`)))
      yield* store.save([active(CompanyId.make(3), "z")])
      const worker = yield* Effect.forkChild(BillingWorker.run())
      yield* TestClock.adjust("3 seconds")
      deepStrictEqual(yield* invoicesOf(CompanyId.make(3)), ["paid"])
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(faulty(Effect.die("a bug"))))
  )

  for (const [how, fault] of Object.entries({ dies: Effect.die("a bug"), "is interrupted inside": Effect.interrupt })) {
    it.effect(`collects the other invoices when the charge of some ${how}, and asks for their outcome`, () => {
      const asked: Array<string> = []
      const provider = Layer.succeed(PaymentProvider, {
        charge: ({ companyId }) => (companyId === two ? fault : Effect.succeed("succeeded")),
        ask: (key) => {
          asked.push(key)
          return Effect.succeed("succeeded")
        }
      })
      return Effect.gen(function* () {
        yield* ready
        const store = yield* BillingStore
        const stuck = Array.from({ length: 40 }, (_, nth) => active(two, `a${nth}`))
        yield* store.save([...stuck, active(CompanyId.make(3), "z")])
        const worker = yield* Effect.forkChild(BillingWorker.run())
        yield* TestClock.adjust("3 seconds")
        deepStrictEqual(yield* invoicesOf(CompanyId.make(3)), ["paid"])
        deepStrictEqual(new Set(yield* invoicesOf(two)), new Set(["open"]))
        yield* TestClock.adjust("1 minute")
        deepStrictEqual([new Set(yield* invoicesOf(two)), asked.length], [new Set(["paid"]), 40])
        yield* Fiber.interrupt(worker)
      }).pipe(Effect.provide(Layer.fresh(BillingRun.layer).pipe(Layer.provide(provider), Layer.provideMerge(services))))
    })
  }

  it.effect("collects the other invoices while a provider does not report the outcome of one", () =>
    Effect.gen(function* () {
      yield* ready
      const store = yield* BillingStore
      yield* store.save([active(two, "unsaid")])
      const worker = yield* Effect.forkChild(BillingWorker.run())
      yield* TestClock.adjust("2 minutes")
      yield* store.save([active(CompanyId.make(3), "next")])
      yield* TestClock.adjust("1 minute")
      deepStrictEqual([yield* invoicesOf(two), yield* invoicesOf(CompanyId.make(3))], [["open"], ["paid"]])
      yield* Fiber.interrupt(worker)
    }).pipe(Effect.provide(silentTo(two)))
  )
})

describe("Payments", () => {
  it.effect("are not asked for without a provider: invoices stay open, and the next provider charges each once", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const none = Layer.fresh(BillingRun.layer).pipe(
        Layer.provide(Layer.succeed(PaymentProvider, PaymentProvider.none))
      )
      for (let month = 0; month < 3; month++) {
        yield* Effect.provide(run, none)
        yield* TestClock.adjust(days(31))
      }
      const store = yield* BillingStore
      deepStrictEqual(
        (yield* all).map(({ payment, status }) => [status, payment.attempts]),
        [0, 1, 2].map(() => ["open", 0])
      )
      strictEqual((yield* store.agreement(one, id))?.status, "active")
      yield* run
      yield* run
      const { charged } = yield* sandbox
      deepStrictEqual([...(yield* charged).values()], [1, 1, 1, 1])
      assertTrue((yield* all).every(({ status }) => status === "paid"))
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "one that is rejected is tried again a day, three and five days later; then the subscription is frozen",
    () =>
      Effect.gen(function* () {
        const { id } = yield* subscribed
        const { behave, calls } = yield* sandbox
        const store = yield* BillingStore
        yield* behave({ kind: "fail" })
        for (const wait of [0, 1, 3, 5]) {
          strictEqual((yield* store.agreement(one, id))?.status, "active")
          yield* TestClock.adjust(days(wait))
          yield* run
          yield* run
        }
        strictEqual(yield* calls, 4)
        strictEqual((yield* store.agreement(one, id))?.status, "frozen")
        yield* TestClock.adjust(days(5))
        yield* run
        strictEqual(yield* calls, 4)
        const [invoice] = yield* all
        deepStrictEqual([invoice?.status, invoice?.payment.attempts], ["open", 4])
      }).pipe(Effect.provide(services))
  )

  it.effect("one that succeeds while the subscription is frozen tries the rejected ones of it again at once", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const { behave } = yield* sandbox
      const store = yield* BillingStore
      const status = Effect.map(store.agreement(one, id), (found) => found?.status)
      yield* behave({ kind: "fail" })
      yield* run
      // The host was down until the next period, so the second invoice is tried after the first one.
      for (const wait of [28, 1, 2]) {
        yield* TestClock.adjust(days(wait))
        yield* run
      }
      for (const wait of [1, 4]) {
        yield* TestClock.adjust(days(wait))
        yield* run
      }
      deepStrictEqual(
        [yield* status, (yield* all).map(({ payment }) => payment.nextAt === null)],
        ["frozen", [true, false]]
      )
      yield* behave({ kind: "succeed" })
      yield* TestClock.adjust(days(1))
      yield* run
      strictEqual(yield* status, "frozen")
      yield* run
      deepStrictEqual([yield* status, (yield* all).map(({ status }) => status)], ["active", ["paid", "paid"]])
    }).pipe(Effect.provide(services))
  )

  it.effect("one whose answer was lost is asked for, and never charged again", () =>
    Effect.gen(function* () {
      yield* subscribed
      const { behave, calls, charged } = yield* sandbox
      yield* behave({ kind: "unsaid" })
      yield* run
      deepStrictEqual(
        (yield* all).map(({ payment, status }) => [status, payment.state]),
        [["open", "asked"]]
      )
      yield* run
      strictEqual(yield* calls, 1)
      yield* TestClock.adjust("31 seconds")
      yield* run
      strictEqual((yield* all)[0]?.status, "paid")
      strictEqual(yield* calls, 1)
      deepStrictEqual([...(yield* charged).values()], [1])
    }).pipe(Effect.provide(services))
  )

  it.effect("one that never reached the provider is charged once it says so", () =>
    Effect.gen(function* () {
      yield* subscribed
      const { behave, charged } = yield* sandbox
      yield* behave({ kind: "lost" })
      yield* run
      yield* behave({ kind: "succeed" })
      yield* TestClock.adjust("31 seconds")
      yield* run
      strictEqual((yield* all)[0]?.status, "paid")
      deepStrictEqual([...(yield* charged).values()], [1])
    }).pipe(Effect.provide(services))
  )

  it.effect("a slow one is awaited, a very slow one is asked for", () =>
    Effect.gen(function* () {
      for (const takes of ["10 seconds", "20 seconds"] as const) {
        yield* Effect.gen(function* () {
          yield* subscribed
          const { behave, charged } = yield* sandbox
          yield* behave({ kind: "slow", takes })
          const running = yield* Effect.forkChild(run)
          yield* TestClock.adjust("16 seconds")
          yield* Fiber.join(running)
          strictEqual((yield* all)[0]?.status, takes === "10 seconds" ? "paid" : "open")
          yield* behave({ kind: "succeed" })
          yield* TestClock.adjust("31 seconds")
          yield* run
          strictEqual((yield* all)[0]?.status, "paid")
          deepStrictEqual([...(yield* charged).values()], [1])
        }).pipe(Effect.provide(Layer.fresh(services)))
      }
    })
  )
})

describe("A subscription that isn't renewed", () => {
  const stop = Effect.gen(function* () {
    const { id } = yield* subscribed
    const billing = yield* Billing.Billing
    return yield* billing.stopRenewal(caller, one, "ext1", id)
  })

  it.effect("is paid until the end of its period and ends with it; to stop it again changes nothing", () =>
    Effect.gen(function* () {
      const { id, status } = yield* stop
      strictEqual(status, "no_renew")
      const [billing, log] = [yield* Billing.Billing, yield* AuditStore]
      const recorded = Effect.map(log.read(one, 0, 100), (records) => records.length)
      const before = yield* recorded
      strictEqual((yield* billing.stopRenewal(caller, one, "ext1", id)).status, "no_renew")
      strictEqual(yield* recorded, before)
      yield* TestClock.adjust(days(28))
      yield* run
      const ended = yield* billing.subscription(one, "ext1", id)
      deepStrictEqual([ended.status, ended.cancelledAt], ["cancelled", BillingPeriod.startOf(start, "month", 1)])
      yield* TestClock.adjust(days(60))
      yield* run
      deepStrictEqual(
        (yield* all).map(({ status }) => status),
        ["paid"]
      )
      const rejected = yield* Effect.flip(billing.stopRenewal(caller, one, "ext1", id))
      strictEqual(rejected.message, "Subscription is cancelled: there is nothing to renew")
    }).pipe(Effect.provide(services))
  )

  it.effect("ends when its last payment is rejected, and what was used is billed", () =>
    Effect.gen(function* () {
      yield* ready
      const [billing, store] = [yield* Billing.Billing, yield* BillingStore]
      yield* (yield* sandbox).behave({ kind: "fail" })
      yield* store.save([{ ...active(one, "a"), entityId: "ext1", lines: [line(), usage] }])
      yield* run
      yield* billing.addUsage(caller, one, "a", "usage", 70)
      yield* billing.stopRenewal(caller, one, "ext1", "a")
      for (const wait of [1, 3, 5]) {
        yield* TestClock.adjust(days(wait))
        yield* run
      }
      strictEqual((yield* billing.subscription(one, "ext1", "a")).status, "cancelled")
      deepStrictEqual(
        (yield* all).map(({ total }) => total),
        [30_000, 70]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("can be replaced after its last period before the billing run has ended it, and gives no credit then", () =>
    Effect.gen(function* () {
      const { id } = yield* stop
      yield* run
      yield* TestClock.adjust(days(29))
      const billing = yield* Billing.Billing
      yield* billing.createSubscription(caller, one, "ext1", draft, "second")
      const second = yield* billing.answerConfirmation("second", "accept", null)
      deepStrictEqual([second.status, second.credit, second.firstId], ["active", 0, second.id])
      const first = yield* billing.subscription(one, "ext1", id)
      deepStrictEqual([first.status, first.cancelledAt], ["cancelled", BillingPeriod.startOf(start, "month", 1)])
    }).pipe(Effect.provide(services))
  )

  it.effect("must have something to renew", () =>
    Effect.gen(function* () {
      yield* ready
      const [billing, store] = [yield* Billing.Billing, yield* BillingStore]
      const once = line({ pricing: "one_time", interval: null })
      yield* store.save([{ ...active(one, "a"), entityId: "ext1", lines: [once] }])
      const rejected = yield* Effect.flip(billing.stopRenewal(caller, one, "ext1", "a"))
      strictEqual(rejected.message, "Subscription is billed once: there is nothing to renew")
      strictEqual((yield* Effect.flip(billing.stopRenewal(caller, one, "ext2", "a")))._tag, "BillingNotFound")
    }).pipe(Effect.provide(services))
  )
})

describe("A database that was restored", () => {
  const restored = (provider: Layer.Layer<PaymentProvider>) =>
    Layer.fresh(
      Layer.provideMerge(
        BillingRun.layer.pipe(Layer.provide(provider)),
        BillingLedger.layer.pipe(
          Layer.provideMerge(CompanyWrite.layer),
          Layer.provideMerge(StorageMemory.layer),
          Layer.provideMerge(Layer.merge(DigestNode.layer, Ids.layer))
        )
      )
    )

  it.effect("has its periods charged under the keys of before, so that the provider moves no money again", () =>
    Effect.gen(function* () {
      const { behave, charged } = yield* sandbox
      const provider = Layer.succeed(PaymentProvider, yield* PaymentProvider)
      const billed = Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* (yield* Directory).putCompanies([{ id: one, name: "One", legalName: "One Ltd" }])
        yield* (yield* BillingStore).save([active(one, "a")])
        for (let tries = 0; tries < 2; tries++) {
          yield* run
          yield* TestClock.adjust(days(1))
          yield* behave({ kind: "succeed" })
        }
        yield* TestClock.adjust(days(30))
        yield* run
        strictEqual((yield* all).length, 2)
      })
      yield* behave({ kind: "fail" })
      yield* Effect.provide(billed, restored(provider))
      const once = yield* charged
      yield* Effect.provide(billed, restored(provider))
      deepStrictEqual([once.size, yield* charged], [2, once])
    }).pipe(Effect.provide(PaymentProviderTest.layer))
  )
})

describe("A clock that is set back a day", () => {
  const back = Effect.flatMap(
    Effect.clockWith((clock) => clock.currentTimeMillis),
    (now) => TestClock.setTime(now - Instant.dayMillis)
  )

  it.effect("does not keep a payment claimed whose host died: its outcome is asked for within the usual wait", () =>
    Effect.gen(function* () {
      yield* subscribed
      const { behave, calls, charged } = yield* sandbox
      yield* behave({ kind: "unsaid" })
      yield* run
      yield* back
      yield* run
      strictEqual((yield* all)[0]?.payment.state, "asked")
      yield* TestClock.adjust("31 seconds")
      yield* run
      strictEqual((yield* all)[0]?.status, "paid")
      deepStrictEqual([yield* calls, [...(yield* charged).values()]], [1, [1]])
    }).pipe(Effect.provide(services))
  )

  it.effect("does not delay an invoice whose payment was never tried", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* back
      yield* run
      yield* run
      strictEqual((yield* all)[0]?.status, "paid")
    }).pipe(Effect.provide(services))
  )

  it.effect("delays a rejected payment by its usual delay from then on, not by a day more", () =>
    Effect.gen(function* () {
      yield* subscribed
      const { behave, calls } = yield* sandbox
      yield* behave({ kind: "fail" })
      yield* run
      yield* back
      yield* run
      strictEqual(yield* calls, 1)
      yield* TestClock.adjust("23 hours")
      yield* run
      strictEqual(yield* calls, 1)
      yield* TestClock.adjust("1 hour")
      yield* run
      strictEqual(yield* calls, 2)
    }).pipe(Effect.provide(services))
  )

  it.effect("bills no period again, and the next one when its day comes", () =>
    Effect.gen(function* () {
      yield* subscribed
      yield* run
      yield* back
      yield* run
      strictEqual((yield* all).length, 1)
      yield* TestClock.setTime(BillingPeriod.startOf(start, "month", 1))
      yield* run
      strictEqual((yield* all).length, 2)
    }).pipe(Effect.provide(services))
  )
})

describe("Plans", () => {
  it.effect("a change credits the unused days of the old plan to the new one", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("small")
      yield* run
      yield* TestClock.adjust(days(14))
      const upgraded = yield* activate("big")
      yield* run
      // 28 days from 31 January, of which 14 are used.
      deepStrictEqual(
        upgraded.latestInvoice?.items.map(({ amount, type }) => [type, amount]),
        [
          ["subscription", 62_000],
          ["credit", -15_500]
        ]
      )
      const downgraded = yield* activate("small")
      deepStrictEqual(
        downgraded.latestInvoice?.items.map(({ amount }) => amount),
        [31_000, -31_000]
      )
      strictEqual(downgraded.latestInvoice?.status, "paid")
      strictEqual(downgraded.agreement.credit, 31_000)
      const ended = yield* (yield* BillingStore).agreement(one, upgraded.agreement.id)
      strictEqual(ended?.status, "cancelled")
    }).pipe(Effect.provide(services))
  )

  const neverPaid = Effect.gen(function* () {
    yield* ready
    const billing = yield* Billing.Billing
    yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
    const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
    yield* (yield* sandbox).behave({ kind: "fail" })
    yield* activate("big")
    return { activate, billing }
  })

  it.effect("one that was frozen is paid, and active again, when its company activates it again", () =>
    Effect.gen(function* () {
      const { activate, billing } = yield* neverPaid
      for (const wait of [0, 1, 3, 5]) {
        yield* TestClock.adjust(days(wait))
        yield* run
      }
      strictEqual(yield* billing.current(one), undefined)
      yield* run
      const { behave, calls } = yield* sandbox
      strictEqual(yield* calls, 4)
      // Another rejected payment changes nothing.
      strictEqual((yield* activate("big")).agreement.status, "frozen")
      yield* run
      yield* run
      deepStrictEqual([yield* calls, yield* billing.current(one)], [5, undefined])
      yield* behave({ kind: "succeed" })
      yield* activate("big")
      yield* run
      strictEqual((yield* billing.current(one))?.agreement.status, "active")
      deepStrictEqual(
        (yield* all).map(({ status, total }) => [status, total]),
        [["paid", 62_000]]
      )
      strictEqual(yield* calls, 6)
      yield* activate("big")
      yield* run
      strictEqual(yield* calls, 6)
    }).pipe(Effect.provide(services))
  )

  it.effect("one that was never paid gives no credit to the next", () =>
    Effect.gen(function* () {
      const { activate } = yield* neverPaid
      yield* run
      const next = yield* activate("small")
      deepStrictEqual(
        next.latestInvoice?.items.map(({ amount, type }) => [type, amount]),
        [["subscription", 31_000]]
      )
      strictEqual(next.agreement.credit, 0)
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "one whose payment was not tried yet gives no credit to the next, so that a card that never pays pays for none",
    () =>
      Effect.gen(function* () {
        const { activate, billing } = yield* neverPaid
        const next = yield* activate("small")
        deepStrictEqual([next.latestInvoice?.total, next.agreement.credit], [31_000, 0])
        for (const wait of [0, 1, 3, 5]) {
          yield* TestClock.adjust(days(wait))
          yield* run
        }
        strictEqual(yield* billing.current(one), undefined)
        strictEqual((yield* (yield* sandbox).charged).size, 0)
      }).pipe(Effect.provide(services))
  )

  it.effect("a period that begins with the change gives no credit before it is paid", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("big")
      yield* run
      yield* TestClock.setTime(BillingPeriod.startOf(start, "month", 1))
      const next = yield* activate("small")
      deepStrictEqual([next.latestInvoice?.total, next.agreement.credit], [31_000, 0])
      yield* run
      strictEqual((yield* billing.current(one))?.agreement.credit, 62_000)
    }).pipe(Effect.provide(services))
  )

  it.effect("one that is paid after it was replaced credits its unused days, once, to the plan that runs then", () =>
    Effect.gen(function* () {
      const { activate, billing } = yield* neverPaid
      yield* run
      yield* TestClock.adjust(days(7))
      // Of 28 days, 7 are used; of the second plan, none.
      yield* activate("small")
      yield* activate("trial")
      yield* (yield* sandbox).behave({ kind: "succeed" })
      yield* run
      yield* run
      deepStrictEqual(
        (yield* all).map(({ status, total }) => [status, total]),
        [
          ["paid", 62_000],
          ["paid", 31_000],
          ["paid", 31_000]
        ]
      )
      const current = yield* billing.current(one)
      deepStrictEqual([current?.agreement.entityId, current?.agreement.credit], ["trial", 46_500 + 31_000])
    }).pipe(Effect.provide(services))
  )

  it.effect("one that was partly paid by credit credits the rest of its unused days once that is paid", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("small")
      yield* run
      yield* activate("big")
      yield* TestClock.adjust(days(14))
      const back = yield* activate("trial")
      deepStrictEqual([back.latestInvoice?.total, back.agreement.credit], [15_500, 0])
      yield* run
      // 31,000 + 31,000 + 15,500 were paid; 14 of 28 days of the big plan and none of the last one are used.
      strictEqual((yield* billing.current(one))?.agreement.credit, 15_500)
    }).pipe(Effect.provide(services))
  )

  it.effect("only the last of several invoices that are paid after a replacement gives credit", () =>
    Effect.gen(function* () {
      yield* ready
      const store = yield* BillingStore
      const lines = [line({ amount: 28_000 })]
      yield* store.save([{ ...active(one, "old"), entityId: "ext1", lines, firstId: "old" }])
      const billing = yield* Billing.Billing
      // The first period has 28 days and the second one 31, of which 10 are used.
      yield* TestClock.adjust(days(38))
      yield* billing.createSubscription(caller, one, "ext1", draft, "new")
      yield* billing.answerConfirmation("new", "accept", null)
      yield* run
      deepStrictEqual(
        (yield* all).map(({ agreementId, index, status, total }) => [agreementId === "old", index, status, total]),
        [
          [true, 0, "paid", 28_000],
          [true, 1, "paid", 28_000],
          [false, 0, "paid", 30_000]
        ]
      )
      const [running] = yield* store.running(one, "subscription")
      strictEqual(running?.credit, 28_000 - Math.round((28_000 * 10) / 31))
    }).pipe(Effect.provide(services))
  )

  it.effect("usage that is billed with a replacement is paid by credit first", () =>
    Effect.gen(function* () {
      yield* ready
      const store = yield* BillingStore
      const used = { usage: { usage: 2_000 }, credit: 10_000, lines: [usage], anchor: start, billed: 1 }
      yield* store.save([{ ...active(one, "old"), entityId: "ext1", ...used }])
      const billing = yield* Billing.Billing
      yield* billing.createSubscription(caller, one, "ext1", draft, "new")
      yield* billing.answerConfirmation("new", "accept", null)
      deepStrictEqual(
        (yield* all).map(({ items }) => items.map(({ amount, type }) => [type, amount])),
        [
          [
            ["usage", 2_000],
            ["credit", -2_000]
          ],
          [
            ["subscription", 30_000],
            ["credit", -8_000]
          ]
        ]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("one of another currency can't replace what was paid, which would be lost", () =>
    Effect.gen(function* () {
      yield* ready
      yield* (yield* BillingStore).putPlans([{ ...plan("dollars", 4_000), currency: "USD" }])
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("small")
      yield* run
      const rejected = yield* Effect.flip(activate("dollars"))
      deepStrictEqual([rejected._tag, /small.* INR/.test(rejected.message)], ["OtherCurrency", true])
      strictEqual((yield* billing.current(one))?.agreement.entityId, "small")
    }).pipe(Effect.provide(services))
  )

  it.effect("one that was paid by credit alone gives that back, and no more", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("small")
      yield* run
      yield* (yield* sandbox).behave({ kind: "fail" })
      yield* activate("big")
      yield* run
      const back = yield* activate("small")
      deepStrictEqual(
        back.latestInvoice?.items.map(({ amount, type }) => [type, amount]),
        [
          ["subscription", 31_000],
          ["credit", -31_000]
        ]
      )
      strictEqual(back.agreement.credit, 0)
    }).pipe(Effect.provide(services))
  )

  it.effect("an extension's subscription that was never paid gives no credit to the one that replaces it", () =>
    Effect.gen(function* () {
      yield* (yield* sandbox).behave({ kind: "fail" })
      yield* subscribed
      yield* run
      const billing = yield* Billing.Billing
      yield* billing.createSubscription(caller, one, "ext1", draft, "second")
      const { credit } = yield* billing.answerConfirmation("second", "accept", null)
      strictEqual(credit, 0)
      deepStrictEqual(
        (yield* all).map(({ items }) => items.map(({ amount }) => amount)),
        [[30_000], [30_000]]
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("an extension's subscription that is paid after it was cancelled gives no credit to a later one", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const billing = yield* Billing.Billing
      yield* billing.cancel(caller, one, "ext1", id)
      yield* billing.createSubscription(caller, one, "ext1", draft, "second")
      const second = yield* billing.answerConfirmation("second", "accept", null)
      yield* run
      deepStrictEqual(
        (yield* all).map(({ status, total }) => [status, total]),
        [
          ["paid", 30_000],
          ["paid", 30_000]
        ]
      )
      strictEqual((yield* (yield* BillingStore).agreement(one, second.id))?.credit, 0)
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "a charge in another currency than the running subscription can't be accepted, also if it was asked for before",
    () =>
      Effect.gen(function* () {
        yield* ready
        const billing = yield* Billing.Billing
        const dollars = draft.lines.map((line) => ({ ...line, price: { amount: 40, currency: "USD" } }))
        yield* billing.createSubscription(caller, one, "ext1", draft, "rupees")
        const made = yield* billing.createSubscription(caller, one, "ext1", { ...draft, lines: dollars }, "dollars")
        yield* billing.createSubscription(caller, one, "ext1", { ...draft, lines: dollars }, "more dollars")
        strictEqual((yield* billing.confirmation("dollars")).obstacle, null)
        const paid = yield* billing.answerConfirmation("rupees", "accept", null)
        yield* run
        const offer = yield* billing.confirmation("dollars")
        const rejected = yield* Effect.flip(billing.answerConfirmation("dollars", "accept", null))
        deepStrictEqual([rejected._tag, offer.obstacle], ["OtherCurrency", rejected.message])
        deepStrictEqual([offer.today, offer.next, offer.replaces], [0, null, []])
        strictEqual((yield* billing.answerConfirmation("more dollars", "decline", null)).status, "declined")
        yield* billing.cancel(caller, one, "ext1", paid.id)
        deepStrictEqual((yield* billing.answerConfirmation("dollars", "accept", null)).id, made.id)
      }).pipe(Effect.provide(services))
  )

  it.effect("a company has one trial: another plan keeps the rest of it", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.putCustomer(caller, one, { uniqueId: null, detail: { name: "One" } })
      const activate = (planId: string) => billing.activate(caller, one, { planId, uniqueId: null, coupon: null })
      yield* activate("trial")
      strictEqual((yield* billing.limits(one)).isTrial, true)
      yield* TestClock.adjust(days(10))
      const { agreement } = yield* activate("big")
      strictEqual(agreement.anchor, start + 14 * Instant.dayMillis)
      deepStrictEqual(yield* all, [])
      yield* TestClock.adjust(days(4))
      yield* run
      deepStrictEqual(
        (yield* all).map(({ total }) => total),
        [62_000]
      )
      const back = yield* activate("trial")
      strictEqual(back.agreement.anchor, start + 14 * Instant.dayMillis)
      strictEqual(Invoice.sum((yield* all).map(({ total }) => total)), 62_000)
    }).pipe(Effect.provide(services))
  )

  it.effect("a preview shows exactly what is charged later", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const billing = yield* Billing.Billing
      const until = start + 100 * Instant.dayMillis
      const shown = yield* billing.preview(one, id, until)
      const before = (yield* all).length
      yield* TestClock.setTime(until)
      yield* run
      const charged = (yield* all).slice(before)
      deepStrictEqual(
        charged.map(({ index, items, total }) => ({ index, items, total })),
        shown.map(({ index, items, total }) => ({ index, items, total }))
      )
    }).pipe(Effect.provide(services))
  )

  it.effect("a customer can be erased: invoices keep their client, later ones name the company", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      strictEqual(yield* billing.eraseCustomer(caller, one), false)
      const detail = { name: "Asha Rao", email: "asha@example.com", billingAddress: { city: "Mysuru" } }
      const { createdAt, id } = yield* billing.putCustomer(caller, one, { uniqueId: null, detail })
      yield* billing.activate(caller, one, { planId: "small", uniqueId: null, coupon: null })
      yield* TestClock.adjust(days(1))
      strictEqual(yield* billing.eraseCustomer(caller, one), true)
      deepStrictEqual(yield* billing.customer(one), {
        companyId: one,
        id,
        createdAt,
        modifiedAt: start + Instant.dayMillis,
        version: 2
      })
      yield* TestClock.adjust(days(40))
      yield* run
      deepStrictEqual(
        (yield* all).map(({ client }) => [client.name, client.email, client.addressLines]),
        [
          ["Asha Rao", "asha@example.com", ["Mysuru"]],
          ["One Ltd", null, []]
        ]
      )
      const recorded = yield* Effect.flatMap(AuditStore, (log) => log.read(one, 0, 100))
      strictEqual(recorded.filter(({ action }) => action === "erase").length, 1)
      strictEqual(/asha/i.test(JSON.stringify(recorded)), false)
    }).pipe(Effect.provide(services))
  )
})

describe("A closed company", () => {
  const closed = (at: number | null) =>
    Effect.flatMap(Directory, (directory) => directory.setClosed(one, at)).pipe(
      Effect.andThen(Effect.flatMap(Billing.Billing, (billing) => billing.followClosing(caller, one)))
    )
  const periods = Effect.map(all, (invoices) => invoices.map(({ index, status }) => [index, status]))

  it.effect("is billed what was due, and no period until it is reopened: then the present one, not those between", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const store = yield* BillingStore
      yield* TestClock.setTime(Date.UTC(2026, 2, 5))
      strictEqual(yield* closed(1), 1)
      strictEqual(yield* closed(1), 0)
      strictEqual((yield* store.agreement(one, id))?.status, "frozen")
      yield* TestClock.setTime(Date.UTC(2026, 6, 5))
      yield* run
      deepStrictEqual(yield* periods, [
        [0, "paid"],
        [1, "paid"]
      ])
      strictEqual(yield* closed(null), 1)
      strictEqual(yield* closed(null), 0)
      yield* run
      deepStrictEqual(yield* periods, [
        [0, "paid"],
        [1, "paid"],
        [5, "paid"]
      ])
      strictEqual((yield* store.agreement(one, id))?.status, "active")
    }).pipe(Effect.provide(services))
  )

  it.effect("isn't active again because an open invoice was paid, nor when it is reopened with one that is open", () =>
    Effect.gen(function* () {
      const { id } = yield* subscribed
      const [store, { behave }] = [yield* BillingStore, yield* sandbox]
      const status = Effect.map(store.agreement(one, id), (found) => found?.status)
      yield* behave({ kind: "fail" })
      yield* run
      yield* closed(1)
      strictEqual(yield* closed(null), 0)
      strictEqual(yield* status, "frozen")
      yield* closed(1)
      yield* behave({ kind: "succeed" })
      yield* TestClock.adjust(days(1))
      yield* run
      deepStrictEqual([yield* periods, yield* status], [[[0, "paid"]], "frozen"])
      strictEqual(yield* closed(null), 1)
      strictEqual(yield* status, "active")
    }).pipe(Effect.provide(services))
  )

  it.effect("has no confirm page until it is reopened", () =>
    Effect.gen(function* () {
      yield* ready
      const billing = yield* Billing.Billing
      yield* billing.createSubscription(caller, one, "ext1", draft, "first")
      yield* closed(1)
      const tags = yield* Effect.forEach(
        [
          Effect.asVoid(billing.confirmation("first")),
          Effect.asVoid(billing.answerConfirmation("first", "accept", null))
        ],
        (answer) => Effect.map(Effect.flip(answer), ({ _tag }) => _tag)
      )
      deepStrictEqual(tags, ["BillingNotFound", "BillingNotFound"])
      yield* closed(null)
      strictEqual((yield* billing.answerConfirmation("first", "accept", null)).status, "active")
    }).pipe(Effect.provide(services))
  )
})
