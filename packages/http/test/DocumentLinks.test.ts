import { LinkSignerHmac } from "@crossdock/crypto"
import { DocumentLinks, type SignedLinks } from "@crossdock/http"
import { CompanyId } from "@crossdock/kernel"
import { beginShipment, type Shipment } from "@crossdock/shipments"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Layer, Redacted, Result } from "effect"

const day = 86_400_000
const now = 20_000 * day + 5
const shipment: Shipment = beginShipment(
  {
    id: "17328629784861446350",
    companyId: CompanyId.make(7),
    location: "BLR1",
    marketplace: "bazaar",
    orderId: "1",
    externalOrderId: "1",
    externalShipmentId: "1",
    fulfillment: "SELLER",
    selfShip: true,
    currency: "INR",
    linesBefore: 0,
    items: [],
    packAfter: null,
    packBy: null,
    dispatchBy: null,
    deliverBy: null,
    sla: 0,
    orderDate: 0
  },
  now,
  "bag_packed"
)

const layer = (secret: string) =>
  DocumentLinks.layer("https://shop.example/api").pipe(
    Layer.provide(LinkSignerHmac.layer(Redacted.make(secret.padEnd(32, "."))))
  )

const signedOf = (link: string | null): SignedLinks.SignedLink => {
  const { pathname, searchParams } = new URL(link ?? "")
  const [expires, signature] = ["expires", "signature"].map((name) => searchParams.get(name) ?? "")
  return { document: pathname.split("/").at(-1) ?? "", expires: expires ?? "", signature: signature ?? "" }
}

const opened = (link: SignedLinks.SignedLink, at: number) =>
  Effect.map(DocumentLinks.DocumentLinks, ({ open }) =>
    Result.match(open(link, at), { onFailure: ({ _tag }) => _tag, onSuccess: (one) => one })
  )

describe("document links", () => {
  it.effect("start with the host's address and open one document of one company's shipment", () =>
    Effect.gen(function* () {
      const { urlsOf } = yield* DocumentLinks.DocumentLinks
      const { A6invoicePdfUrl, labelA6PdfUrl } = urlsOf(shipment, now)
      strictEqual(A6invoicePdfUrl, null)
      assertTrue(labelA6PdfUrl?.startsWith("https://shop.example/api/documents/") === true)
      deepStrictEqual(yield* opened(signedOf(labelA6PdfUrl), now), {
        companyId: CompanyId.make(7),
        family: "labels",
        size: "a6",
        shipmentId: shipment.id
      })
    }).pipe(Effect.provide(layer("one")))
  )

  it.effect("expire at the end of the next day", () =>
    Effect.gen(function* () {
      const { urlsOf } = yield* DocumentLinks.DocumentLinks
      const link = signedOf(urlsOf(shipment, now).labelPdfUrl)
      assertTrue(typeof (yield* opened(link, 20_002 * day - 1)) === "object")
      strictEqual(yield* opened(link, 20_002 * day), "TokenExpired")
    }).pipe(Effect.provide(layer("one")))
  )

  it.effect("are valid for at most two days, even if the clock is set back", () =>
    Effect.gen(function* () {
      const { urlsOf } = yield* DocumentLinks.DocumentLinks
      const midnight = 20_000 * day
      const link = signedOf(urlsOf(shipment, midnight).labelPdfUrl)
      assertTrue(typeof (yield* opened(link, midnight - 60_000)) === "object", "the clocks of hosts differ")
      strictEqual(yield* opened(link, midnight - 60_001), "TokenInvalid")
    }).pipe(Effect.provide(layer("one")))
  )

  it.effect("are invalid if signed with another secret", () =>
    Effect.gen(function* () {
      const { urlsOf } = yield* Effect.provide(DocumentLinks.DocumentLinks, layer("another"))
      strictEqual(yield* opened(signedOf(urlsOf(shipment, now).labelPdfUrl), now), "TokenInvalid")
    }).pipe(Effect.provide(layer("one")))
  )
})
