/** Use case that prints the labels, invoices and credit notes of shipments. Source: docs/reference/documents.md. */
import { Directory, type Integration, mayUse } from "@crossdock/access"
import { ProductStore } from "@crossdock/catalog"
import { type CompanyId, frozen, type Stored, taggedError } from "@crossdock/kernel"
import type { OrderedShipment, Shipment } from "@crossdock/shipments"
import { IssuedDocuments, MoveBatch, rejectionCode, ShipmentStore } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type DocumentFailure, DocumentRenderer, OwnPapers, type PrintSize, printSizes } from "./DocumentRenderer.ts"
import { SalesTaxPolicy } from "./SalesTax.ts"
import { invoicesOf } from "./ShipmentInvoice.ts"
import { labelOf } from "./ShippingLabel.ts"

const DocumentFamily = Schema.Literals(["labels", "invoice"])

/** The kinds of documents. Each kind has its own rejection codes. */
export type DocumentFamily = typeof DocumentFamily.Type

/** The size of a document if its caller names none. Source: docs/reference/documents.md#print-size. */
const defaultSize: Readonly<Record<DocumentFamily, PrintSize>> = { labels: "a6", invoice: "a4" }

/** Checks the arguments, since in-process callers may ignore the types. */
const known = Schema.decodeUnknownEffect(Schema.Struct({ family: DocumentFamily, size: Schema.Literals(printSizes) }))

const code = Schema.Literals(["L400", "L403", "IN400", "IN403"])

/** Nothing was printed, because some shipments don't exist or don't have the document. `rejected` lists them all. */
export class DocumentsRejected extends taggedError<DocumentsRejected>()(
  "@crossdock/documents/DocumentsRejected",
  { rejected: Schema.NonEmptyArray(Schema.Struct({ index: Schema.Int, code, message: Schema.String })) },
  ({ rejected: [first, ...more] }) => (more.length === 0 ? first.message : `${first.message} (and ${more.length} more)`)
) {}

/** Whether a shipment has a document of each family now. */
export const isReady: Readonly<Record<DocumentFamily, (shipment: Shipment) => boolean>> = /* @__PURE__ */ frozen({
  labels: IssuedDocuments.hasLabel,
  invoice: IssuedDocuments.hasInvoice
})

const notReady = {
  labels: "it has no label. Pack the shipment first; a cancelled shipment never has one",
  invoice: "it has no invoice. Pack the shipment first; for a return, record its credit note first"
} as const

/** Selects the shipments that a caller may see: those of a company, or of some of its locations. */
export type Reader = Pick<Integration, "companyId" | "locations">

/** Prints the labels, invoices and credit notes of shipments. */
export class ShipmentDocuments extends Context.Service<
  ShipmentDocuments,
  {
    /** Prints all shipments' documents as one file. Fails with `L400`, `L403`, `IN400` or `IN403` if one can't be printed. */
    readonly print: (
      reader: Reader,
      family: DocumentFamily,
      ids: ReadonlyArray<string>,
      size?: PrintSize
    ) => Stored<Uint8Array, DocumentsRejected | DocumentFailure>
  }
>()("@crossdock/documents/ShipmentDocuments") {}

const rejectionsOf = (family: DocumentFamily, id: string, index: number, found: OrderedShipment | undefined) => {
  if (found === undefined)
    return [{ index, code: rejectionCode(family, "notFound"), message: MoveBatch.noShipment(id) }]
  const { shipment } = found
  const message = `Can't print shipment ${id} (${shipment.status}): ${notReady[family]}.`
  return isReady[family](shipment) ? [] : [{ index, code: rejectionCode(family, "wrongStatus"), message }]
}

type Drawing = (
  companyId: CompanyId,
  found: ReadonlyArray<OrderedShipment>,
  sellerAt: ReturnType<typeof IssuedDocuments.sellers>,
  size: PrintSize
) => Stored<Uint8Array, DocumentFailure>

export const make = Effect.gen(function* () {
  const store = yield* ShipmentStore
  const directory = yield* Directory
  const products = yield* ProductStore
  const renderer = yield* DocumentRenderer
  const salesTax = yield* SalesTaxPolicy
  const { invoice: ownInvoice, labels: ownLabels } = yield* OwnPapers

  const weightsOf = Effect.fnUntraced(function* (companyId: CompanyId, shipments: ReadonlyArray<Shipment>) {
    const unweighed = shipments.flatMap(({ items }) => items.filter(({ weight }) => weight === undefined))
    const skus = new Set(unweighed.map(({ sku }) => sku))
    const found = skus.size === 0 ? [] : yield* products.sold(companyId, [...skus])
    const weights = new Map(found.map(({ sku, weight }) => [sku, weight]))
    return (sku: string) => weights.get(sku) ?? null
  })

  const drawings: Readonly<Record<DocumentFamily, Drawing>> = {
    labels: Effect.fnUntraced(function* (companyId, found, sellerAt, size) {
      const shipments = found.map(({ shipment }) => shipment)
      const weightOf = yield* weightsOf(companyId, shipments)
      const made = found.map((one) => labelOf(one, sellerAt(one.shipment.location), weightOf))
      return yield* (ownLabels?.draw ?? renderer.labels)(made, size)
    }),
    invoice: Effect.fnUntraced(function* (companyId, found, sellerAt, size) {
      const forward = found.flatMap(({ shipment }) => (shipment.journey === "return" ? [shipment.forwardId] : []))
      const sold = forward.length === 0 ? [] : yield* store.withOrders(companyId, forward)
      const sales = new Map(sold.map(({ shipment }) => [shipment.id, shipment.invoice]))
      const made = found.flatMap((one) =>
        invoicesOf(one, sellerAt(one.shipment.location), sales.get(one.shipment.forwardId) ?? null, salesTax)
      )
      return yield* (ownInvoice?.draw ?? renderer.invoices)(made, size)
    })
  }

  return ShipmentDocuments.of({
    print: Effect.fn("ShipmentDocuments.print")(function* (
      { companyId, locations },
      family,
      ids,
      size = defaultSize[family]
    ) {
      yield* Effect.orDie(known({ family, size }))
      const loaded = yield* store.withOrders(companyId, ids)
      const visible = loaded.filter(({ shipment }) => mayUse({ locations }, shipment.location))
      const byId = new Map(visible.map((one) => [one.shipment.id, one]))
      const [first, ...more] = ids.flatMap((id, index) => rejectionsOf(family, id, index, byId.get(id)))
      if (first !== undefined) return yield* new DocumentsRejected({ rejected: [first, ...more] })
      const found = ids.flatMap((id) => byId.get(id) ?? [])
      const [company, places] = [yield* directory.company(companyId), yield* directory.locations([companyId])]
      return yield* drawings[family](companyId, found, IssuedDocuments.sellers(company, places), size)
    })
  })
})

export const layer = Layer.effect(ShipmentDocuments, make)
