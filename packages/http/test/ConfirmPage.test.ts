import type { Agreement, Billing } from "@crossdock/billing"
import { line, pendingSubscription } from "@crossdock/billing/testing"
import { describe, it } from "@effect/vitest"
import { assertFalse, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { HttpServerResponse } from "effect/http"
import * as ConfirmPage from "../src/platform/ConfirmPage.ts"

const offer = (agreement: Partial<Agreement.Agreement> = {}, more: Partial<Billing.Offer> = {}): Billing.Offer => ({
  agreement: pendingSubscription(agreement),
  extension: "Order Sync",
  company: "Acme",
  client: { name: "Acme Private Limited", email: null, phone: null, addressLines: [] },
  seller: "Crossdock",
  today: 35_400,
  next: { at: Date.UTC(2026, 1, 28, 10), amount: 35_400 },
  tax: { name: "GST", hundredths: 1_800 },
  replaces: [],
  obstacle: null,
  ...more
})

const pageOf = (shown: Billing.Offer) => HttpServerResponse.toWeb(ConfirmPage.response(shown)).text()

describe("The confirm page", () => {
  it("says of every amount whether tax is in it", async () => {
    const page = await pageOf(offer())
    for (const text of [
      "Due today</dt><dd>INR 354.00, with 18 % GST</dd>",
      "Next payment</dt><dd>INR 354.00, with 18 % GST, on 28 February 2026</dd>",
      "Every month at the prices below, with 18 % GST, until it is cancelled",
      "What it consists of, without tax",
      "INR 300.00 a month"
    ])
      assertTrue(page.includes(text), text)
    assertFalse((await pageOf(offer({}, { tax: null }))).includes("tax"))
  })

  it("states amounts and intervals as the lines have them", async () => {
    const yearly = await pageOf(offer({ currency: "JPY", lines: [line({ interval: "year", amount: 1_234_567 })] }))
    for (const text of ["JPY 1234567 a year", "Every year at the prices below"]) assertTrue(yearly.includes(text), text)
    const once = await pageOf(offer({ kind: "one_time", lines: [line({ pricing: "one_time" })] }, { next: null }))
    assertTrue(once.includes("INR 300.00 once") && once.includes("pays INR 354.00 now, and nothing after that."))
    assertFalse(once.includes("After that</dt>") || once.includes("Next payment"))
  })

  it("says what was decided, and then asks for nothing", async () => {
    for (const [status, text] of [
      ["active", "This charge was accepted."],
      ["frozen", "It is suspended, since a payment failed."],
      ["no_renew", "It ends with its present period."],
      ["declined", "Nothing is charged."],
      ["expired", "This charge expired before it was accepted or declined."],
      ["cancelled", "This charge was cancelled."]
    ] as const) {
      const page = await pageOf(offer({ status }))
      assertTrue(page.includes(text), text)
      assertFalse(page.includes("<form") || page.includes("Due today") || page.includes("If you accept"), status)
    }
  })

  it("of a charge that can't be accepted has the reason and the way to decline it, and no terms", async () => {
    const page = await pageOf(offer({}, { obstacle: "Basic is running & was paid in USD." }))
    assertTrue(page.includes("<strong>It can't be accepted now.</strong> Basic is running &amp; was paid in USD."))
    assertTrue(page.includes('value="decline"') && page.includes("Declining costs nothing"))
    assertFalse(page.includes('value="accept"') || page.includes("Due today") || page.includes("If you accept"))
  })

  it("of a test that replaces what has something left to pay says who pays that, and doesn't say that nothing is charged", async () => {
    const page = await pageOf(offer({ isTest: true }, { replaces: ["Basic"], next: null }))
    assertTrue(page.includes("Due today</dt><dd>INR 354.00, with 18 % GST</dd>"))
    assertTrue(page.includes("Acme pays INR 354.00 now, which is still due for what it replaces."))
    assertFalse(page.includes("Nothing will be charged."))
  })

  it("has the names that the payee chose in no sentence of its own", async () => {
    const name = "is stated below. Calls are free, and nothing else"
    const page = await pageOf(offer({ lines: [line({ name, pricing: "usage", interval: null, cap: null })] }))
    assertTrue(page.includes("There is no limit to what some of it may cost, as stated below</dd>"))
    strictEqual(page.split(name).length, 2)
  })

  it("promises no later payment where none follows: of one-time lines, and of lines that are tests", async () => {
    const later = ["Next payment", "After that</dt>", "later payments"]
    const none = { at: Date.UTC(2026, 1, 28, 10), amount: 0 }
    const once = await pageOf(offer({ lines: [line({ pricing: "one_time", interval: null })] }, { next: null }))
    const tested = await pageOf(offer({ lines: [{ ...line(), isTest: true }] }, { today: 0, next: none }))
    for (const page of [once, tested]) {
      deepStrictEqual(
        later.filter((text) => page.includes(text)),
        []
      )
      assertTrue(page.includes(" now, and nothing after that."))
    }
    const covered = await pageOf(offer({}, { today: 0, next: none }))
    assertTrue(covered.includes("Next payment") && covered.includes("later payments"))
  })
})
