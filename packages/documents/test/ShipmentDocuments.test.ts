import { type Company, Directory, type Location } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import {
  DocumentRenderer,
  dividedEqually,
  GoodsAndServicesTax,
  invoicesOf,
  labelOf,
  lineOf,
  type PrintedInvoice,
  ShipmentDocuments,
  type ShippingLabel,
  taxableOf,
  totalsOf,
  weightGrams
} from "@crossdock/documents"
import { CompanyId, Money } from "@crossdock/kernel"
import {
  IssuedDocuments,
  type OrderedShipment,
  operationalStatuses,
  type PaperSeller,
  type Shipment,
  type ShipmentOrder,
  ShipmentStore,
  slice
} from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Cause, Effect, Layer } from "effect"
import * as FastCheck from "fast-check"
import { prop } from "../../kernel/test/prop.ts"
import { at, document, item, placed, standing } from "../../shipments/test/Fixtures.ts"

const company: Company = { id: CompanyId.make(1), name: "Acme", legalName: "Acme Retail Private Limited" }

const location: Location = {
  companyId: company.id,
  code: "BLR1",
  name: "Bengaluru 1",
  currency: "INR",
  handlingHours: 24,
  address: {
    address1: "1 Market Road",
    address2: null,
    city: "Bengaluru",
    state: "Karnataka",
    pincode: "560001",
    country: "India",
    phone: null,
    gstin: "29AAAAA0000A1Z5"
  }
}

const seller: PaperSeller = { legalName: company.legalName, name: location.name, address: location.address }
const weightless = () => null

const address = {
  name: "A Customer",
  phone: "1",
  email: null,
  address1: "2 Mill Road",
  address2: null,
  landmark: "Old Mill",
  city: "Mysuru",
  state: "karnataka",
  pincode: "570001",
  country: "IN"
}

const order: ShipmentOrder = {
  shippingAddress: address,
  billingAddress: address,
  paymentMode: "COD",
  methods: { cod: 100_000, prepaid: 0, lines: 100_000, units: 10 },
  gstin: null,
  couponOwner: null,
  taxExempt: false
}

const ordered = (shipment: Shipment, more: Partial<ShipmentOrder> = {}): OrderedShipment => ({
  shipment,
  order: { ...order, ...more }
})

const packed = standing("bag_packed", { invoiced: true })

describe("Labels and invoices", () => {
  it("a label exists from packing on, for a return from its courier on, and never for a cancelled shipment", () => {
    const without = operationalStatuses.filter((status) => !ShipmentDocuments.isReady.labels(standing(status)))
    deepStrictEqual(without, [
      "placed",
      "bag_confirmed",
      "bag_invoiced",
      "dp_assigned",
      "return_initiated",
      "cancelled_customer",
      "cancelled_seller"
    ])
  })

  it("an invoice exists from packing on, once it is recorded", () => {
    const without = operationalStatuses.filter(
      (status) => !ShipmentDocuments.isReady.invoice(standing(status, { invoiced: true }))
    )
    deepStrictEqual(without, [
      "placed",
      "bag_confirmed",
      "bag_invoiced",
      "dp_assigned",
      "cancelled_customer",
      "cancelled_seller"
    ])
    assertTrue(!ShipmentDocuments.isReady.invoice(standing("bag_packed")))
    assertTrue(ShipmentDocuments.isReady.invoice(standing("cancelled_seller", { invoiced: true, credited: true })))
  })

  it("a label's weight is that of the packages, else of the sizes, and none when one is unknown", () => {
    const parcel = (grams: number | null) => ({ id: null, lengthCm: 1, widthCm: 1, heightCm: 1, weightGrams: grams })
    const weightOf = (sku: string) => (sku === "SKU-a" ? 100 : 30.5)
    strictEqual(weightGrams({ ...packed, packages: [parcel(500), parcel(250)] }, weightOf), 750)
    strictEqual(weightGrams({ ...packed, packages: [parcel(null)] }, weightOf), 230.5)
    strictEqual(weightGrams({ ...packed, packages: [parcel(500), parcel(null)] }, weightOf), 230.5)
    strictEqual(
      weightGrams({ ...packed, packages: [parcel(500), parcel(null)] }, () => null),
      null
    )
    strictEqual(weightGrams(packed, weightOf), 230.5)
    strictEqual(weightGrams({ ...packed, items: [item("a", 3, { cancelled: 2, splitOff: 2 })] }, weightOf), 100)
    strictEqual(
      weightGrams(packed, () => null),
      null
    )
  })

  it("a label that an earlier release stored with its packages shows these, not those of now", () => {
    const one = { id: null, lengthCm: 1, widthCm: 1, heightCm: 1, weightGrams: 500 }
    const now = IssuedDocuments.stored(null, packed, seller)
    const labels = now.labels?.map(({ number }) => ({ number, seller, packages: [one, one] })) ?? []
    const { packages, weightGrams } = labelOf(ordered({ ...now, labels }), seller, weightless)
    deepStrictEqual([labels.length, packages, weightGrams], [1, 2, 1_000])
  })

  it("cash is collected for the units that are left, and only on the way out", () => {
    const items = [item("a", 3, { cancelled: 1, splitOff: 1 }), item("b", 1, { cancelled: 1, splitOff: 1 })]
    const collect = labelOf(ordered({ ...packed, items }), seller, weightless).collect
    // 3 units come to 30,000 − 1,000 + 500; the first of them was cancelled with its share of each.
    strictEqual(collect, 30_000 - 1_000 + 500 - (10_000 - 333 + 166))
    strictEqual(labelOf(ordered(packed, { methods: { ...order.methods, cod: 0 } }), seller, weightless).collect, null)
    const back = labelOf(ordered(standing("return_dp_assigned", { way: "return" })), seller, weightless)
    deepStrictEqual([back.collect, back.sender.name, back.receiver.name], [null, "A Customer", company.legalName])
  })

  it("an invoice has the units that were invoiced, even if they were cancelled later", () => {
    const late = standing("cancelled_seller", { invoiced: true, credited: true })
    const items = [item("a", 2, { cancelled: 2, invoiced: 2 })]
    deepStrictEqual(
      invoicesOf(ordered({ ...late, items }), seller, null).map(({ lines, title }) => [
        title,
        totalsOf({ lines, taxNames: [] }).total
      ]),
      [
        ["Tax invoice", 20_000 - 1_000 + 500],
        ["Credit note", 20_000 - 1_000 + 500]
      ]
    )
    const partly: Shipment = { ...packed, items: [item("a", 3, { cancelled: 1, splitOff: 1, invoiced: 2 })] }
    const [one] = invoicesOf(ordered(partly), seller, null)
    deepStrictEqual(
      one?.lines.map(({ quantity, total }) => [quantity, total]),
      [[2, 30_000 - 1_000 + 500 - (10_000 - 333 + 166)]]
    )
  })

  it("a return has only its credit note, against the invoice of the sale", () => {
    const returned: Shipment = {
      ...standing("return_accepted", { way: "return", credited: true }),
      items: [item("a", 1)]
    }
    const made = invoicesOf(ordered(returned), seller, { ...document, at })
    deepStrictEqual(
      made.map(({ number, title }) => [title, number]),
      [["Credit note", "CN-1"]]
    )
    deepStrictEqual(
      made[0]?.references.slice(0, 2).map(({ value }) => value),
      ["INV-1", "14 Nov 2023"]
    )
  })

  it("a shipment that came back to its origin has its invoice and its credit note", () => {
    const made = invoicesOf(ordered(standing("credit_note_generated", { way: "rto", invoiced: true })), seller, null)
    deepStrictEqual(
      made.map(({ number, title }) => [title, number]),
      [
        ["Tax invoice", "INV-1"],
        ["Credit note", "CN-1"]
      ]
    )
  })

  it("the ship-to address shows only when it is not the buyer's", () => {
    strictEqual(invoicesOf(ordered(packed, { gstin: "29X" }), seller, null)[0]?.shipTo, null)
    const other = ordered(packed, { billingAddress: { ...address, city: "Pune" } })
    strictEqual(invoicesOf(other, seller, null)[0]?.shipTo?.name, "A Customer")
  })

  prop(
    "amounts of an invoice add up, line by line and as a whole",
    [
      FastCheck.array(
        FastCheck.record({
          units: FastCheck.integer({ min: 1, max: 1000 }),
          before: FastCheck.integer({ min: 0, max: 1000 }),
          esp: FastCheck.integer({ min: 0, max: 10 ** 9 }),
          discount: FastCheck.integer({ min: 0, max: 10 ** 6 }),
          delivery: FastCheck.integer({ min: 0, max: 10 ** 6 }),
          tax: FastCheck.integer({ min: 0, max: 10 ** 6 })
        }),
        { maxLength: 5 }
      ),
      FastCheck.integer({ min: 1, max: 4 })
    ],
    ([drafts, parts]) => {
      const money = (amount: number) => Money.minorUnits(amount)
      const lines = drafts.map(({ before, delivery, discount, esp, tax, units }, nth) => {
        const whole = item(String(nth), before + units, {
          esp: money(esp),
          discount: money(discount),
          deliveryCharge: money(delivery),
          taxAmount: money(tax)
        })
        return lineOf(slice(whole, before, units), parts)
      })
      for (const line of lines) {
        strictEqual(line.rate * line.quantity - line.discount + line.charges, line.total)
        strictEqual(taxableOf(line) + line.taxes.reduce((a, b) => a + b, 0), line.total)
      }
      const totals = totalsOf({ lines, taxNames: Array(parts).fill("T") })
      strictEqual(totals.gross - totals.discount + totals.charges, totals.total)
      strictEqual(totals.taxable + totals.taxes.reduce((a, b) => a + b, 0), totals.total)
    }
  )

  prop(
    "parts of an amount are equal but for one minor unit, and add up to it",
    [FastCheck.integer({ min: -(10 ** 15), max: 10 ** 15 }), FastCheck.integer({ min: 1, max: 6 })],
    ([amount, count]) => {
      const parts = dividedEqually(amount, count)
      strictEqual(parts.length, count)
      strictEqual(
        parts.reduce((a, b) => a + b, 0),
        amount
      )
      assertTrue(Math.max(...parts) - Math.min(...parts) <= 1)
    }
  )
})

describe("Goods and services tax", () => {
  const place = (state: string, country = "India", gstin: string | null = null) => ({ state, country, gstin })
  const names = (from: string, to: string) => GoodsAndServicesTax.taxNames(place(from), place(to)).join("+")

  it("is CGST and SGST within a state, however the state is written, and IGST across states", () => {
    strictEqual(names("Karnataka", "KARNATAKA "), "CGST+SGST")
    strictEqual(names("Karnataka", "KA"), "CGST+SGST")
    strictEqual(names("29", "karnataka"), "CGST+SGST")
    strictEqual(names("Orissa", "Odisha"), "CGST+SGST")
    strictEqual(names("Jammu & Kashmir", "jammu and kashmir"), "CGST+SGST")
    strictEqual(names("New Delhi", "Delhi"), "CGST+SGST")
    strictEqual(names("Karnataka", "Kerala"), "IGST")
    strictEqual(names("Chandigarh", "chandigarh"), "CGST+UTGST")
  })

  it("goes by the GSTIN before the state's name", () => {
    const buyer = place("Karnataka", "India", "27BBBBB1111B1Z5")
    deepStrictEqual(GoodsAndServicesTax.taxNames(place("Karnataka"), buyer), ["IGST"])
  })

  it("is IGST for exports, and one tax where the seller is elsewhere or a state is not known", () => {
    deepStrictEqual(GoodsAndServicesTax.taxNames(place("Karnataka"), place("Texas", "US")), ["IGST"])
    deepStrictEqual(GoodsAndServicesTax.taxNames(place("Texas", "USA"), place("Ohio", "USA")), ["Tax"])
    deepStrictEqual(GoodsAndServicesTax.taxNames(null, place("Ohio", "USA")), ["Tax"])
    deepStrictEqual(GoodsAndServicesTax.taxNames(null, place("Kerala")), ["GST"])
    strictEqual(names("Karnataka", "Nowhere"), "GST")
  })
})

describe("ShipmentDocuments", () => {
  const drawn: Array<ReadonlyArray<ShippingLabel | PrintedInvoice>> = []
  const stubs = Layer.mergeAll(
    Layer.mock(ShipmentStore, {
      withOrders: (_, ids) =>
        Effect.succeed(
          [packed, { ...placed(), id: "00000000000000000002" }]
            .filter(({ id }) => ids.includes(id))
            .map((shipment) => ordered(shipment))
        )
    }),
    Layer.mock(Directory, {
      company: () => Effect.succeed(company),
      locations: () => Effect.succeed([location])
    }),
    Layer.mock(ProductStore, { sold: () => Effect.succeed([]) }),
    Layer.succeed(DocumentRenderer, {
      labels: (labels) => Effect.sync(() => new Uint8Array([drawn.push(labels)])),
      invoices: (invoices) => Effect.sync(() => new Uint8Array([drawn.push(invoices)]))
    })
  )
  const print = (
    family: ShipmentDocuments.DocumentFamily,
    ids: ReadonlyArray<string>,
    locations: null | Array<string>
  ) =>
    Effect.flatMap(ShipmentDocuments.ShipmentDocuments, (documents) =>
      documents.print({ companyId: company.id, locations }, family, ids, "a6")
    ).pipe(Effect.provide(ShipmentDocuments.layer.pipe(Layer.provide(stubs))))

  it.effect("lists every shipment at fault, and then draws nothing", () =>
    Effect.gen(function* () {
      const ids = [packed.id, "00000000000000000002", "00000000000000000003"]
      const before = drawn.length
      const { rejected } = yield* Effect.flip(
        Effect.catchTag(print("labels", ids, null), "DocumentTooLarge", Effect.die)
      ).pipe(
        Effect.filterOrElse(
          (error) => error._tag === "DocumentsRejected",
          () => Effect.die("another failure")
        )
      )
      deepStrictEqual(
        rejected.map(({ code, index }) => [index, code]),
        [
          [1, "L403"],
          [2, "L400"]
        ]
      )
      strictEqual(drawn.length, before)
    })
  )

  it.effect("names the kinds and sizes that there are when a caller without types asks for another", () =>
    Effect.gen(function* () {
      const service = yield* ShipmentDocuments.ShipmentDocuments
      const asked = (family: string, size: string) =>
        Effect.flip(
          Effect.sandbox(
            service.print({ companyId: company.id, locations: null }, family as "labels", [], size as "a4")
          )
        )
      const [label, a5] = yield* Effect.all([asked("label", "a6"), asked("invoice", "a5")])
      assertTrue(/Expected "labels" \| "invoice"\s+at \["family"\]/.test(Cause.pretty(label)), Cause.pretty(label))
      assertTrue(/Expected "a4" \| "a6"\s+at \["size"\]/.test(Cause.pretty(a5)), Cause.pretty(a5))
    }).pipe(Effect.provide(ShipmentDocuments.layer.pipe(Layer.provide(stubs))))
  )

  it.effect("draws the shipments in the order asked, as often as asked", () =>
    Effect.gen(function* () {
      yield* print("labels", [packed.id, packed.id], ["BLR1"])
      strictEqual(drawn.at(-1)?.length, 2)
    })
  )
})
