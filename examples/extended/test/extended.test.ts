import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import { texts } from "../../../packages/documents/test/PdfReading.ts"

describe("A host with rules of its own", () => {
  it("meets each of them with an order, and prints 20 % VAT", async () => {
    const { invoice } = await import("../src/main.ts")
    const text = (await texts(invoice)).join("\n")
    assertTrue(/VAT[^%]*20/.test(text) && !text.includes("GST"), text)
  })
})
