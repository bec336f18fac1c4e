/**
 * The types of the client are those of the contracts: what one encodes, the other takes. This file fails to compile when they
 * differ. A word that the contract reads as text and judges by its rule is one of its known words here, so records with such
 * words are only tried the other way.
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

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "the contract takes less") : "the contract takes more"

/** What the client has is within the contract: the same, or with the words that are known. */
type Within<Contract, Client> = [Client] extends [Contract] ? true : "the contract takes less"

const same: {
  stock: Both<typeof StockRecord.Encoded, Seller.StockRecord>
  price: Within<typeof PriceRecord.Encoded, Seller.PriceRecord>
  status: Within<typeof StatusRecord.Encoded, Seller.StatusRecord>
  order: Within<typeof OrderBody.Encoded, Marketplace.Order>
  bulk: Both<typeof BulkResult.Encoded, Seller.BulkResult>
  listing: Within<typeof Listing.Encoded, Seller.Listing>
  shipment: Within<typeof ShipmentView.Encoded, Seller.Shipment>
  couriers: Both<typeof CourierDetails.Encoded, Seller.Operations["shipments"]["courierDetails"]["success"]>
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

it("the types that the client has are the contract's", () => {
  deepStrictEqual(
    Object.values(same).every((one) => one),
    true
  )
})
