/** Charges that a host adds to orders: in their total, in what is paid, and on papers, which add up to it. */
import { DocumentRenderer, type PrintedInvoice, totalsOf } from "@crossdock/documents"
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import { acme, bazaar, options, orderOf, seller, setupError, start } from "./Shop.ts"

const fee: Host.Options["charges"] = ({ payment }, total) => {
  const cod =
    payment.mode === "COD"
      ? [{ name: "Cash on delivery", code: "9968", amount: 4_000, tax: { rate: 18, amount: 610 } }]
      : []
  const sum = total + cod.reduce((before, { amount }) => before + amount, 0)
  const rounded = Math.round(sum / 100) * 100
  return rounded === sum ? cod : [...cod, { name: "Rounding", amount: rounded - sum }]
}

const draft = orderOf("A")
const create = "/order/api/v1/bazaar/create"
const read = (id: string) => `/order/api/v1/bazaar/order?platform_order_id=${id}`
const cod = { payment: { mode: "COD" as const } }
const shipping = { name: "Shipping", type: "delivery", amount: 0.25, tax: null }

/** A host whose papers are noted as they are drawn. */
const noting = async (charges: NonNullable<Host.Options["charges"]>) => {
  const drawn: Array<PrintedInvoice> = []
  const documents = Layer.succeed(DocumentRenderer, {
    labels: () => Effect.succeed(new Uint8Array()),
    invoices: (invoices: ReadonlyArray<PrintedInvoice>) => {
      drawn.push(...invoices)
      return Effect.succeed(new Uint8Array())
    }
  })
  const { host, send } = await start({ charges, runtime: { ...options.runtime, documents } })
  const printed = async (id: string) => {
    drawn.length = 0
    await orThrow(host.services.shipmentDocuments.print({ companyId: acme, locations: null }, "invoice", [id], "a4"))
    return [...drawn]
  }
  return { host, printed, send }
}

describe("Charges that a host adds", () => {
  it("are in the order's total, which the marketplace states or leaves out, and in its reads", async () => {
    const { host, send } = await start({ charges: fee })
    const sent = { ...draft, ...cod, charges: [shipping] }
    const { platform_order_id: id } = await send("POST", create, sent)
    const { pricing, taxes } = await send("GET", read(id))
    // 200.00 and 0.25 and 40.00, rounded.
    strictEqual(pricing.total, 240)
    deepStrictEqual(pricing.charges, [
      shipping,
      { name: "Cash on delivery", type: "Cash on delivery", amount: 40, tax: { rate: 18, amount: 6.1 } },
      { name: "Rounding", type: "Rounding", amount: -0.25, tax: null }
    ])
    strictEqual(taxes.amount, 6.1)
    const other = (total_amount: number) => ({ ...sent, external_order_id: "B", total_amount })
    strictEqual((await send("POST", create, other(200.25))).errors[0].code, "TOTAL_MISMATCH")
    assertTrue("platform_order_id" in (await send("POST", create, other(240))))
    await host.dispose()
  })

  it("aren't content: a repeat of the order is the same order, also after the host changed them", async () => {
    let amount = 100
    const { host, send } = await start({ charges: () => [{ name: "Wrap", amount }] })
    const first = await send("POST", create, draft)
    amount = 200
    deepStrictEqual(await send("POST", create, draft), first)
    strictEqual((await send("GET", read(first.platform_order_id))).pricing.total, 201)
    strictEqual((await send("POST", create, { ...draft, charges: [shipping] })).errors[0].code, "ORDER_EXISTS")
    await host.dispose()
  })

  it("are lines of the invoice with their taxes and code, and so are those that were sent", async () => {
    const { host, printed, send } = await noting(fee)
    const { shipments } = await send("POST", create, { ...draft, ...cod, charges: [shipping] })
    const orderId = shipments[0].shipment_id
    const { services } = host
    const [found] = await orThrow(services.shipments.read(seller, [orderId]))
    const orderItems = found?.shipment.items.map(({ id, ordered }) => ({ orderItemId: id, quantity: ordered })) ?? []
    await allOrThrow(services.shipments.confirm(seller, [{ orderId, orderItems }]))
    await allOrThrow(services.shipments.invoice(seller, [{ orderId, invoiceNumber: "R-1", invoiceType: "sale" }]))
    await allOrThrow(services.shipments.pack(seller, [{ orderId }]))
    const [invoice] = await printed(orderId)
    assertTrue(invoice !== undefined)
    deepStrictEqual(invoice.lines.map(({ code, taxes, title, total }) => [title, code, total, taxes]).slice(1), [
      ["Shipping", null, 25, [0]],
      ["Cash on delivery", "9968", 4_000, [610]],
      ["Rounding", null, -25, [0]]
    ])
    strictEqual(totalsOf(invoice).total, 24_000)
    await host.dispose()
  })

  it("are on credit notes in proportion: those of all returns add up to the invoice", async () => {
    const { host, printed, send } = await noting(fee)
    const [first] = draft.shipments
    const lines = [{ sku: "T-S", quantity: 3, esp: 33.33, tax: { rate: 5, amount: 4.77 } }]
    const shipments = [
      { ...first, lines },
      { ...first, external_shipment_id: "2", lines }
    ]
    const placed = await send("POST", create, { ...draft, ...cod, charges: [shipping], shipments })
    const { pricing } = await send("GET", read(placed.platform_order_id))
    const { orders, shipments: ours } = host.services
    const totals: Array<number> = []
    for (const [nth, { shipment_id: orderId }] of placed.shipments.entries()) {
      const report = (order_id: string, status: string, quantity?: number) =>
        allOrThrow(
          orders.reportStatus(bazaar, [
            {
              order_id,
              status,
              isSelfShip: true,
              ...(quantity && {
                meta: { return_id: `${quantity}`, items: [{ orderItemId: items[0]?.id ?? "", quantity }] }
              })
            }
          ])
        )
      const [found] = await orThrow(ours.read(seller, [orderId]))
      const items = found?.shipment.items ?? []
      const orderItems = items.map(({ id }) => ({ orderItemId: id, quantity: 3 }))
      await allOrThrow(ours.confirm(seller, [{ orderId, orderItems }]))
      await allOrThrow(ours.invoice(seller, [{ orderId, invoiceNumber: `R-${nth}`, invoiceType: "sale" }]))
      await allOrThrow(ours.pack(seller, [{ orderId }]))
      for (const status of ["bag_picked", "delivery_done"]) await report(orderId, status)
      const [invoice] = await printed(orderId)
      assertTrue(invoice !== undefined)
      totals.push(totalsOf(invoice).total)
      const notes: Array<PrintedInvoice> = []
      for (const quantity of [1, 2]) {
        await report(orderId, "return_initiated", quantity)
        const all = (await send("GET", read(placed.platform_order_id))).shipments
        const { shipment_id: back } = all.find(({ status }: { status: string }) => status === "return_dp_assigned")
        for (const status of ["return_bag_in_transit", "return_bag_delivered"]) await report(back, status)
        await allOrThrow(ours.checkQuality(seller, [{ orderId: back }]))
        await allOrThrow(ours.invoice(seller, [{ orderId: back, invoiceNumber: `G-${back}`, invoiceType: "return" }]))
        notes.push(...(await printed(back)))
      }
      strictEqual(notes.length, 2)
      for (const title of new Set([...invoice.lines, ...notes.flatMap(({ lines }) => lines)].map((one) => one.title))) {
        const sumOf = (papers: ReadonlyArray<PrintedInvoice>) =>
          papers
            .flatMap((one) => one.lines.filter((line) => line.title === title))
            .reduce((sum, one) => sum + one.total, 0)
        strictEqual(sumOf(notes), sumOf([invoice]), title)
      }
    }
    // 199.98 and 0.25 and 40.00, rounded.
    strictEqual(pricing.total, 240)
    strictEqual(
      totals.reduce((sum, one) => sum + one, 0),
      24_000
    )
    await host.dispose()
  })

  it("that can't be printed fail the request, and nothing is written", async () => {
    for (const wrong of [
      () => [{ name: "", amount: 1 }],
      () => [{ name: "Fee", amount: 0.5 }],
      () => [{ name: "Fee", amount: 10, tax: { rate: 18, amount: 11 } }],
      () => [{ name: "Off", amount: -20_001 }],
      () => Promise.resolve([]),
      () => Promise.reject(new Error("rates are down")),
      () => Object.assign(new Array(2), { 1: { name: "Fee", amount: 5 } })
    ]) {
      const { host, send } = await start({ charges: wrong as never })
      const { code, errors } = await send("POST", create, draft)
      strictEqual(code ?? errors?.[0]?.code, "INTERNAL_SERVER_ERROR")
      strictEqual((await orThrow(host.services.inventory.listings(seller, [], { number: 1, size: 1 })))[0]?.reserved, 0)
      await host.dispose()
    }
    const halved: Host.Options["charges"] = ({ shipments }) => {
      for (const line of shipments.flatMap(({ lines }) => lines)) Object.assign(line, { quantity: 1 })
      return []
    }
    const { host, send } = await start({ charges: halved })
    strictEqual((await send("POST", create, draft)).code, "INTERNAL_SERVER_ERROR")
    await host.dispose()
    strictEqual(
      await setupError({ charges: [] }),
      "charges must be a function from an order and its total to the charges that it adds"
    )
  })
})
