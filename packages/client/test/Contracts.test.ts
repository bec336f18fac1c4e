/**
 * The types of the client are those of the schemas in http: what one encodes, the other takes. This file fails to compile when
 * they differ. A field that its schema reads as text, and a rule judges, has its known words as its type in the client; such
 * types are only within the schema's.
 */
import type { Marketplace, Platform, Seller } from "@crossdock/client"
import type {
  BulkResult,
  CourierDetails,
  Listing,
  LogPage,
  OrderBody,
  OrderView,
  PriceRecord,
  ShipmentView,
  StatusRecord,
  StockRecord
} from "@crossdock/http/contracts"
import { deepStrictEqual } from "@effect/vitest/utils"
import { it } from "vitest"

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "the schema takes less") : "the schema takes more"

/** What the client has is within the schema: the same, or with the words that are known. */
type Within<Contract, Client> = [Client] extends [Contract] ? true : "the schema takes less"

const same: {
  stock: Both<typeof StockRecord.Encoded, Seller.StockRecord>
  price: Within<typeof PriceRecord.Encoded, Seller.PriceRecord>
  status: Within<typeof StatusRecord.Encoded, Seller.StatusRecord>
  order: Within<typeof OrderBody.Encoded, Marketplace.Order>
  bulk: Within<typeof BulkResult.Encoded, Seller.BulkResult>
  listing: Within<typeof Listing.Encoded, Seller.Listing>
  shipment: Within<typeof ShipmentView.Encoded, Seller.Shipment>
  couriers: Within<typeof CourierDetails.Encoded, Seller.Operations["shipments"]["courierDetails"]["success"]>
  orderView: Within<typeof OrderView.Encoded, Marketplace.OrderView>
  logs: Within<typeof LogPage.Encoded, Platform.LogSchemaResponse>
} = {
  stock: true,
  price: true,
  status: true,
  order: true,
  bulk: true,
  listing: true,
  shipment: true,
  couriers: true,
  orderView: true,
  logs: true
}

it("the types of the client are those of the schemas", () => {
  deepStrictEqual(
    Object.values(same).every((one) => one),
    true
  )
})
