/** The laws of `SkuStock` and `SkuShipments`, the ports for deleting SKUs. */
import { SkuShipments, SkuStock } from "@crossdock/catalog"
import { type Level, StockLevels } from "@crossdock/inventory"
import { type CompanyId, Money, type Transaction } from "@crossdock/kernel"
import { OrderStore } from "@crossdock/orders"
import { PriceStore } from "@crossdock/pricing"
import { mayMoveStock, type OperationalStatus, operationalStatuses, ShipmentStore } from "@crossdock/shipments"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { linger } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, column, columns, inTransaction, inUnit, type Laws, sortedBy } from "./Laws.ts"
import { freshOrder } from "./OrderStoreLaws.ts"
import { Seed, seller } from "./Seed.ts"
import { item, placed } from "./ShipmentWorld.ts"
import { stock } from "./StockMovementLaws.ts"

const levelOf = (company: CompanyId, sku: string, location = "L1") =>
  Effect.flatMap(StockLevels, (levels) => levels.load(company, [{ sku, location }])).pipe(
    Effect.map(([level]) => (typeof level === "object" ? [level.onHand, level.version] : level))
  )

const reservedOf = (company: CompanyId, ...skus: ReadonlyArray<string>) =>
  Effect.flatMap(SkuStock, (stock) => stock.reserved(company, skus)).pipe(Effect.map((found) => [...found].sort()))

type Ports = SkuStock | StockLevels | PriceStore | Seed | Transaction.Transaction

export const skuStockLaws = (laws: Laws<Ports>): void => {
  const { concurrent, law } = about(SkuStock, laws)
  law("a SKU is reserved when it has reserved stock at any location of the company", function* () {
    const company = yield* seller(["L1", "L2"], ["s1", "s2", "s3"])
    const other = yield* seller(["L1"], ["s3"])
    yield* stock(company, "s1", 5, { location: "L2", reserved: 2 })
    yield* stock(company, "s2", 5, { reserved: 2 })
    yield* stock(company, "s3", 5)
    yield* stock(other, "s3", 5, { reserved: 2 })
    deepStrictEqual(yield* reservedOf(company, "s1", "s2", "s3", "nowhere"), ["s1", "s2"])
    deepStrictEqual(yield* reservedOf(company, "s3"), [])
    deepStrictEqual(yield* reservedOf(company), [])
  })

  law("deleted SKUs have no stock and no price any more, and nothing else is deleted", function* (use) {
    const prices = yield* PriceStore
    const company = yield* seller(["L1", "L2"], ["s1", "s2"])
    const other = yield* seller(["L1"], ["s1"])
    const priced = (company: CompanyId, sku: string) =>
      Effect.map(prices.load(company, [{ sku, location: "L1" }]), ([price]) =>
        typeof price === "object" ? price.version : price
      )
    for (const [of, sku] of [
      [company, "s1"],
      [company, "s2"],
      [other, "s1"]
    ] as const) {
      yield* stock(of, sku, 5)
      const [before] = yield* prices.load(of, [{ sku, location: "L1" }])
      if (typeof before !== "object") return yield* Effect.die(new Error("no price"))
      const after = { ...before, mrp: Money.minorUnits(2), esp: Money.minorUnits(1) }
      yield* prices.save(of, 1, [{ before, after }])
    }
    yield* stock(company, "s1", 7, { location: "L2" })
    yield* use.remove(company, ["s1", "nowhere"], { changeNumber: 9, at: 90 })
    const stocked = [levelOf(company, "s1"), levelOf(company, "s1", "L2"), levelOf(company, "s2"), levelOf(other, "s1")]
    deepStrictEqual((yield* Effect.all(stocked)).map(String), ["0,0", "0,0", "5,1", "5,1"])
    deepStrictEqual([yield* priced(company, "s1"), yield* priced(company, "s2"), yield* priced(other, "s1")], [0, 1, 1])
    deepStrictEqual(yield* Effect.flatMap(StockLevels, (levels) => levels.discrepancies(company)), [])
  })

  law("a deleted SKU is marked without stock where it was marked before, until it is marked again", function* (use) {
    const [levels, seed] = [yield* StockLevels, yield* Seed]
    const company = yield* seller(["L1", "L2", "L3"], ["s1", "s2"])
    const other = yield* seller(["L1"], ["s1"])
    const marks = (after: number, limit = 10, locations = ["L1", "L2", "L3"]) =>
      Effect.map(levels.marked(company, locations, after, limit, "m"), (found) =>
        found.map(({ location, onHand, changeNumber, sku }) => `${changeNumber} ${sku}@${location} ${onHand}`)
      )
    const set = (sku: string, location: string, onHand: number, number: number, marked = true) =>
      stock(company, sku, onHand, { location, number, marked })
    yield* stock(other, "s1", 4)
    yield* set("s1", "L1", 5, 1)
    yield* set("s1", "L2", 6, 2)
    yield* set("s1", "L3", 0, 3, false)
    yield* set("s2", "L1", 7, 4)
    yield* use.remove(company, ["s1"], { changeNumber: 5, at: 50 })
    yield* seed.products(company, [Fresh.product(company, "item", ["s2"])])
    deepStrictEqual(yield* marks(0), ["4 s2@L1 7", "5 s1@L1 0", "5 s1@L2 0"])
    deepStrictEqual(yield* marks(4, 1), ["5 s1@L1 0", "5 s1@L2 0"])
    deepStrictEqual(yield* marks(0, 1), ["4 s2@L1 7"])
    deepStrictEqual(yield* marks(0, 10, ["L2"]), ["5 s1@L2 0"])
    deepStrictEqual(yield* marks(5), [])
    deepStrictEqual(column(yield* levels.marked(other, ["L1"], 0, 10, "m"), "onHand"), [4])
    yield* seed.products(company, [Fresh.product(company, "item", ["s2", "s1"])])
    yield* set("s1", "L1", 0, 6, false)
    deepStrictEqual(yield* marks(4), ["5 s1@L1 0", "5 s1@L2 0"])
    yield* set("s1", "L1", 8, 7)
    deepStrictEqual(yield* marks(4), ["5 s1@L2 0", "7 s1@L1 8"])
    yield* use.remove(company, ["s1"], { changeNumber: 8, at: 80 })
    deepStrictEqual(yield* marks(4), ["5 s1@L2 0", "8 s1@L1 0"])
  })

  law("SKUs of 2,000 characters have stock of their own, and are marked when they are deleted", function* (use) {
    const levels = yield* StockLevels
    const [text, other] = yield* Fresh.longTexts
    const company = yield* seller(["L1"], [text, other])
    yield* stock(company, text, 5, { reserved: 2 })
    yield* stock(company, other, 7)
    deepStrictEqual(yield* reservedOf(company, text, other), [text])
    const both = Effect.all([levelOf(company, text), levelOf(company, other)])
    deepStrictEqual((yield* both).map(String), ["5,1", "7,1"])
    const keys = [text, other].map((sku) => ({ sku, location: "L1" }))
    const deleted = Effect.map(levels.deleted(company, keys, "m"), (found) => found.map(({ sku }) => sku))
    yield* use.remove(company, [text], { changeNumber: 8, at: 80 })
    deepStrictEqual(yield* deleted, [text])
    deepStrictEqual((yield* both).map(String), ["0,0", "7,1"])
    yield* use.remove(company, [other], { changeNumber: 9, at: 90 })
    strictEqual((yield* deleted).length, 2)
  })

  law("a deleted level is found by its key, with the number and time of its deletion", function* (use) {
    const [levels, seed] = [yield* StockLevels, yield* Seed]
    const company = yield* seller(["L1", "L2"], ["s1", "s2", "s3"])
    const other = yield* seller(["L1"], ["s1"])
    yield* Effect.forEach(["s1", "s2"], (sku) => stock(company, sku, 5))
    yield* stock(company, "s1", 6, { location: "L2" })
    yield* stock(other, "s1", 7)
    const keys = ["s1", "s2", "s3", "unknown"].flatMap((sku) =>
      ["L1", "L2", "none"].map((location) => ({ sku, location }))
    )
    deepStrictEqual(yield* levels.deleted(company, keys, "m"), [])
    yield* use.remove(company, ["s1"], { changeNumber: 9, at: 90 })
    yield* seed.products(company, [Fresh.product(company, "item", ["s2", "s3"])])
    const found = sortedBy(yield* levels.deleted(company, keys, "m"), "location")
    const shown = columns(found, "sku", "location", "onHand", "changeNumber", "version", "changedAt")
    deepStrictEqual(shown, [
      ["s1", "L1", 0, 9, 0, 90],
      ["s1", "L2", 0, 9, 0, 90]
    ])
    deepStrictEqual(column(yield* levels.marked(company, ["L1", "L2"], 8, 10, "m"), "changedAt"), [90, 90])
    deepStrictEqual(yield* levels.deleted(other, keys, "m"), [])
    deepStrictEqual(yield* levels.deleted(company, [], "m"), [])
    // Later, the SKU is created and deleted again.
    yield* seed.products(company, [Fresh.product(company, "item", ["s1", "s2", "s3"])])
    yield* stock(company, "s1", 8)
    yield* use.remove(company, ["s1"], { changeNumber: 11, at: 110 })
    const [again] = yield* levels.deleted(company, [{ sku: "s1", location: "L1" }], "m")
    deepStrictEqual([again?.changeNumber, again?.changedAt], [11, 110])
  })

  law("levels marked at one location but not at another are missing there for one marketplace", function* (use) {
    const levels = yield* StockLevels
    const company = yield* seller(["L1", "L2"], ["s1", "s2", "s3", "s4"])
    const other = yield* seller(["L9"], ["s2"])
    const set = (number: number, sku: string, location: string, onHand: number, marked = true) =>
      stock(company, sku, onHand, { location, number, marked, at: number * 10 })
    const lines = (found: ReadonlyArray<Level.Level>) =>
      found.map((one) => `${one.changeNumber} ${one.sku} ${one.onHand} at ${one.changedAt}`)
    const from = { companyId: company, location: "L1" }
    const to = { companyId: company, location: "L2" }
    for (const sku of ["s1", "s2", "s4"]) yield* set(1, sku, "L1", 5)
    yield* set(2, "s1", "L2", 7)
    yield* set(2, "s3", "L1", 0, false)
    yield* use.remove(company, ["s4"], { changeNumber: 3, at: 30 })
    yield* levels.markMissing("m", from, to, 4, 44)
    yield* levels.markMissing("m", from, { companyId: other, location: "L9" }, 6, 66)
    deepStrictEqual(lines(yield* levels.marked(company, ["L2"], 0, 10, "m")), [
      "2 s1 7 at 20",
      "4 s2 0 at 44",
      "4 s4 0 at 44"
    ])
    deepStrictEqual(lines(yield* levels.marked(other, ["L9"], 0, 10, "m")), [
      "6 s1 0 at 66",
      "6 s2 0 at 66",
      "6 s4 0 at 66"
    ])
    // Another marketplace doesn't see these levels, because the SKUs may belong to another company.
    deepStrictEqual(yield* levels.marked(other, ["L9"], 0, 10, "another"), [])
    deepStrictEqual(yield* levels.deleted(other, [{ sku: "s1", location: "L9" }], "another"), [])
    deepStrictEqual(lines(yield* levels.deleted(other, [{ sku: "s1", location: "L9" }], "m")), ["6 s1 0 at 66"])
    // A repeat marks nothing. New stock at the location replaces the mark.
    yield* levels.markMissing("m", from, to, 7, 77)
    yield* set(8, "s2", "L2", 9)
    deepStrictEqual(lines(yield* levels.marked(company, ["L2"], 0, 10, "m")), [
      "2 s1 7 at 20",
      "4 s4 0 at 44",
      "8 s2 9 at 80"
    ])
    // A level that is deleted for all marketplaces is marked once.
    yield* use.remove(company, ["s2"], { changeNumber: 9, at: 90 })
    deepStrictEqual(lines(yield* levels.marked(company, ["L2"], 2, 10, "m")), ["4 s4 0 at 44", "9 s2 0 at 90"])
  })

  concurrent("a transaction keeps the stock from all others until it ends", function* (use) {
    const company = yield* seller(["L1"], ["s1"])
    yield* stock(company, "s1", 5)
    const locked = yield* Deferred.make<void>()
    const reserving = yield* Effect.forkChild(
      Effect.andThen(Deferred.await(locked), Effect.exit(inTransaction(stock(company, "s1", 0, { reserved: 2 }))))
    )
    yield* inUnit(function* () {
      yield* use.lock(company, ["s1"])
      yield* Deferred.succeed(locked, undefined)
      yield* linger(levelOf(company, "s1"))
      const reserved = yield* use.reserved(company, ["s1"])
      strictEqual(reserved.size, 0)
      yield* use.remove(company, ["s1"], { changeNumber: 9, at: 90 })
    })
    yield* Fiber.join(reserving)
    deepStrictEqual(yield* Effect.map(levelOf(company, "s1"), (level) => level?.[0]), 0)
  })
}

const ship = Effect.fnUntraced(function* (company: CompanyId, sku: string, status: OperationalStatus) {
  const [orders, shipments] = [yield* OrderStore, yield* ShipmentStore]
  const order = yield* freshOrder(yield* Fresh.text("marketplace"))
  const id = (yield* Fresh.text("id")).replace(/\D/g, "").padStart(20, "0")
  yield* orders.insert(order)
  yield* shipments.insert([placed(order, company, id, { status, items: [{ ...item, id, sku }] })])
})

const openOf = (company: CompanyId, ...skus: ReadonlyArray<string>) =>
  Effect.flatMap(SkuShipments, (shipments) => shipments.open(company, skus)).pipe(
    Effect.map((found) => [...found].sort())
  )

export const skuShipmentsLaws = ({ law }: Laws<SkuShipments | ShipmentStore | OrderStore>): void => {
  law("SKUs in no shipment of the company are left out", function* () {
    const [company, other] = [yield* Fresh.companyId, yield* Fresh.companyId]
    yield* ship(company, "s1", "placed")
    deepStrictEqual(yield* openOf(other, "s1"), [])
    deepStrictEqual(yield* openOf(company, "s2", 's1"', "s"), [])
    deepStrictEqual(yield* openOf(company), [])
  })

  law("a SKU is open in each status in which its shipment may still move stock, and in no other", function* () {
    const company = yield* Fresh.companyId
    const skus = operationalStatuses.map((status) => [`SKU "${status}"`, status] as const)
    yield* Effect.forEach(skus, ([sku, status]) => ship(company, sku, status))
    const open = skus.flatMap(([sku, status]) => (mayMoveStock({ status }) ? [sku] : [])).sort()
    deepStrictEqual(yield* openOf(company, ...skus.map(([sku]) => sku)), open)
  })
}
