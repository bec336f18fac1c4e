import { stockLevel } from "@crossdock/inventory/testing"
import { CompanyId } from "@crossdock/kernel"
import { Offer, type StockBuffer } from "@crossdock/marketplaces"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { processorMillis } from "../../kernel/test/processorMillis.ts"

const company = CompanyId.make(1)
const level = stockLevel({ companyId: company, sku: "A", location: "BLR1", onHand: 50, reserved: 10 })

const buffer = (quantity: number, more: Partial<StockBuffer> = {}): StockBuffer => ({
  companyId: null,
  location: null,
  sku: null,
  quantity,
  ...more
})

const bufferOf = (...buffers: ReadonlyArray<StockBuffer>) => Offer.bufferOf({ buffers }, level)

describe("The stock that a marketplace is offered", () => {
  it("is what can be sold without the buffer, never less than 0", () => {
    strictEqual(Offer.shown({ buffers: [] }, level), 40)
    strictEqual(Offer.shown({ buffers: [buffer(3)] }, level), 37)
    strictEqual(Offer.shown({ buffers: [buffer(41)] }, level), 0)
  })

  it("is of the SKUs that it sells: all, or those listed", () => {
    deepStrictEqual(
      [null, ["B", "A"], ["B"], []].map((skus) => Offer.sells({ skus }, "A")),
      [true, true, false, false]
    )
  })
})

describe("The buffer of a level", () => {
  it("is one whose company, location and SKU are the level's", () => {
    strictEqual(bufferOf(), 0)
    strictEqual(bufferOf(buffer(5, { companyId: company, location: "BLR1", sku: "A" })), 5)
    for (const other of [{ companyId: CompanyId.make(2) }, { location: "BOM1" }, { sku: "B" }]) {
      strictEqual(bufferOf(buffer(5, { companyId: company, location: "BLR1", sku: "A", ...other })), 0)
      strictEqual(bufferOf(buffer(5, other)), 0)
    }
  })

  it("is the one that names most: a SKU counts more than a location, and that more than a company", () => {
    const ascending = [
      buffer(1),
      buffer(2, { companyId: company }),
      buffer(3, { location: "BLR1" }),
      buffer(4, { companyId: company, location: "BLR1" }),
      buffer(5, { sku: "A" }),
      buffer(6, { companyId: company, sku: "A" }),
      buffer(7, { location: "BLR1", sku: "A" }),
      buffer(8, { companyId: company, location: "BLR1", sku: "A" })
    ]
    for (let most = 1; most <= ascending.length; most++) {
      strictEqual(bufferOf(...ascending.slice(0, most)), most)
      strictEqual(bufferOf(...ascending.slice(0, most).reverse()), most)
    }
  })

  it("is the first of two that name the same", () => {
    strictEqual(bufferOf(buffer(5, { sku: "A" }), buffer(6, { sku: "A" })), 5)
  })
})

describe("The offer of a marketplace that names very many SKUs", () => {
  it("is looked up, not searched for", () => {
    const skus = Array.from({ length: 50_000 }, (_, nth) => `SKU-${nth}`)
    const marketplace = { skus, buffers: skus.map((sku, nth) => buffer(nth, { sku })) }
    const began = processorMillis()
    const last = skus.slice(-5_000).map((sku) => stockLevel({ sku, onHand: 60_000 }))
    const shown = last.map((one) => (Offer.sells(marketplace, one.sku) ? Offer.shown(marketplace, one) : 0))
    const took = processorMillis() - began
    deepStrictEqual([shown[0], shown.at(-1)], [15_000, 10_001])
    assertTrue(took < 1000, `${took} ms`)
  })
})
