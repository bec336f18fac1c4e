/** Measures the rules alone, in this process, without storage and HTTP. */

import { type Level, StockUpdate } from "@crossdock/inventory"
import { CompanyId, Money } from "@crossdock/kernel"
import { beginShipment, Lifecycle } from "@crossdock/shipments"

const perSecond = (work: () => number): number => {
  for (const until = performance.now() + 300; performance.now() < until; ) work()
  let done = 0
  const from = performance.now()
  while (performance.now() - from < 1000) done += work()
  return Math.round((done * 1000) / (performance.now() - from))
}

const item = {
  id: "1",
  externalLineId: null,
  sku: "SKU-1",
  title: "Product",
  hsCode: null,
  ordered: 2,
  cancelled: 0,
  splitOff: 0,
  invoiced: 0,
  mrp: null,
  esp: Money.minorUnits(100),
  discount: Money.minorUnits(0),
  couponDiscount: Money.minorUnits(0),
  deliveryCharge: Money.minorUnits(0),
  taxRate: null,
  taxAmount: Money.minorUnits(0),
  taxBefore: Money.minorUnits(0),
  good: 0,
  bad: 0,
  qcReasons: [],
  unmappedReasons: [],
  imei: [],
  returnReason: null
}

const shipment = beginShipment(
  {
    id: "1",
    companyId: CompanyId.make(1),
    location: "BLR1",
    marketplace: "bazaar",
    orderId: "1",
    externalOrderId: "1",
    externalShipmentId: "1",
    fulfillment: "SELLER",
    selfShip: true,
    currency: "INR",
    linesBefore: 0,
    items: [item],
    packAfter: null,
    packBy: null,
    dispatchBy: null,
    deliverBy: null,
    sla: 0,
    orderDate: 0
  },
  0
)

const levels = Array.from(
  { length: 500 },
  (_, at): Level.Level => ({
    companyId: CompanyId.make(1),
    sku: `SKU-${at}`,
    location: "BLR1",
    sizeId: at,
    locationId: 1,
    onHand: 5,
    reserved: 0,
    unsellable: 0,
    version: 1,
    changeNumber: 1,
    changedAt: 0
  })
)

export const measure = () => ({
  moves: perSecond(() => {
    Lifecycle.move(shipment, { _tag: "Confirm", items: [{ itemId: "1", quantity: 2 }] }, 1)
    return 1
  }),
  records: perSecond(() => {
    const inputs = levels.map((level, index) => ({
      index,
      level,
      record: { location: "BLR1", sku: level.sku, quantity: index, expected: null }
    }))
    return StockUpdate.applyUpdates("set", inputs).length
  })
})
