/**
 * Labels and invoices over HTTP.
 */
import { createHmac } from "node:crypto"
import { describe, it } from "@effect/vitest"
import { assertInclude, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { PDFDocument } from "pdf-lib"
import { beforeAll } from "vitest"
import { codes, texts } from "../../documents/test/PdfReading.ts"
import { type Client, useHost } from "./TestHost.ts"
import { line, marketplace, order, place, seen, seller, setStock, shipment, shipmentOf } from "./TestOrders.ts"

const clients = useHost()
const sku = "85123A"

interface Rejected {
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string }>
}

interface Printed {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The body if it is JSON. */
  readonly rejected: Rejected
}

const fetched = async (url: string, init: RequestInit = {}): Promise<Printed> => {
  const answer = await clients.fetch(url, init)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true
  const rejected = isJson ? JSON.parse(new TextDecoder().decode(bytes)) : {}
  return { status: answer.status, headers: answer.headers, bytes, rejected }
}

const tokens = new Map<string, string>()
beforeAll(async () => {
  for (const name of ["acme", "acme-blr1", "globex"]) {
    tokens.set(name, await clients.tokenOf("/aggregator/v1/token", name))
  }
  await setStock(clients.acme, 1000, [sku])
  await setStock(clients.acme, 1000, [sku], "BOM1")
})

const print = (operation: string, body: unknown, by = "acme", headers: Record<string, string> = {}) =>
  fetched(`${clients.url}${shipment}/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-access-token": tokens.get(by) ?? "", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const pagesOf = async ({ bytes, headers, status }: Printed): Promise<ReadonlyArray<string>> => {
  strictEqual(status, 200, new TextDecoder().decode(bytes.slice(0, 500)))
  strictEqual(headers.get("content-type"), "application/pdf")
  return (await texts(bytes)).map((text) => text.replace(/\s+/g, " "))
}

const rejection = ({ rejected, status }: Printed) => [
  status,
  rejected.code,
  ...(rejected.errors ?? []).map(({ code, path }) => `${path} ${code}`)
]

/**
 * Places an order and moves its shipment to bag_packed.
 */
const sold = async (more: object = {}, lines: ReadonlyArray<object> = [line(sku, 2)], location = "BLR1") => {
  const placed = await place(
    clients.bazaar,
    order([shipmentOf(lines, { location_id: location, is_self_ship: true })], more)
  )
  return placed.shipments[0]?.shipment_id ?? ""
}

const packed = async (more: object = {}, lines?: ReadonlyArray<object>, location?: string, invoice: object = {}) => {
  const id = await sold(more, lines, location)
  const acme = seller(clients.acme)
  strictEqual(await acme.confirm(id), "ok")
  strictEqual(await acme.invoice(id, `INV-${id}`, invoice), "ok")
  strictEqual(await acme.pack(id), "ok")
  return id
}

describe("labels and invoices", () => {
  it("a label has the AWB as Code 128, the receiver and the amount to collect", async () => {
    const id = await packed({ payment: { mode: "COD" } })
    strictEqual(await seller(clients.acme).awb(id, `AWB-${id}`), "ok")
    const printed = await print("labels", [{ orderId: id }])
    const [page = ""] = await pagesOf(printed)
    for (const part of [
      "A Customer",
      "Bengaluru, Karnataka",
      "BlueDart",
      "COD ₹200.00",
      id,
      "Acme Retail Private Limited"
    ]) {
      assertInclude(page, part)
    }
    deepStrictEqual(await codes(printed.bytes), [`Code128 AWB-${id}`])
  })

  it("a label without an AWB has the shipment id; its weight is that of the packages, or else of the sizes", async () => {
    const id = await packed()
    const printed = await print("labels?printSize=a4", [{ orderId: id }])
    const [page = ""] = await pagesOf(printed)
    deepStrictEqual(await codes(printed.bytes), [`Code128 ${id}`])
    assertInclude(page, "PREPAID")
    assertTrue(/WEIGHT [\d.]+ kg/.test(page), page)
    const boxes = [{ packageWeightGms: 700 }, { packageWeightGms: 550.5 }]
    const other = await packed({}, undefined, undefined, { packages: boxes })
    assertInclude((await pagesOf(await print("labels", [{ orderId: other }])))[0] ?? "", "WEIGHT 1.2505 kg PACKAGES 2")
  })

  it("a label is of size a6 and an invoice of size a4, unless the request names the other", async () => {
    const id = await packed()
    const sizes = { a6: [298, 420], a4: [595, 842] } as const
    for (const [asked, size] of [
      ["labels", "a6"],
      ["labels?printSize=a4", "a4"],
      ["invoice", "a4"],
      ["invoice?printSize=a6", "a6"]
    ] as const) {
      const { bytes } = await print(asked, [{ orderId: id }])
      const { height, width } = (await PDFDocument.load(bytes)).getPage(0).getSize()
      deepStrictEqual([asked, ...[width, height].map(Math.round)], [asked, ...sizes[size]])
    }
  })

  it("an invoice splits the tax exactly within a state, and does not split it between states", async () => {
    const taxed = [line(sku, 3, { discount: 10, delivery_charge: 5.5, tax: { rate: 5, amount: 14.07 } })]
    const within = await packed({}, taxed, "BLR1")
    const [inside = ""] = await pagesOf(await print("invoice", [{ orderId: within }]))
    for (const part of ["CGST 2.5% 7.03", "SGST 2.5% 7.04", "281.43", "₹295.50", `INV-${within}`, "29AAAAA0000A1Z5"]) {
      assertInclude(inside, part)
    }
    assertInclude(inside, "Rupees Two Hundred Ninety-Five and Fifty Paise Only")
    const across = await packed({}, taxed, "BOM1")
    const [outside = ""] = await pagesOf(await print("invoice?printSize=A6", [{ orderId: across }]))
    assertInclude(outside, "IGST 5% 14.07")
    assertTrue(!outside.includes("CGST"))
  })

  it("a business invoice has the buyer's GSTIN, the IRN and a QR code that scanners can read", async () => {
    const invoiceQrCode = "eyJhbGciOiJSUzI1NiJ9.".repeat(50)
    const irnNumber = "a5c12dca80e743321740b001fd70953e8738d109865d28ba4013750f2046f229"
    const id = await packed({ tax_info: { gstin: "27BBBBB1111B1Z5" } }, undefined, "BLR1", { invoiceQrCode, irnNumber })
    const printed = await print("invoice", [{ orderId: id }])
    const text = (await pagesOf(printed)).join(" ")
    for (const part of ["27BBBBB1111B1Z5", irnNumber]) assertInclude(text, part)
    deepStrictEqual(await codes(printed.bytes, 1, 250), [`QRCode ${invoiceQrCode}`])
  })

  it("a GSTIN in small letters with blanks around it is the same one, and bears the same taxes", async () => {
    const taxed = [line(sku, 1, { tax: { rate: 5, amount: 4.76 } })]
    const id = await packed({ tax_info: { gstin: " 27bbbbb1111b1z5\t" } }, taxed, "BLR1")
    strictEqual((await seen(clients.acme, id)).gstin, "27BBBBB1111B1Z5")
    const [page = ""] = await pagesOf(await print("invoice", [{ orderId: id }]))
    assertInclude(page, "27BBBBB1111B1Z5")
    assertInclude(page, "IGST 5% 4.76")
  })

  it("units cancelled before the invoice are not on it", async () => {
    const id = await sold({}, [line(sku, 3)])
    const acme = seller(clients.acme)
    const [item] = (await seen(clients.acme, id)).orderItems
    strictEqual(await acme.cancel(id, [{ orderItemId: item?.orderItemId, quantity: 1 }]), "ok")
    strictEqual(await acme.confirm(id), "ok")
    strictEqual(await acme.invoice(id), "ok")
    strictEqual(await acme.pack(id), "ok")
    assertInclude((await pagesOf(await print("invoice", [{ orderId: id }])))[0] ?? "", "₹200.00")
  })

  it("20 shipments are printed in the requested order", async () => {
    const [one, other] = [await packed(), await packed()]
    const asked = Array.from({ length: 20 }, (_, nth) => ({ orderId: nth % 2 === 0 ? one : other }))
    const pages = await pagesOf(await print("labels", asked))
    strictEqual(pages.length, 20)
    pages.forEach((page, nth) => {
      assertInclude(page, asked[nth]?.orderId ?? "-")
    })
    deepStrictEqual(rejection(await print("labels", [...asked, { orderId: one }])).slice(0, 2), [
      400,
      "TOO_MANY_RECORDS"
    ])
  })

  it("one shipment that is not packed, unknown, at another location or another company's rejects the whole request", async () => {
    const [ready, waiting, elsewhere] = [await packed(), await sold(), await packed({}, undefined, "BOM1")]
    const unknown = "00000000000000000001"
    const asked = [ready, waiting, unknown].map((orderId) => ({ orderId }))
    deepStrictEqual(rejection(await print("labels", asked)), [400, "L403", "/1/orderId L403", "/2/orderId L400"])
    deepStrictEqual(rejection(await print("invoice", asked)), [400, "IN403", "/1/orderId IN403", "/2/orderId IN400"])
    deepStrictEqual(rejection(await print("labels", [{ orderId: elsewhere }], "acme-blr1")), [
      400,
      "L400",
      "/0/orderId L400"
    ])
    deepStrictEqual(rejection(await print("invoice", [{ orderId: elsewhere }], "acme-blr1")), [
      400,
      "IN400",
      "/0/orderId IN400"
    ])
    const [own, foreign] = [
      await print("labels", [{ orderId: unknown }], "globex"),
      await print("labels", [{ orderId: ready }], "globex")
    ]
    deepStrictEqual(rejection(foreign), rejection(own))
  })

  it("an unknown print size, a record without orderId and a body that is not a list are rejected", async () => {
    const id = await packed()
    const asked = [{ orderId: id }]
    for (const operation of ["labels", "invoice"]) {
      for (const size of ["a5", "A5", "", "letter"]) {
        deepStrictEqual(rejection(await print(`${operation}?printSize=${size}`, asked)), [
          400,
          "VALIDATION_FAILED",
          "/printSize INVALID_VALUE"
        ])
      }
      deepStrictEqual(rejection(await print(operation, [{ orderId: id }, {}, { orderId: 7 }])), [
        400,
        "VALIDATION_FAILED",
        "/1/orderId REQUIRED",
        "/2/orderId INVALID_TYPE"
      ])
      deepStrictEqual(rejection(await print(operation, [])), [400, "EMPTY_REQUEST"])
      deepStrictEqual(rejection(await print(operation, {})).slice(0, 2), [400, "VALIDATION_FAILED"])
      strictEqual((await print(operation, asked, "nobody")).status, 401)
      strictEqual((await print(operation, asked, "acme", { "content-type": "text/plain" })).status, 415)
    }
  })

  it("an Idempotency-Key is ignored", async () => {
    const [one, other] = [await packed(), await packed()]
    const key = { "idempotency-key": "the same" }
    strictEqual((await print("labels", [{ orderId: one }], "acme", key)).status, 200)
    const again = await print("labels", [{ orderId: other }], "acme", key)
    assertInclude((await pagesOf(again))[0] ?? "", other)
    strictEqual(again.headers.get("idempotent-replayed"), null)
  })

  it("the same shipment gives the same PDF byte for byte", async () => {
    const id = await packed()
    const [first, second] = [await print("invoice", [{ orderId: id }]), await print("invoice", [{ orderId: id }])]
    assertTrue(Buffer.from(first.bytes).equals(second.bytes))
  })

  it("a return has a label as soon as its courier is assigned, and no invoice before its credit note", async () => {
    const id = await packed({}, [line(sku, 2, { tax: { rate: 12, amount: 21.43 } })])
    const [acme, bazaar] = [seller(clients.acme), marketplace(clients.bazaar)]
    strictEqual(await acme.dispatch(id), "ok")
    strictEqual(await acme.status(id, "delivery_done"), "ok")
    strictEqual(await bazaar.status(id, "return_initiated"), "ok")
    const back = (
      await clients.acme.call<ReadonlyArray<{ id: string; forwardId: string }>>(
        "GET",
        `${shipment}?orderStatus=RETURN_PROCESSING&locationCode=BLR1&pageSize=100`
      )
    ).body.find(({ forwardId }) => forwardId === id)
    const returned = back?.id ?? ""
    deepStrictEqual(rejection(await print("invoice", [{ orderId: returned }])).slice(0, 2), [400, "IN403"])
    const [label = ""] = await pagesOf(await print("labels", [{ orderId: returned }]))
    assertInclude(label, "RETURN TO")
  })

  it("a shipment cancelled after its invoice has the invoice and the credit note, but no label", async () => {
    const id = await sold()
    const acme = seller(clients.acme)
    strictEqual(await acme.confirm(id), "ok")
    strictEqual(await acme.invoice(id), "ok")
    strictEqual(await acme.cancel(id), "ok")
    deepStrictEqual(rejection(await print("invoice", [{ orderId: id }])).slice(0, 2), [400, "IN403"])
    deepStrictEqual(rejection(await print("labels", [{ orderId: id }])).slice(0, 2), [400, "L403"])
    strictEqual(await acme.creditNote(id), "ok")
    const pages = await pagesOf(await print("invoice", [{ orderId: id }]))
    assertInclude(pages[0] ?? "", "Tax invoice")
    assertInclude(pages[1] ?? "", `CN-${id}`)
  })
})

describe("links to labels and invoices in the shipment read", () => {
  const fields = ["labelPdfUrl", "labelA6PdfUrl", "A4invoicePdfUrl", "A6invoicePdfUrl"] as const
  const linksOf = async (api: Client, id: string): Promise<ReadonlyArray<string>> => {
    const one = await seen(api, id)
    return fields.map((field) => String(one[field]))
  }

  it("are null until there is a document, then open without signing in, each in its own size", async () => {
    const waiting = await sold()
    deepStrictEqual(await linksOf(clients.acme, waiting), ["null", "null", "null", "null"])
    const id = await packed()
    const links = await linksOf(clients.acme, id)
    const heights = [842, 420, 842, 420]
    for (const [nth, link] of links.entries()) {
      assertTrue(link.startsWith(`${clients.url}/documents/`), link)
      const printed = await fetched(link)
      assertInclude((await pagesOf(printed))[0] ?? "", id)
      const { open } = await import("../../documents/test/PdfReading.ts")
      const [, , , height = 0] = (await (await open(printed.bytes)).getPage(1)).view
      strictEqual(Math.round(height), heights[nth])
    }
  })

  it("stay the same from read to read", async () => {
    const id = await packed()
    deepStrictEqual(await linksOf(clients.acme, id), await linksOf(clients.acme, id))
  })

  it("are rejected if any part was changed, or if signed with another secret", async () => {
    const [id, other] = [await packed(), await packed()]
    const [link = ""] = await linksOf(clients.acme, id)
    const url = new URL(link)
    const signature = url.searchParams.get("signature") ?? ""
    const expires = Number(url.searchParams.get("expires"))
    assertTrue(expires * 1000 > Date.now() + 86_400_000 && expires * 1000 <= Date.now() + 2 * 86_400_000)
    const name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "")
    const forged = createHmac("sha256", "another").update(`${name} ${expires}`).digest("base64url")
    const wrong = [
      link.replace(id, other),
      link.replace("labels-a4", "labels-a6"),
      link.replace("labels-a4", "invoice-a4"),
      link.replace("-1-", "-2-"),
      link.replace(`expires=${expires}`, `expires=${expires + 86_400}`),
      link.replace(`expires=${expires}`, `expires=0${expires}`),
      link.replace(signature, forged),
      link.replace(signature, signature.slice(0, -1)),
      link.replace(/&signature=.*/, ""),
      link.replace(/\?.*/, ""),
      link.replace(".pdf", ".PDF"),
      `${clients.url}/documents/x`
    ]
    for (const one of wrong) {
      const answer = await fetched(one)
      deepStrictEqual([one, answer.status, answer.rejected.code], [one, 401, "TOKEN_INVALID"])
      assertTrue(answer.headers.get("x-request-id") !== null)
    }
  })

  it("stop working with the document: once a shipment is cancelled, its label's link no longer opens", async () => {
    const id = await packed()
    const [link = ""] = await linksOf(clients.acme, id)
    strictEqual(await seller(clients.acme).cancel(id), "ok")
    const answer = await fetched(link)
    deepStrictEqual([answer.status, answer.rejected.code], [404, "NOT_FOUND"])
    strictEqual((await linksOf(clients.acme, id))[0], "null")
  })

  it("do not depend on the Host header", async () => {
    const id = await packed()
    const answer = await clients.acme.call<ReadonlyArray<{ labelPdfUrl: string }>>(
      "GET",
      `${shipment}?orderId=${id}`,
      undefined,
      {
        host: "evil.example"
      }
    )
    assertTrue(answer.body[0]?.labelPdfUrl.startsWith(clients.url) === true)
  })
})
