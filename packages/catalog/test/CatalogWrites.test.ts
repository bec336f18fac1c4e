import { AuditLog, Events } from "@crossdock/audit"
import {
  CatalogImport,
  CatalogWorker,
  CatalogWrite,
  CatalogWrites,
  ProductInput,
  ProductStore
} from "@crossdock/catalog"
import { company, productInput as input, referenceData, sizeInput } from "@crossdock/catalog/testing"
import { BackgroundLoop, CompanyId, StorageError } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./World.ts"

const accept = (...args: Parameters<typeof World.submission>) =>
  Effect.flatMap(CatalogWrites.CatalogWrites, (writes) => writes.accept(World.caller(), World.submission(...args)))

const acceptOfOther = (...products: ReadonlyArray<unknown>) =>
  Effect.flatMap(CatalogWrites.CatalogWrites, (writes) =>
    writes.accept(World.caller(World.otherCompany), World.submission("create", ...products))
  )

const processAll = Effect.flatMap(CatalogWrites.CatalogWrites, (writes) =>
  Effect.repeat(
    Effect.flatMap(writes.due, (due) => Effect.as(Effect.forEach(due, writes.process), due.length)),
    { until: (count) => count === 0 }
  )
)

const outcomeOf = (write: CatalogWrite.WriteKey) =>
  Effect.flatMap(CatalogWrites.CatalogWrites, (writes) =>
    writes.find(World.caller(write.companyId), write.traceId)
  ).pipe(
    Effect.map((found) =>
      found === undefined
        ? undefined
        : {
            stage: found.stage,
            status: CatalogWrite.status(found),
            total: found.total,
            succeeded: CatalogWrite.succeeded(found),
            failures: found.failures.map(({ code, index }) => `${index} ${code}`)
          }
    )
  )

const stored = (...itemCodes: ReadonlyArray<string>) =>
  Effect.flatMap(ProductStore, (store) => store.find(company, { itemCodes, slugs: [], skus: [] })).pipe(
    Effect.map((products) => products.map(({ name }) => name).sort())
  )

const running = { stage: "RUNNING", status: "RUNNING" }
const completed = (status: string) => ({ stage: "COMPLETED", status })

describe("writes of products", () => {
  it.effect(
    "what one write changes several times is one event and once in the record, from its first state to its last",
    () =>
      Effect.gen(function* () {
        const { brand: _, slug: __, ...rest } = input("A")
        const changed = (name: string, sku: string) => ({ ...rest, name, sizes: [sizeInput(sku)] })
        yield* accept("create", input("A", { sizes: ["A", "B", "C"].map((sku) => sizeInput(sku)) }))
        yield* processAll
        const update = yield* accept("update", changed("1", "D"), changed("2", "E"))
        yield* processAll
        const sizes = (...skus: ReadonlyArray<string>) => ({
          item_code: "A",
          sizes: skus.map((sku) => ({ primary_identifier: sku }))
        })
        const removal = yield* accept("delete", sizes("D"), sizes("A"), sizes("A"))
        yield* processAll
        deepStrictEqual(
          [(yield* outcomeOf(update))?.succeeded, (yield* outcomeOf(removal))?.failures],
          [2, ["2 UNKNOWN_SKU"]]
        )
        const { read } = yield* Events.Events
        const events = yield* read(company, 0, 10)
        const ofA = { itemCode: "A", brand: "Acme", slug: "tee-a" }
        deepStrictEqual(
          events.map(({ data, type }) => [type, data]),
          [
            ["product.created", { ...ofA, skus: ["A", "B", "C"] }],
            ["product.updated", { ...ofA, skus: ["A", "B", "C", "D", "E"], deletedSkus: [] }],
            ["product.updated", { ...ofA, skus: ["B", "C", "E"], deletedSkus: ["A", "D"] }]
          ]
        )
        const records = yield* (yield* AuditLog).read(company, 0, 10)
        const logged = records.map(({ body }) => JSON.parse(body).logs).slice(1)
        deepStrictEqual(
          logged.map(({ after, before, request }) => [request, before.length, after[0].name]),
          [
            [["A"], 1, "2"],
            [["A"], 1, "2"]
          ]
        )
      }).pipe(Effect.provide(Layer.provideMerge(Events.layer, World.layer)))
  )

  it.effect("nothing is there before it is processed, and everything at once after it", () =>
    Effect.gen(function* () {
      const write = yield* accept("create", input("A"), input("B", { brand: "None" }), input("C"))
      const counts = { total: 3, succeeded: 2, failures: ["1 UNKNOWN_BRAND"] }
      deepStrictEqual(yield* outcomeOf(write), { ...running, ...counts })
      deepStrictEqual(yield* stored("A", "C"), [])
      yield* processAll
      deepStrictEqual(yield* outcomeOf(write), { ...completed("PARTIAL_SUCCESS"), ...counts })
      deepStrictEqual(yield* stored("A", "B", "C"), ["Tee A", "Tee C"])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("of two accepted writes of one product the second fails when it is processed, and is counted so", () =>
    Effect.gen(function* () {
      const first = yield* accept("create", input("A"))
      const second = yield* accept("create", input("A", { name: "Second" }), input("B"))
      strictEqual(CatalogWrite.succeeded(second), 2)
      yield* processAll
      strictEqual((yield* outcomeOf(first))?.status, "SUCCESS")
      const counts = { total: 2, succeeded: 1, failures: ["0 SLUG_TAKEN"] }
      deepStrictEqual(yield* outcomeOf(second), { ...completed("PARTIAL_SUCCESS"), ...counts })
      deepStrictEqual(yield* stored("A", "B"), ["Tee A", "Tee B"])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("a product whose brand was renamed can be sent as it is read, and keeps its slug for itself", () =>
    Effect.gen(function* () {
      yield* accept("create", input("A"))
      yield* processAll
      const imports = yield* CatalogImport.CatalogImport
      yield* imports.reference(referenceData, [{ companyId: company, uid: 1, name: "Renamed" }])
      const [product] = yield* Effect.flatMap(ProductStore, (store) =>
        store.find(company, { itemCodes: ["A"], slugs: [], skus: [] })
      )
      const shown = product === undefined ? {} : ProductInput.shown(product)
      const update = yield* accept("update", { ...shown, brand_uid: "1" })
      const again = yield* accept("create", input("B", { ...shown, item_code: "B", sizes: [sizeInput("B-M")] }))
      const bySlug = yield* accept("update", { ...shown, item_code: null, name: "By slug" })
      yield* processAll
      strictEqual((shown as { readonly brand?: string }).brand, "Renamed")
      strictEqual((yield* outcomeOf(update))?.status, "SUCCESS")
      deepStrictEqual((yield* outcomeOf(again))?.failures, ["0 SLUG_TAKEN"])
      strictEqual((yield* outcomeOf(bySlug))?.status, "SUCCESS")
      deepStrictEqual(yield* stored("A"), ["By slug"])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("an update of what was deleted meanwhile fails when it is processed", () =>
    Effect.gen(function* () {
      yield* accept("create", input("A"))
      yield* processAll
      yield* accept("delete", { item_code: "A" })
      const update = yield* accept("update", input("A", { name: "Late" }))
      yield* processAll
      const counts = { total: 1, succeeded: 0, failures: ["0 UNKNOWN_PRODUCT"] }
      deepStrictEqual(yield* outcomeOf(update), { ...completed("FAILED"), ...counts })
    }).pipe(Effect.provide(World.layer))
  )

  it.effect(
    "many hosts at once process each write once: one change of each product, one audit record of each write",
    () =>
      Effect.gen(function* () {
        const writes = yield* CatalogWrites.CatalogWrites
        yield* accept("create", input("A"))
        yield* processAll
        for (let i = 0; i < 5; i++) yield* accept("update", input("A", { name: `Name ${i}` }))
        yield* Effect.all(
          Array.from({ length: 10 }, () => processAll),
          { concurrency: "unbounded" }
        )
        deepStrictEqual(yield* writes.due, [])
        deepStrictEqual(yield* stored("A"), ["Name 4"])
        strictEqual((yield* Effect.flatMap(AuditLog, (log) => log.read(company, 0, 100))).length, 6)
      }).pipe(Effect.provide(World.layer))
  )

  it.effect("the audit record says who asked, and each product before and after", () =>
    Effect.gen(function* () {
      yield* accept("create", input("A"), input("B"))
      yield* processAll
      const write = yield* accept("update", input("A", { name: "Changed" }), input("none"))
      yield* accept("delete", { item_code: "B" })
      yield* processAll
      const records = yield* Effect.flatMap(AuditLog, (log) => log.read(company, 0, 100))
      const bodies = records.map(({ body }) => JSON.parse(body))
      deepStrictEqual(
        bodies.map(({ entity, recorded_by, request_id }) => [entity.type, entity.action, recorded_by.id, request_id]),
        ["create", "update", "delete"].map((action) => ["product", action, "acme", "r1"])
      )
      const [, update, remove] = bodies
      strictEqual(update.entity.id, write.traceId)
      deepStrictEqual(
        [update.logs.before, update.logs.after].map((side) => side.map((one: { name: string }) => one.name)),
        [["Tee A"], ["Changed"]]
      )
      deepStrictEqual([remove.logs.before[0].item_code, remove.logs.after], ["B", [null]])
    }).pipe(Effect.provide(World.layer))
  )
})

/** A product store that is broken for one company, so many times. */
const broken = (fault: Effect.Effect<never, StorageError>, times: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const store = yield* ProductStore
      const faults = yield* Ref.make(times)
      return Layer.succeed(ProductStore, {
        ...store,
        put: (owner, ...args) =>
          owner === company
            ? Effect.flatMap(
                Ref.getAndUpdate(faults, (left) => left - 1),
                (left) => (left > 0 ? fault : store.put(owner, ...args))
              )
            : store.put(owner, ...args)
      })
    })
  )

const withFault = (fault: Effect.Effect<never, StorageError>, times = 1) =>
  Layer.fresh(CatalogWrites.layer).pipe(Layer.provide(broken(fault, times)), Layer.provideMerge(World.layer))

const unreachable = Effect.fail(new StorageError({ operation: "put", cause: "unreachable" }))

describe("the worker", () => {
  /** Lets the fibers run without any time passing. */
  const turns = Effect.repeat(Effect.yieldNow, { times: 2000 })

  it.effect("is woken by what is accepted, before any time has passed", () =>
    Effect.gen(function* () {
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      const write = yield* accept("create", input("A"))
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "SUCCESS")
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("finds what another host left behind", () =>
    Effect.gen(function* () {
      const write = yield* accept("create", input("A"))
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "SUCCESS")
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("tries again what the storage rejected, and applies it once", () =>
    Effect.gen(function* () {
      const write = yield* accept("create", input("A"))
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "RUNNING")
      yield* TestClock.adjust("2 seconds")
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "SUCCESS")
      deepStrictEqual(yield* stored("A"), ["Tee A"])
    }).pipe(Effect.provide(withFault(unreachable)))
  )

  it.effect("ends a write that a defect stops as FAILED, and goes on with the next", () =>
    Effect.gen(function* () {
      const write = yield* accept("create", input("A"), input("B", { brand: "None" }))
      const next = yield* accept("create", input("C"))
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      const counts = { total: 2, succeeded: 0, failures: ["0 PROCESSING_FAILED", "1 UNKNOWN_BRAND"] }
      deepStrictEqual(yield* outcomeOf(write), { ...completed("FAILED"), ...counts })
      strictEqual((yield* outcomeOf(next))?.status, "SUCCESS")
    }).pipe(Effect.provide(withFault(Effect.die("a bug"))))
  )

  it.effect("goes on after an interruption inside a write that is not its own end", () =>
    Effect.gen(function* () {
      const write = yield* accept("create", input("A"))
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "RUNNING")
      yield* TestClock.adjust("2 seconds")
      yield* turns
      strictEqual((yield* outcomeOf(write))?.status, "SUCCESS")
    }).pipe(Effect.provide(withFault(Effect.interrupt)))
  )

  for (const [how, fault] of [
    ["fails", unreachable],
    ["is interrupted", Effect.interrupt]
  ] as const) {
    it.effect(`a write that ${how} each time keeps no other company waiting`, () =>
      Effect.gen(function* () {
        const stuck = yield* accept("create", input("A"))
        const behind = yield* acceptOfOther(input("A"))
        yield* Effect.forkChild(CatalogWorker.run())
        yield* turns
        strictEqual((yield* outcomeOf(stuck))?.status, "RUNNING")
        strictEqual((yield* outcomeOf(behind))?.status, "SUCCESS")
        yield* TestClock.adjust("1 hour")
        const later = yield* acceptOfOther(input("B"))
        yield* turns
        strictEqual((yield* outcomeOf(later))?.status, "SUCCESS")
      }).pipe(Effect.provide(withFault(fault, Number.POSITIVE_INFINITY)))
    )
  }

  it.effect("processes at once what was accepted before the clock was set back a day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22))
      const left = yield* accept("create", input("A"))
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      strictEqual((yield* outcomeOf(left))?.status, "SUCCESS")
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("works on as many companies at once as the host says, one unless it does", () => {
    const inFlight = (atOnce: Layer.Layer<never>) =>
      Effect.gen(function* () {
        let [now, most] = [0, 0]
        const process = () =>
          Effect.sync(() => {
            now++
            most = Math.max(most, now)
          }).pipe(Effect.andThen(Effect.sleep("1 second")), Effect.andThen(Effect.sync(() => now--)), Effect.as(false))
        const due = Effect.succeed([1, 2, 3].map((id) => ({ companyId: CompanyId.make(id), traceId: "t" })))
        const writes = Layer.mock(CatalogWrites.CatalogWrites, { accepted: Effect.never, due, process })
        const worker = yield* Effect.forkChild(
          Effect.provide(CatalogWorker.run(), [writes, BackgroundLoop.registry, atOnce])
        )
        yield* TestClock.adjust("3 seconds")
        yield* Fiber.interrupt(worker)
        return most
      })
    const two = Layer.succeed(BackgroundLoop.Concurrency, 2)
    return Effect.gen(function* () {
      deepStrictEqual([yield* inFlight(Layer.empty), yield* inFlight(two)], [1, 2])
    })
  })

  it.effect("leaves what it was at as it was when it stops, to be taken up at once", () =>
    Effect.gen(function* () {
      const writes = yield* CatalogWrites.CatalogWrites
      const write = yield* accept("create", input("A"))
      const worker = yield* Effect.forkChild(CatalogWorker.run())
      yield* turns
      yield* Fiber.interrupt(worker)
      deepStrictEqual(yield* writes.due, [{ companyId: write.companyId, traceId: write.traceId }])
      deepStrictEqual(yield* stored("A"), [])
      assertTrue((yield* outcomeOf(write))?.stage === "RUNNING")
    }).pipe(Effect.provide(withFault(Effect.never)))
  )
})
