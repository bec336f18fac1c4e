/**
 * Strategies that a host replaces by an option: sales taxes, prices, ids and numbers.
 */
import { DocumentRenderer, type PrintedInvoice, type ShippingLabel, totalsOf } from "@crossdock/documents"
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import { Ids } from "@crossdock/kernel"
import { StorageMemory } from "@crossdock/storage-memory"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
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

  it("may differ by line, whose parts add up, and name the codes of lines or leave them out", async () => {
    const { lines, taxNames, ...rest } = await invoiced({
      salesTax: {
        ...valueAddedTax,
        taxNames: (_from, _to, { hsCode, taxRate }) =>
          hsCode === "610910" && taxRate === 20 ? ["VAT", "Textiles"] : ["VAT"],
        codeName: "CN"
      }
    })
    deepStrictEqual(
      [taxNames, lines[0]?.taxes, lines[0]?.code, rest.codeName],
      [["VAT", "Textiles"], [1_666, 1_667], "610910", "CN"]
    )
    const without = await invoiced({ salesTax: valueAddedTax })
    deepStrictEqual([without.lines[0]?.code, without.codeName], [null, undefined])
    strictEqual((await invoiced({})).codeName, "HSN/SAC")
  })

  it("must be functions", async () => {
    const message = "salesTax must be an object with taxNames and placeOfSupply"
    strictEqual(await setupError({ salesTax: { taxNames: ["VAT"] } }), message)
  })
})

describe("The papers of a host", () => {
  const zpl = {
    mimeType: "application/zpl",
    extension: "zpl",
    draw: (labels: ReadonlyArray<ShippingLabel>) =>
      labels.map(({ customFields, shipmentId }) => `^XA^FD${shipmentId} ${customFields?.route}^FS^XZ`).join("\n")
  }
  const html = {
    mimeType: "text/html; charset=utf-8",
    extension: "html",
    draw: async ([invoice]: ReadonlyArray<PrintedInvoice>, size: string) =>
      new TextEncoder().encode(
        `<h1>${invoice?.number} ${size} ${JSON.stringify(invoice && totalsOf(invoice).total)}</h1>`
      )
  }

  it("are drawn from stored facts, in their own types, by request, by link and in process", async () => {
    const { host, send } = await start({
      documents: { labels: zpl, invoice: html },
      fields: { shipment: { route: { type: "str" } } },
      admin: true
    })
    const { shipments } = host.services
    const { shipments: sent, ...order } = orderOf("A")
    const { shipments: placed } = await send("POST", "/order/api/v1/bazaar/create", {
      ...order,
      shipments: sent.map((one) => ({ ...one, custom_fields: { route: "N7" } }))
    })
    const [{ shipment_id: orderId }] = placed
    const [found] = await orThrow(shipments.read(seller, [orderId]))
    const orderItems = found?.shipment.items.map(({ id, ordered }) => ({ orderItemId: id, quantity: ordered })) ?? []
    await allOrThrow(shipments.confirm(seller, [{ orderId, orderItems }]))
    await allOrThrow(shipments.invoice(seller, [{ orderId, invoiceNumber: "R-1", invoiceType: "sale" }]))
    await allOrThrow(shipments.pack(seller, [{ orderId }]))

    const answered = async (path: string, body?: unknown) => {
      const init =
        body === undefined
          ? {}
          : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
      const { headers, status, ...answer } = await host
        .handler(new Request(`https://shop.example${path}`, init))
        .then(async (one) => ({
          headers: one.headers,
          status: one.status,
          text: await one.text()
        }))
      const of = (name: string) => headers.get(name)
      return [status, of("content-type"), of("content-disposition"), of("content-security-policy"), answer.text]
    }
    const label = `^XA^FD${orderId} N7^FS^XZ`
    const names = (name: string) => `inline; filename="${name}"`
    deepStrictEqual(await answered("/oms/v3/shipment/labels", [{ orderId }]), [
      200,
      "application/zpl",
      names("labels.zpl"),
      "sandbox",
      label
    ])
    const page = "<h1>R-1 a4 20000</h1>"
    deepStrictEqual(await answered("/oms/v3/shipment/invoice", [{ orderId }]), [
      200,
      html.mimeType,
      names("invoice.html"),
      "sandbox",
      page
    ])
    const [{ labelA6PdfUrl }] = (await send("GET", `/oms/v3/shipment/info?orderId=${orderId}`)).orders
    deepStrictEqual(await answered(String(labelA6PdfUrl).replace("https://shop.example", "")), [
      200,
      "application/zpl",
      names(`labels-${orderId}.zpl`),
      "sandbox",
      label
    ])
    const reader = { companyId: acme, locations: null }
    const bytes = await orThrow(host.services.shipmentDocuments.print(reader, "labels", [orderId], "a6"))
    strictEqual(new TextDecoder().decode(bytes), label)
    const { paths } = await send("GET", "/openapi/seller.json")
    deepStrictEqual(Object.keys(paths["/oms/v3/shipment/labels"].post.responses["200"].content), ["application/zpl"])
    await host.dispose()
  })

  it("that can't be drawn so keep the host from starting", async () => {
    const said =
      'documents must be an object with labels or invoice, such as { labels: { mimeType: "application/zpl", extension: "zpl", draw } }'
    strictEqual(await setupError({ documents: { labels: { ...zpl, mimeType: "zpl\r\nx: y" } } }), said)
    strictEqual(await setupError({ documents: { labels: { ...zpl, extension: '"' } } }), said)
    strictEqual(await setupError({ documents: { label: zpl } }), "documents has label: did you mean labels?")
  })
})

describe("The series of a host", () => {
  const papers: NonNullable<Host.Options["numbering"]>["papers"] = ({ at, kind, location }) =>
    `${kind === "sale" ? "R" : "G"}-${location}-${new Date(at).getUTCFullYear()}-`
  const year = new Date().getUTCFullYear()
  const r = (nth: number) => `R-BLR1-${year}-${nth}`

  it.each([
    ["memory", StorageMemory.layer],
    ["SQLite", Layer.provide(StorageSql.layer, BetterSqlite3.layer(":memory:"))]
  ])("number sellers' papers without a gap, over HTTP and in process, in %s", async (_, storage) => {
    const { host, place, send } = await start({ numbering: { papers }, storage, admin: true })
    const { components } = await send("GET", "/openapi/seller.json")
    deepStrictEqual(components.schemas.InvoiceRecord.required, ["orderId", "invoiceType"])
    const { shipments } = host.services
    const confirmed = async (id: string) => {
      const { orderId, orderItems } = await place(id)
      await allOrThrow(shipments.confirm(seller, [{ orderId, orderItems }]))
      return orderId
    }
    const sale = (orderId: string) => ({ orderId, invoiceType: "sale" as const })
    const numberOf = async (orderId: string) => {
      const [found] = await orThrow(shipments.read(seller, [orderId]))
      return found?.shipment.invoice?.number
    }
    const [a, b, c, d, e] = [
      await confirmed("A"),
      await confirmed("B"),
      await confirmed("C"),
      await confirmed("D"),
      await confirmed("E")
    ]
    const unconfirmed = (await place("F")).orderId
    // The one in the middle is rejected, and takes no number.
    const { failures } = await orThrow(shipments.invoice(seller, [sale(a), sale(unconfirmed), sale(b)]))
    deepStrictEqual(
      failures.map(({ index }) => index),
      [1]
    )
    // The count goes on after a number that the seller sends.
    await allOrThrow(shipments.invoice(seller, [{ ...sale(c), invoiceNumber: r(4) }]))
    deepStrictEqual((await send("POST", "/oms/v3/shipment/invoiceUpdate", [sale(d)])).status, "SUCCESS")
    await allOrThrow(shipments.invoice(seller, [sale(e)]))
    deepStrictEqual(await Promise.all([a, b, c, d, e].map(numberOf)), [r(1), r(2), r(4), r(5), r(6)])

    const more = await Promise.all(["G", "H", "I", "J"].map(confirmed))
    await Promise.all(more.map((orderId) => allOrThrow(shipments.invoice(seller, [sale(orderId)]))))
    deepStrictEqual((await Promise.all(more.map(numberOf))).toSorted(), [7, 8, 9, 10].map(r).toSorted())

    await orThrow(shipments.cancelAsHost(host.system("ops"), acme, [a], null))
    await allOrThrow(shipments.invoice(seller, [{ orderId: a, invoiceType: "return" }]))
    const [cancelled] = await orThrow(shipments.read(seller, [a]))
    strictEqual(cancelled?.shipment.creditNote?.number, `G-BLR1-${year}-1`)
    await host.dispose()
  })

  it("are the host's alone: without them the number is required, as before", async () => {
    const { host, place, send } = await start({ admin: true })
    const { components } = await send("GET", "/openapi/seller.json")
    deepStrictEqual(components.schemas.InvoiceRecord.required, ["orderId", "invoiceNumber", "invoiceType"])
    const { orderId } = await place("A")
    const record = [{ orderId, invoiceType: "sale" }]
    const { errors } = await send("POST", "/oms/v3/shipment/invoiceUpdate", record)
    deepStrictEqual([errors[0].code, errors[0].path], ["INVALID_RECORD", "/0/invoiceNumber"])
    const { failures } = await orThrow(host.services.shipments.invoice(seller, [{ orderId, invoiceType: "sale" }]))
    deepStrictEqual([failures[0]?.code, failures[0]?.path], ["INVALID_RECORD", "/0/invoiceNumber"])
    await host.dispose()
  })

  it("must be a function", async () => {
    strictEqual(
      await setupError({ numbering: { papers: "R-" } }),
      "numbering must be an object whose papers is a function that names series"
    )
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
