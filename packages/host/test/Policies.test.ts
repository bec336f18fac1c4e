/**
 * Strategies that a host replaces by an option: sales taxes, prices, ids and numbers.
 */
import { DocumentRenderer, type PrintedInvoice, totalsOf } from "@crossdock/documents"
import { allOrThrow, orThrow } from "@crossdock/host"
import { Ids } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Ref } from "effect"
import { acme, bazaar, options, orderOf, seller, setupError, start } from "./Shop.ts"

const valueAddedTax = { taxNames: () => ["VAT"], placeOfSupply: () => null }

/** The invoice of a shipment of two units at 100 with a VAT of 20 %. */
const invoiced = async (more: Parameters<typeof start>[0]) => {
  const drawn: Array<PrintedInvoice> = []
  const noting = {
    labels: () => Effect.succeed(new Uint8Array()),
    invoices: (invoices: ReadonlyArray<PrintedInvoice>) => {
      drawn.push(...invoices)
      return Effect.succeed(new Uint8Array())
    }
  }
  const runtime = { ...options.runtime, documents: Layer.succeed(DocumentRenderer, noting) }
  const { host, ready } = await start({ ...more, runtime })
  const { orderId } = await ready("A", { tax: { rate: 20, amount: 33.33 } })
  await allOrThrow(host.services.shipments.pack(seller, [{ orderId }]))
  await orThrow(host.services.shipmentDocuments.print({ companyId: acme, locations: null }, "invoice", [orderId], "a4"))
  await host.dispose()
  const [invoice] = drawn
  assertTrue(invoice !== undefined)
  return invoice
}

describe("The sales taxes of a host", () => {
  it("name the taxes of its invoices, whose sums stay exact", async () => {
    const invoice = await invoiced({ salesTax: valueAddedTax })
    deepStrictEqual([invoice.taxNames, invoice.lines[0]?.taxes], [["VAT"], [3_333]])
    strictEqual(
      invoice.references.find(({ name }) => name === "Place of supply"),
      undefined
    )
    const { gross, taxable, taxes, total } = totalsOf(invoice)
    deepStrictEqual([gross, taxable, taxes, total], [20_000, 16_667, [3_333], 20_000])
  })

  it("are India's by default", async () => {
    const invoice = await invoiced({})
    deepStrictEqual(
      [invoice.taxNames, invoice.references.find(({ name }) => name === "Place of supply")?.value],
      [["GST"], "K"]
    )
  })

  it("are printed", async () => {
    const { host, ready } = await start({ salesTax: valueAddedTax })
    const { orderId } = await ready("A", { tax: { rate: 20, amount: 33.33 } })
    await allOrThrow(host.services.shipments.pack(seller, [{ orderId }]))
    const reader = { companyId: acme, locations: null }
    const printed = await orThrow(host.services.shipmentDocuments.print(reader, "invoice", [orderId], "a4"))
    strictEqual(new TextDecoder().decode(printed.slice(0, 5)), "%PDF-")
    await host.dispose()
  })

  it("must be functions", async () => {
    const message = "salesTax must be an object with taxNames and placeOfSupply"
    strictEqual(await setupError({ salesTax: { taxNames: ["VAT"] } }), message)
  })
})

describe("The prices of a host", () => {
  it("may be above the MRP", async () => {
    const price = [{ sku: "T-S", location_id: "BLR1", mrp: 8, esp: 9, currency: "INR" }]
    const codes = await Promise.all(
      [{ prices: { espMayExceedMrp: true } }, {}].map(async (more) => {
        const { host } = await start(more)
        const { failures } = await orThrow(host.services.prices.setPrices(seller, price))
        await host.dispose()
        return failures.map(({ code }) => code)
      })
    )
    deepStrictEqual(codes, [[], ["ESP_ABOVE_MRP"]])
    strictEqual(await setupError({ prices: true }), "prices must be an object such as { espMayExceedMrp: true }")
  })
})

/** Ids that count, each host with its own first digits. */
const counting = (prefix: string) =>
  Layer.effect(
    Ids.Ids,
    Effect.map(Ref.make(0), (last) => {
      const next = Ref.updateAndGet(last, (nth) => nth + 1)
      return Ids.Ids.of({
        decimals: (count) =>
          Effect.forEach(Array.from({ length: count }), () =>
            Effect.map(next, (nth) => prefix + String(nth).padStart(20 - prefix.length, "0"))
          ),
        hex: Effect.map(next, (nth) => nth.toString(16).padStart(24, "0"))
      })
    })
  )

describe("The ids of a host", () => {
  it("are those of its shipments and items", async () => {
    const { host, place } = await start({ ids: counting("77") })
    const { orderId, orderItems } = await place("A")
    for (const id of [orderId, orderItems[0]?.orderItemId ?? ""]) assertTrue(/^77\d{18}$/.test(id), id)
    const repeated = await orThrow(host.services.orders.place(bazaar, orderOf("A")))
    strictEqual(repeated.shipments[0]?.shipmentId, orderId)
    await host.dispose()
  })

  it("must have the form of ours", async () => {
    const message = "ids must give decimals of 20 digits that grow, and hex of 24 characters"
    strictEqual(await setupError({ ids: counting("no") }), message)
    strictEqual(await setupError({ ids: {} }), "ids must be a layer of Ids")
  })
})

describe("The numbers of a host", () => {
  it("must differ", async () => {
    const message =
      "numbering must be an object with invoice, a function of year and nth that gives each its own number of at most 64 characters"
    strictEqual(await setupError({ numbering: { invoice: (year: number) => `INV-${year}` } }), message)
    strictEqual(await setupError({ numbering: {} }), message)
    const { host } = await start({ numbering: { invoice: (year, nth) => `EU/${year}/${nth}` } })
    await host.dispose()
  })
})
