import { AuditStore, Events } from "@crossdock/audit"
import {
  CatalogImport,
  type CatalogWrite,
  CatalogWriteStore,
  CatalogWrites,
  ProductMapping,
  ProductStore
} from "@crossdock/catalog"
import { company, productInput as input, referenceData, sizeInput } from "@crossdock/catalog/testing"
import { Bulk, StorageError } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Ref } from "effect"
import * as World from "./World.ts"

const apply = (...args: Parameters<typeof World.submission>) =>
  Effect.flatMap(CatalogWrites.CatalogWrites, (writes) => writes.apply(World.caller(), World.submission(...args)))

const outcomeOf = ({ companyId, traceId }: CatalogWrite) =>
  Effect.flatMap(CatalogWrites.CatalogWrites, (writes) => writes.find(World.caller(companyId), traceId)).pipe(
    Effect.map((found) =>
      found === undefined
        ? undefined
        : {
            status: Bulk.statusOf(found),
            total: found.total,
            succeeded: found.total - found.failures.length,
            failures: found.failures.map(({ code, index }) => `${index} ${code}`)
          }
    )
  )

const stored = (...itemCodes: ReadonlyArray<string>) =>
  Effect.flatMap(ProductStore, (store) => store.find(company, { itemCodes, slugs: [], skus: [] })).pipe(
    Effect.map((products) => products.map(({ name }) => name).sort())
  )

describe("writes of products", () => {
  it.effect(
    "what one write changes several times is one event and once in the record, from its first state to its last",
    () =>
      Effect.gen(function* () {
        const { brand: _, slug: __, ...rest } = input("A")
        const changed = (name: string, sku: string) => ({ ...rest, name, sizes: [sizeInput(sku)] })
        yield* apply("create", input("A", { sizes: ["A", "B", "C"].map((sku) => sizeInput(sku)) }))
        const update = yield* apply("update", changed("1", "D"), changed("2", "E"))
        const sizes = (...skus: ReadonlyArray<string>) => ({
          item_code: "A",
          sizes: skus.map((sku) => ({ primary_identifier: sku }))
        })
        const removal = yield* apply("delete", sizes("D"), sizes("A"), sizes("A"))
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
        const records = yield* (yield* AuditStore).read(company, 0, 10)
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

  it.effect("valid products are stored with the write's outcome, the others are its failures", () =>
    Effect.gen(function* () {
      const write = yield* apply("create", input("A"), input("B", { brand: "None" }), input("C"))
      const counts = { total: 3, succeeded: 2, failures: ["1 UNKNOWN_BRAND"] }
      deepStrictEqual(yield* outcomeOf(write), { status: "PARTIAL_SUCCESS", ...counts })
      deepStrictEqual(yield* stored("A", "B", "C"), ["Tee A", "Tee C"])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("a write without a valid product has an outcome, and no record in the audit trail", () =>
    Effect.gen(function* () {
      const write = yield* apply("delete", { item_code: "A" })
      deepStrictEqual(yield* outcomeOf(write), {
        status: "FAILED",
        total: 1,
        succeeded: 0,
        failures: ["0 UNKNOWN_PRODUCT"]
      })
      deepStrictEqual(yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 100)), [])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("a product whose brand was renamed can be sent as it is read, and keeps its slug for itself", () =>
    Effect.gen(function* () {
      yield* apply("create", input("A"))
      const imports = yield* CatalogImport.CatalogImport
      yield* imports.reference(referenceData, [{ companyId: company, uid: 1, name: "Renamed" }])
      const [product] = yield* Effect.flatMap(ProductStore, (store) =>
        store.find(company, { itemCodes: ["A"], slugs: [], skus: [] })
      )
      const shown = product === undefined ? {} : ProductMapping.shown(product)
      const update = yield* apply("update", { ...shown, brand_uid: "1" })
      const again = yield* apply("create", input("B", { ...shown, item_code: "B", sizes: [sizeInput("B-M")] }))
      const bySlug = yield* apply("update", { ...shown, item_code: null, name: "By slug" })
      strictEqual((shown as { readonly brand?: string }).brand, "Renamed")
      strictEqual((yield* outcomeOf(update))?.status, "SUCCESS")
      deepStrictEqual((yield* outcomeOf(again))?.failures, ["0 SLUG_TAKEN"])
      strictEqual((yield* outcomeOf(bySlug))?.status, "SUCCESS")
      deepStrictEqual(yield* stored("A"), ["By slug"])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("of many writes of one product at once each is applied once, with a record of its own", () =>
    Effect.gen(function* () {
      yield* apply("create", input("A"))
      const names = Array.from({ length: 5 }, (_, i) => `Name ${i}`)
      const writes = yield* Effect.forEach(names, (name) => apply("update", input("A", { name })), {
        concurrency: "unbounded"
      })
      deepStrictEqual(new Set(writes.map(Bulk.statusOf)), new Set(["SUCCESS"]))
      const records = yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 100))
      const last = JSON.parse(records.at(-1)?.body ?? "").logs.after[0].name
      strictEqual(records.length, 6)
      deepStrictEqual(yield* stored("A"), [last])
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("nothing of a write remains when the storage fails", () =>
    Effect.gen(function* () {
      const store = yield* ProductStore
      const failing = {
        ...store,
        put: (...args: Parameters<typeof store.put>) =>
          Effect.andThen(store.put(...args), Effect.fail(new StorageError({ operation: "put", cause: "lost" })))
      }
      const inserted = yield* Ref.make<ReadonlyArray<string>>([])
      const outcomes = yield* CatalogWriteStore
      const writes = yield* CatalogWrites.make.pipe(
        Effect.provideService(ProductStore, failing),
        Effect.provideService(CatalogWriteStore, {
          ...outcomes,
          insert: (write) =>
            Effect.andThen(
              outcomes.insert(write),
              Ref.update(inserted, (all) => [...all, write.traceId])
            )
        })
      )
      const error = yield* Effect.flip(writes.apply(World.caller(), World.submission("create", input("A"))))
      strictEqual(error._tag, "StorageError")
      deepStrictEqual(yield* stored("A"), [])
      const [traceId = ""] = yield* Ref.get(inserted)
      strictEqual(traceId.length > 0, true)
      strictEqual(yield* outcomes.find(company, traceId), undefined)
    }).pipe(Effect.provide(World.layer))
  )

  it.effect("the audit record says who asked, and each product before and after", () =>
    Effect.gen(function* () {
      yield* apply("create", input("A"), input("B"))
      const write = yield* apply("update", input("A", { name: "Changed" }), input("none"))
      yield* apply("delete", { item_code: "B" })
      const records = yield* Effect.flatMap(AuditStore, (log) => log.read(company, 0, 100))
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
