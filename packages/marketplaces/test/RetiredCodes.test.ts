import { CompanyId } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"

const mapping = (code: string, location: string, company = 1) => ({
  companyId: CompanyId.make(company),
  location,
  code
})

const before = {
  locations: [mapping("A", "L1"), mapping("B", "L2")],
  retiredCodes: [mapping("C", "L3"), mapping("D", "L1", 2)]
}

describe("A marketplace's codes", () => {
  it("are retired once they are not mapped, and keep the last location that they were mapped to", () => {
    deepStrictEqual(Registration.retiredCodes(before, [mapping("A", "L2"), mapping("C", "L3")]), [
      mapping("D", "L1", 2),
      mapping("B", "L2")
    ])
    deepStrictEqual(Registration.retiredCodes(undefined, [mapping("A", "L1")]), [])
  })

  it("have moved when they are mapped to another location or company, even after they were retired", () => {
    deepStrictEqual(
      Registration.movedCodes(before, [
        mapping("A", "L2"),
        mapping("B", "L2"),
        mapping("C", "L1"),
        mapping("D", "L1"),
        mapping("E", "L3")
      ]),
      [
        { from: mapping("A", "L1"), to: mapping("A", "L2") },
        { from: mapping("C", "L3"), to: mapping("C", "L1") },
        { from: mapping("D", "L1", 2), to: mapping("D", "L1") }
      ]
    )
    deepStrictEqual(Registration.movedCodes(undefined, before.locations), [])
  })
})
