import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { useHost } from "./TestHost.ts"
import {
  levelOf,
  line,
  marketplace,
  move,
  order,
  type Problem,
  place,
  type Seen,
  seen,
  seller,
  setStock,
  shipment,
  shipmentOf
} from "./TestOrders.ts"

const sku = "85123A"

interface Checked extends Seen {
  readonly orderItems: ReadonlyArray<Seen["orderItems"][number] & { readonly qc?: unknown }>
}

describe("quality check", () => {
  const host = useHost()
  let acme: ReturnType<typeof seller>
  let blr1: ReturnType<typeof seller>
  let globex: ReturnType<typeof seller>
  let bazaar: ReturnType<typeof marketplace>

  beforeAll(async () => {
    acme = seller(host.acme)
    blr1 = seller(host.blr1)
    globex = seller(host.globex)
    bazaar = marketplace(host.bazaar)
    await setStock(host.acme, 10_000, [sku])
    await setStock(host.acme, 10_000, [sku], "BOM1")
  })

  const all = async (...steps: ReadonlyArray<() => Promise<string>>) => {
    for (const [nth, step] of steps.entries()) strictEqual(await step(), "ok", `step ${nth}`)
  }

  const picked = async (quantity: number, more: object = {}) => {
    const { shipments } = await place(host.bazaar, order([shipmentOf([line(sku, quantity)], more)]))
    const id = shipments[0]?.shipment_id ?? ""
    await all(
      () => acme.confirm(id),
      () => acme.invoice(id),
      () => acme.pack(id),
      () => acme.dispatch(id)
    )
    return id
  }

  /** A return of all units, back at the seller: the delivered shipment's id and the return's. */
  const back = async (quantity: number, more: object = {}) => {
    const id = await picked(quantity, more)
    await all(
      () => acme.status(id, "delivery_done"),
      () => bazaar.status(id, "return_initiated")
    )
    const returned = (
      await host.acme.call<{ orders: ReadonlyArray<Seen> }>(
        "GET",
        `${shipment}/info?orderStatus=RETURN_PROCESSING&pageSize=100`
      )
    ).body.orders.find(({ forwardId }) => forwardId === id)
    const own = returned?.id ?? ""
    await all(
      () => acme.status(own, "return_bag_in_transit"),
      () => acme.status(own, "return_bag_delivered")
    )
    return { id, own, item: returned?.orderItems[0]?.orderItemId ?? "" }
  }

  const qcOf = async (id: string) => ((await seen(host.acme, id)) as Checked).orderItems[0]?.qc

  it("good units go back on hand, bad ones become unsellable, and the last check accepts the return", async () => {
    const [onHand = 0, reserved = 0, unsellable = 0] = await levelOf(host.acme, sku)
    const { item, own } = await back(3)
    await all(() => acme.qualityCheck(own, { orderItems: [{ orderItemId: item, quantity: 1 }] }))
    strictEqual((await seen(host.acme, own)).orderStatus, "RETURN_DELIVERED")
    deepStrictEqual(await qcOf(own), { good: 1, bad: 0, reasons: [] })
    strictEqual(await acme.creditNote(own), "IN403", "not before every unit has a result")
    await all(() =>
      acme.qualityCheck(own, { badQc: true, orderItems: [{ orderItemId: item, quantity: 2, reasonCode: 113 }] })
    )
    deepStrictEqual(await qcOf(own), { good: 1, bad: 2, reasons: [{ code: 113, reason: "damaged" }] })
    deepStrictEqual(await levelOf(host.acme, sku), [onHand - 2, reserved, unsellable + 2])
    strictEqual(await acme.qualityCheck(own), "R409", "it is accepted")
  })

  it("badQc is taken from the payload, else the body, else the query, else false", async () => {
    const say = async (path: string, body: (id: string) => unknown) => {
      const { own } = await back(1)
      const answer = await host.acme.call<Problem & { status: string }>("POST", `${shipment}/return${path}`, body(own))
      strictEqual(answer.body.status, "SUCCESS", JSON.stringify(answer.body))
      return ((await qcOf(own)) as { bad: number }).bad === 1
    }
    strictEqual(await say("", (orderId) => [{ orderId }]), false)
    strictEqual(await say("?badQc=true", (orderId) => [{ orderId }]), true)
    strictEqual(await say("?badQc=true", (orderId) => [{ orderId, badQc: false }]), false)
    strictEqual(await say("", (orderId) => ({ badQc: true, shipments: [{ orderId }] })), true)
    strictEqual(await say("?badQc=true", (orderId) => ({ badQc: false, shipments: [{ orderId }] })), false)
    strictEqual(await say("?badQc=true", (orderId) => ({ shipments: [{ orderId }] })), true)
    strictEqual(await say("", (orderId) => ({ badQc: false, shipments: [{ orderId, badQc: true }] })), true)
  })

  it("badQc of an item wins over its record, the body and the query, so one record has good and bad items", async () => {
    const check = async (path: string, body: (orderId: string, orderItems: ReadonlyArray<object>) => unknown) => {
      const { item, own } = await back(5)
      const units = (quantity: number, more: object = {}) => ({ orderItemId: item, quantity, ...more })
      const items = [units(2, { badQc: true, reasonCode: 113 }), units(1, { badQc: false }), units(2)]
      const answer = await host.acme.call<Problem & { status: string }>(
        "POST",
        `${shipment}/return${path}`,
        body(own, items)
      )
      strictEqual(answer.body.status, "SUCCESS", JSON.stringify(answer.body))
      strictEqual((await seen(host.acme, own)).orderStatus, "RETURN_DELIVERED")
      return qcOf(own)
    }
    const [onHand = 0, reserved = 0, unsellable = 0] = await levelOf(host.acme, sku)
    const reasons = [{ code: 113, reason: "damaged" }]
    const mostlyGood = { good: 3, bad: 2, reasons }
    const mostlyBad = { good: 1, bad: 4, reasons }
    deepStrictEqual(await check("", (orderId, orderItems) => [{ orderId, orderItems }]), mostlyGood)
    deepStrictEqual(await levelOf(host.acme, sku), [onHand - 2, reserved, unsellable + 2])
    deepStrictEqual(await check("", (orderId, orderItems) => [{ orderId, badQc: true, orderItems }]), mostlyBad)
    deepStrictEqual(
      await check("", (orderId, orderItems) => ({ badQc: true, shipments: [{ orderId, orderItems }] })),
      mostlyBad
    )
    deepStrictEqual(await check("?badQc=true", (orderId, orderItems) => [{ orderId, orderItems }]), mostlyBad)
    deepStrictEqual(await check("?badQc=false", (orderId, orderItems) => [{ orderId, orderItems }]), mostlyGood)
    const { item, own } = await back(1)
    const wrong = { orderItems: [{ orderItemId: item, quantity: 1, badQc: "yes" }] }
    strictEqual(await acme.qualityCheck(own, wrong), "INVALID_RECORD")
  })

  it("a known reason code gives a bad unit its reason, and any other gives none", async () => {
    const reasons = async (badQc: boolean, reasonCode?: unknown) => {
      const { item, own } = await back(1)
      await all(() => acme.qualityCheck(own, { badQc, orderItems: [{ orderItemId: item, quantity: 1, reasonCode }] }))
      return ((await qcOf(own)) as { reasons: unknown }).reasons
    }
    deepStrictEqual(await reasons(true, "118"), [{ code: 118, reason: "wrong product delivered" }])
    for (const code of [undefined, null, 999, "flood", true, { code: 118 }])
      deepStrictEqual(await reasons(true, code), [])
    deepStrictEqual(await reasons(false, 118), [])
  })

  it("units not yet back, unknown, at another location or more than are left are rejected with their codes", async () => {
    const { id, item, own } = await back(2)
    strictEqual(await acme.qualityCheck(id), "R400", "the delivered one")
    strictEqual(await acme.qualityCheck("0".repeat(20)), "R404")
    strictEqual(await globex.qualityCheck(own), "R404", "another company's is like none")
    strictEqual(await acme.qualityCheck(own, { orderItems: [{ orderItemId: "1", quantity: 1 }] }), "R404")
    strictEqual(await acme.qualityCheck(own, { orderItems: [{ orderItemId: item, quantity: 3 }] }), "R409")
    strictEqual(await acme.qualityCheck(own, { orderItems: [{ orderItemId: item, quantity: 0 }] }), "INVALID_RECORD")
    strictEqual(await acme.qualityCheck(own, { badQc: "yes" }), "INVALID_RECORD")
    const elsewhere = await back(1, { location_id: "BOM1" })
    strictEqual(await blr1.qualityCheck(elsewhere.own), "R422")
    strictEqual(await qcOf(own), undefined)
  })

  it("the body is checked in both forms, with paths into what was sent", async () => {
    const say = async (body: unknown, path = "") => {
      const answer = await host.acme.call<Problem>("POST", `${shipment}/return${path}`, body)
      return [answer.status, answer.body.code, answer.body.errors?.[0]?.path]
    }
    const many = Array.from({ length: 21 }, () => ({}))
    deepStrictEqual(await say([]), [400, "EMPTY_REQUEST", undefined])
    deepStrictEqual(await say({ shipments: [] }), [400, "EMPTY_REQUEST", undefined])
    deepStrictEqual(await say(many), [400, "TOO_MANY_RECORDS", undefined])
    deepStrictEqual(await say({ shipments: many }), [400, "TOO_MANY_RECORDS", undefined])
    deepStrictEqual(await say({}), [400, "VALIDATION_FAILED", "/shipments"])
    deepStrictEqual(await say({ badQc: 1, shipments: [{}] }), [400, "VALIDATION_FAILED", "/badQc"])
    deepStrictEqual(await say([{}], "?badQc=maybe"), [400, "VALIDATION_FAILED", "/badQc"])
    const { body } = await host.acme.call<Problem>("POST", `${shipment}/return`, { shipments: [{ orderId: "1" }, {}] })
    deepStrictEqual(
      body.errors?.map(({ code, path }) => [code, path]),
      [
        ["R404", "/shipments/0/orderId"],
        ["INVALID_RECORD", "/shipments/1/orderId"]
      ]
    )
  })

  it("twenty payloads are checked in order, each against what the earlier ones left", async () => {
    const { item, own } = await back(19)
    const one = { orderId: own, orderItems: [{ orderItemId: item, quantity: 1 }] }
    const records = Array.from({ length: 20 }, (_, i) => ({ ...one, badQc: i % 2 === 1 }))
    deepStrictEqual(await move(host.acme, "POST", `${shipment}/return`, records), ["19 R409"])
    deepStrictEqual(await qcOf(own), { good: 10, bad: 9, reasons: [] })
  })

  it("of ten concurrent checks of the same units one counts", async () => {
    const { item, own } = await back(3)
    const before = await levelOf(host.acme, sku)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => acme.qualityCheck(own, { orderItems: [{ orderItemId: item, quantity: 2 }] }))
    )
    deepStrictEqual(answers.sort(), [...Array.from({ length: 9 }, () => "R409"), "ok"])
    strictEqual((await levelOf(host.acme, sku))[0], (before[0] ?? 0) + 2)
  })

  it("a shipment back at its origin is checked and credited like a return", async () => {
    const [onHand = 0] = await levelOf(host.acme, sku)
    const id = await picked(2)
    strictEqual(await acme.qualityCheck(id), "R400")
    await all(
      () => acme.status(id, "rto_in_transit"),
      () => acme.status(id, "rto_bag_delivered"),
      () => acme.qualityCheck(id),
      () => acme.creditNote(id)
    )
    strictEqual((await levelOf(host.acme, sku))[0], onHand)
    deepStrictEqual(
      [(await seen(host.acme, id)).orderStatus, (await seen(host.acme, id)).returnInvoiceNumber],
      ["RETURN_DELIVERED", `CN-${id}`]
    )
  })

  it("a credit note follows the accepted return, once and with its own number", async () => {
    const { own } = await back(1)
    await all(() => acme.qualityCheck(own, { badQc: true }))
    strictEqual(await acme.invoice(own), "IN422", "a sale's invoice on a return")
    const other = await back(1)
    await all(
      () => acme.qualityCheck(other.own),
      () => acme.creditNote(other.own, `SHARED-${own}`)
    )
    strictEqual(await acme.creditNote(own, `SHARED-${own}`), "IN422")
    const registered = { irnNumber: "CN-IRN", invoiceQrCode: "CN-QR", signedInvoice: "CN-SIGNED" }
    await all(() => acme.creditNote(own, `CN-${own}`, registered))
    const last = await seen(host.acme, own)
    deepStrictEqual([last.irnNumber, last.invoiceQrCode, last.signedInvoice], [null, null, null])
    deepStrictEqual(
      [last.orderStatus, last.returnInvoiceNumber, last.invoiceNumber],
      ["RETURN_DELIVERED", `CN-${own}`, null]
    )
    strictEqual(await acme.creditNote(own, `CN2-${own}`), "IN453")
  })

  it("the e-invoice fields are those of the sale's invoice, and never a credit note's", async () => {
    const registered = { irnNumber: "CN-IRN", invoiceQrCode: "CN-QR", signedInvoice: "CN-SIGNED" }
    const id = await picked(1)
    await all(
      () => acme.status(id, "rto_in_transit"),
      () => acme.status(id, "rto_bag_delivered"),
      () => acme.qualityCheck(id),
      () => acme.creditNote(id, `CN-${id}`, registered)
    )
    const { invoiceNumber, invoiceQrCode, irnNumber, signedInvoice } = await seen(host.acme, id)
    deepStrictEqual([invoiceNumber, irnNumber, invoiceQrCode, signedInvoice], [`INV-${id}`, null, null, null])
  })

  it("a body without its list of shipments lacks a required field", async () => {
    const { body, status } = await host.acme.call<Problem>("POST", `${shipment}/return`, { badQc: true })
    deepStrictEqual([status, body.errors?.map(({ code, path }) => `${path} ${code}`)], [400, ["/shipments REQUIRED"]])
  })

  it("a check resent with the same Idempotency-Key counts once", async () => {
    const { item, own } = await back(2)
    const send = () =>
      host.acme.call<{ status: string }>(
        "POST",
        `${shipment}/return`,
        [{ orderId: own, orderItems: [{ orderItemId: item, quantity: 1 }] }],
        { "idempotency-key": `qc-${own}` }
      )
    const [first, again] = [await send(), await send()]
    deepStrictEqual([first.body, again.headers["idempotent-replayed"]], [again.body, "true"])
    deepStrictEqual(await qcOf(own), { good: 1, bad: 0, reasons: [] })
  })
})
