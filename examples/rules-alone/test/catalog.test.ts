/** Products. Their shape is checked first, then their references. */
import { deepStrictEqual } from "node:assert/strict"
import { ProductChanges, ProductMapping, ProductShapeCheck } from "@crossdock/catalog"
import { company, known, productInput, referenceIndex, sizeInput, submitted } from "@crossdock/catalog/testing"
import { Result } from "effect"
import { describe, it } from "vitest"

const faultsOf = (product: unknown) =>
  ProductShapeCheck.violationsOf(referenceIndex, "create", "apparel", product).map(({ code, path }) => [code, path])

const codesOf = (outcomes: ReadonlyArray<ProductChanges.Outcome>) =>
  outcomes.map((outcome) => (Result.isFailure(outcome) ? outcome.failure.code : "ACCEPTED"))

const product = ProductMapping.created(productInput("TEE-1"), { companyId: company, template: "apparel", brandUid: 1 })

describe("A product", () => {
  it("has all faults of its shape reported at once", () => {
    const { item_code: _, ...uncoded } = productInput("TEE-1")
    const attributes = { color: "Blue", material: "Cotton", labels: ["x"], pack_of: 101 }
    deepStrictEqual(faultsOf(productInput("TEE-1")), [])
    deepStrictEqual(faultsOf({ ...uncoded, attributes }), [
      ["REQUIRED", "/item_code"],
      ["INVALID_VALUE", "/attributes/color"],
      ["OUT_OF_RANGE", "/attributes/pack_of"]
    ])
  })

  it("never sells above its price", () => {
    const sizes = [sizeInput("TEE-1-S", { price: 799, price_effective: 799.5 })]
    deepStrictEqual(faultsOf(productInput("TEE-1", { sizes })), [
      ["PRICE_EFFECTIVE_ABOVE_PRICE", "/sizes/0/price_effective"]
    ])
  })

  it("that is rejected leaves the others of its request alone", () => {
    const inputs = submitted(productInput("A", { brand: "Nobody" }), productInput("A"), productInput("A"))
    deepStrictEqual(codesOf(ProductChanges.creations(known(), inputs)), ["UNKNOWN_BRAND", "ACCEPTED", "SLUG_TAKEN"])
  })

  it("keeps its slug for ever", () => {
    const renamed = submitted(productInput("TEE-1", { name: "Better tee" }))
    const moved = submitted(productInput("TEE-1", { slug: "better-tee" }))
    deepStrictEqual(codesOf(ProductChanges.updates(known([product]), renamed)), ["ACCEPTED"])
    deepStrictEqual(codesOf(ProductChanges.updates(known([product]), moved)), ["IMMUTABLE_FIELD"])
  })

  it("is not deleted while an open shipment contains it", () => {
    const inUse = new Map([["TEE-1-S", "OPEN_SHIPMENTS"]] as const)
    const deletions = submitted({ item_code: "TEE-1" })
    deepStrictEqual(codesOf(ProductChanges.deletions(known([product]), deletions, inUse)), ["OPEN_SHIPMENTS"])
    deepStrictEqual(codesOf(ProductChanges.deletions(known([product]), deletions, new Map())), ["ACCEPTED"])
  })
})
