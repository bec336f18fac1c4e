/**
 * The lines of an order with what is stored about their SKUs.
 */
import { ProductStore, type SoldSku } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { type CompanyId, required } from "@crossdock/kernel"
import { type Marketplace, Offer, companiesOf as sellersOf } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import type { OrderDraft } from "../OrderDraft.ts"
import type * as OrderReservation from "../OrderReservation.ts"
import { companiesOf, type OrderOrigins } from "./OrderOrigins.ts"

/**
 * The lines of all shipments.
 */
const linesOf = (draft: OrderDraft, origins: OrderOrigins, shipmentIds: ReadonlyArray<string>) =>
  draft.shipments.flatMap(({ lines }, shipment) =>
    lines.map(({ quantity, sku }, line) => ({
      shipment,
      line,
      sku,
      quantity,
      shipmentId: required(shipmentIds[shipment], "the id of a new shipment"),
      origin: origins[shipment]
    }))
  )

/**
 * Makes the reads.
 */
export const make = Effect.gen(function* () {
  const products = yield* ProductStore
  const levels = yield* StockLevels

  /**
   * The SKUs, of lines with an unknown location, that some seller of the marketplace has; all of them when it has no
   * seller, since SKUs can't be checked then.
   */
  const skusOfAnySeller = (marketplace: Marketplace, skus: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const companies = sellersOf(marketplace)
      if (companies.length === 0) return new Set(skus)
      return yield* products.skusOfAny(
        companies,
        skus.filter((sku) => Offer.sells(marketplace, sku))
      )
    })

  /**
   * The lines with their stock levels, read once for each company and locked until the transaction ends.
   */
  const stockLines = (
    marketplace: Marketplace,
    draft: OrderDraft,
    origins: OrderOrigins,
    shipmentIds: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const lines = linesOf(draft, origins, shipmentIds)
      const found = new Map<(typeof lines)[number], OrderReservation.StockLine["level"]>()
      for (const company of companiesOf(origins)) {
        const own = lines.flatMap((line) =>
          line.origin?.companyId === company ? [{ line, key: { sku: line.sku, location: line.origin.code } }] : []
        )
        const loaded = yield* levels.load(
          company,
          own.map(({ key }) => key)
        )
        own.forEach(({ line }, i) => {
          const level = required(loaded[i], "the level of a line")
          found.set(line, Offer.sells(marketplace, line.sku) ? level : "UNKNOWN_SKU")
        })
      }
      const unmatchedSkus = lines.filter(({ origin }) => origin === undefined).map(({ sku }) => sku)
      const known = unmatchedSkus.length === 0 ? new Set<string>() : yield* skusOfAnySeller(marketplace, unmatchedSkus)
      return lines.map((line) => ({
        ...line,
        level: found.get(line) ?? (known.has(line.sku) ? "UNKNOWN_LOCATION" : "UNKNOWN_SKU_AND_LOCATION")
      }))
    })

  /**
   * The products that are ordered of each company, by SKU.
   */
  const soldLines = (draft: OrderDraft, origins: OrderOrigins) =>
    Effect.gen(function* () {
      const sold = new Map<CompanyId, ReadonlyMap<string, SoldSku>>()
      for (const company of companiesOf(origins)) {
        const skus = draft.shipments.flatMap(({ lines }, at) =>
          origins[at]?.companyId === company ? lines.map(({ sku }) => sku) : []
        )
        const found = yield* products.sold(company, skus)
        sold.set(company, new Map(found.map((one) => [one.sku, one])))
      }
      return sold
    })

  return { stockLines, soldLines }
})
