/** Functions of a host that a decision can't wait for: what they answer, and what they can't change. */
import { productInput } from "@crossdock/catalog/testing"
import { allOrThrow } from "@crossdock/host"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual, throws } from "@effect/vitest/utils"
import { seller, start } from "./Shop.ts"

const rejection = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "it was answered",
    ({ message }: Error) => message
  )

describe("A function of a host's that must answer at once", () => {
  const failing = async (): Promise<never> => {
    throw new Error("the network is down")
  }
  const late = (answer: unknown) => [failing, async () => answer, () => null, () => ({}), () => Number.NaN] as const

  it.each(late(true).map((isMet) => ({ isMet })))("is not met by another answer of a guard: %s", async ({ isMet }) => {
    const guard = { on: "confirm", says: "it waits", advice: "Wait.", code: "WAITS", isMet: isMet as never } as const
    const { host, place } = await start({ guards: [guard] })
    const { orderId, orderItems } = await place("A")
    const outcome = await rejection(host.services.shipments.confirm(seller, [{ orderId, orderItems }]))
    strictEqual(outcome, "isMet of the guard WAITS must return true or false")
    await host.dispose()
  })

  it("can't change what it judges", async () => {
    const isMet = ({ items }: { readonly items: ReadonlyArray<object> }) =>
      items.every((item) => Object.assign(item, { ordered: 1 }))
    const guard = { on: "confirm", says: "it waits", advice: "Wait.", code: "WAITS", isMet } as const
    const { host, place } = await start({ guards: [guard] })
    const { orderId, orderItems } = await place("A")
    const outcome = await rejection(host.services.shipments.confirm(seller, [{ orderId, orderItems }]))
    assertTrue(outcome.startsWith("Cannot assign to read only property"), outcome)
    await host.dispose()
  })

  it.each(late("R-").map((papers) => ({ papers })))("names no series by another answer: %s", async ({ papers }) => {
    const { host, place } = await start({ numbering: { papers: papers as never } })
    const { orderId, orderItems } = await place("A")
    await allOrThrow(host.services.shipments.confirm(seller, [{ orderId, orderItems }]))
    const outcome = await rejection(host.services.shipments.invoice(seller, [{ orderId, invoiceType: "sale" }]))
    strictEqual(outcome, "numbering.papers must return a text of 1 to 50 characters")
    await host.dispose()
  })

  it.each(late([]).map((rule) => ({ rule })))("finds no violations by another answer: %s", async ({ rule }) => {
    let isStarted = false
    const { host } = await start({ productRules: [() => (isStarted ? (rule() as never) : [])] })
    isStarted = true
    const products = [productInput("V")]
    const outcome = await rejection(host.services.productWrites.create(seller, { template: "apparel", products }))
    strictEqual(outcome, "A rule of productRules must return a list of violations { code, path, message }")
    await host.dispose()
  })

  it.each(late(["VAT"]).map((taxNames) => ({ taxNames })))(
    "names no taxes by another answer: %s",
    async ({ taxNames }) => {
      const salesTax = { taxNames: taxNames as never, placeOfSupply: () => null }
      const { host, ready } = await start({ salesTax })
      const { orderId } = await ready("A", { tax: { rate: 20, amount: 20 } })
      await allOrThrow(host.services.shipments.pack(seller, [{ orderId }]))
      const outcome = await rejection(
        host.services.shipmentDocuments.print(seller.principal, "invoice", [orderId], "a4")
      )
      strictEqual(outcome, "taxNames must return a list of texts")
      await host.dispose()
    }
  )

  it.each([() => Number.NaN, () => "", () => [], () => ({})].map((draw) => ({ draw })))(
    "draws no paper by another answer: %s",
    async ({ draw }) => {
      const labels = { mimeType: "text/plain", extension: "txt", draw: draw as never }
      const { host, ready } = await start({ documents: { labels } })
      const { orderId } = await ready("A")
      await allOrThrow(host.services.shipments.pack(seller, [{ orderId }]))
      const outcome = await rejection(
        host.services.shipmentDocuments.print(seller.principal, "labels", [orderId], "a6")
      )
      strictEqual(outcome, "draw must return a text or bytes, and not none")
      await host.dispose()
    }
  )
})

describe("The declaration of custom fields", () => {
  it("can't be changed under a host that judges by it", async () => {
    const order = { po_number: { type: "str", mandatory: true } } as const
    const { host } = await start({ fields: { order } })
    throws(() => Reflect.deleteProperty(order, "po_number") || Object.assign(order, { po_number: undefined }))
    strictEqual(order.po_number.mandatory, true)
    await host.dispose()
  })
})
