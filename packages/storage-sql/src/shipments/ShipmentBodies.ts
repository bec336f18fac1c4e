/**
 * The stored bodies of shipments.
 */
import { StoredBody } from "@crossdock/kernel"
import type { Invoice, Shipment } from "@crossdock/shipments"

const invoice: StoredBody.Fields<Invoice> = {
  number: true,
  at: true,
  irn: true,
  qrCode: true,
  signedInvoice: true,
  ackNumber: true,
  ackDate: true
}

export const shipments = StoredBody.make<Shipment>({
  name: "shipment",
  fields: {
    id: true,
    companyId: true,
    location: true,
    marketplace: true,
    orderId: true,
    externalOrderId: true,
    externalShipmentId: true,
    forwardId: true,
    journey: true,
    status: true,
    version: true,
    locked: true,
    fulfillment: true,
    selfShip: true,
    currency: true,
    linesBefore: true,
    items: [
      {
        id: true,
        externalLineId: true,
        sku: true,
        title: true,
        hsCode: true,
        ordered: true,
        cancelled: true,
        splitOff: true,
        invoiced: true,
        mrp: true,
        esp: true,
        discount: true,
        couponDiscount: true,
        deliveryCharge: true,
        taxRate: true,
        taxAmount: true,
        taxBefore: true,
        good: true,
        bad: true,
        qcReasons: true,
        unmappedReasons: true,
        imei: true,
        returnReason: true
      }
    ],
    courier: { name: true, code: true, awbNumbers: true },
    additionalInfo: true,
    invoice,
    creditNote: invoice,
    returnId: true,
    packages: [{ id: true, lengthCm: true, widthCm: true, heightCm: true, weightGrams: true }],
    events: [{ status: true, at: true, location: true, remark: true, reasonCode: true }],
    promisedDeliveryDate: true,
    estimatedDeliveryDate: true,
    lastLocation: true,
    packAfter: true,
    packBy: true,
    dispatchBy: true,
    deliverBy: true,
    sla: true,
    orderDate: true,
    createdAt: true,
    modifiedAt: true
  }
})
