import { CompanyId } from "@crossdock/kernel"
import { FormerCodes } from "@crossdock/marketplaces"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"

const place = (code: string, location: string, company = 1) => ({ companyId: CompanyId.make(company), location, code })

const before = { locations: [place("A", "L1"), place("B", "L2")], former: [place("C", "L3"), place("D", "L1", 2)] }

describe("A marketplace's codes", () => {
  it("are former once they stand for nothing, and keep the last place that they stood for", () => {
    deepStrictEqual(FormerCodes.formerOf(before, [place("A", "L2"), place("C", "L3")]), [
      place("D", "L1", 2),
      place("B", "L2")
    ])
    deepStrictEqual(FormerCodes.formerOf(undefined, [place("A", "L1")]), [])
  })

  it("have moved when they stand for another location or another company's, also after they stood for nothing", () => {
    deepStrictEqual(
      FormerCodes.movedCodes(before, [
        place("A", "L2"),
        place("B", "L2"),
        place("C", "L1"),
        place("D", "L1"),
        place("E", "L3")
      ]),
      [
        { from: place("A", "L1"), to: place("A", "L2") },
        { from: place("C", "L3"), to: place("C", "L1") },
        { from: place("D", "L1", 2), to: place("D", "L1") }
      ]
    )
    deepStrictEqual(FormerCodes.movedCodes(undefined, before.locations), [])
  })
})
