import { CompanyId } from "@crossdock/kernel"
import type { Level } from "../Level.ts"

/** A stored level of company 1, with 10 units of "SKU-1" on hand at "BLR1". `changes` replaces any field. */
export const stockLevel = (changes: Partial<Level> = {}): Level => ({
  companyId: CompanyId.make(1),
  sku: "SKU-1",
  location: "BLR1",
  sizeId: 1,
  locationId: 1,
  onHand: 10,
  reserved: 0,
  unsellable: 0,
  version: 1,
  changeNumber: 1,
  changedAt: 0,
  ...changes
})
