/** Tests how the page checks a product, without a browser. */
import { deepStrictEqual } from "node:assert/strict"
import { describe, it } from "vitest"
import { violationsIn } from "../src/Judgement.ts"
import { product } from "../src/Sample.ts"

const faultsOf = (changes: object) =>
  violationsIn(JSON.stringify({ ...product, ...changes })).map(({ code, path }) => [code, path])

describe("A product in the page", () => {
  it("is valid as the page first shows it", () => {
    deepStrictEqual(faultsOf({}), [])
  })

  it("has all faults of its shape shown, with their paths in the product", () => {
    const size = { primary_identifier: "MUG-1-S", size: "S", price: "499", price_effective: -1 }
    deepStrictEqual(faultsOf({ name: "", sizes: [size], attributes: { material: "Wood", capacity_ml: 20 } }), [
      ["REQUIRED", "/name"],
      ["INVALID_TYPE", "/sizes/0/price"],
      ["OUT_OF_RANGE", "/sizes/0/price_effective"],
      ["INVALID_VALUE", "/attributes/material"],
      ["OUT_OF_RANGE", "/attributes/capacity_ml"]
    ])
  })

  it("has all faults of what it refers to shown, also a single one, with what was probably meant", () => {
    deepStrictEqual(faultsOf({ brand: "Nobody", hs_code: "999999" }), [
      ["UNKNOWN_HS_CODE", "/hs_code"],
      ["UNKNOWN_BRAND", "/brand"]
    ])
    const [violation] = violationsIn(JSON.stringify({ ...product, brand: " Acme" }))
    deepStrictEqual([violation?.code, violation?.path, violation?.suggestion], ["UNKNOWN_BRAND", "/brand", "Acme"])
  })

  it("that is no JSON, or no object, is one fault", () => {
    const codesOf = (text: string) => violationsIn(text).map(({ code }) => code)
    deepStrictEqual(["", "{", "[]", "null", "7"].map(codesOf), [
      ["MALFORMED_JSON"],
      ["MALFORMED_JSON"],
      ["INVALID_TYPE"],
      ["INVALID_TYPE"],
      ["INVALID_TYPE"]
    ])
  })
})
