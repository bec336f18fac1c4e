/**
 * Levels and keys for tests.
 */
import type { Level } from "@crossdock/inventory"
import { CompanyId } from "@crossdock/kernel"

export const company = CompanyId.make(7)

export const level = (sku: string, more: Partial<Level.Level> = {}): Level.Level => ({
  companyId: company,
  sku,
  location: "L1",
  sizeId: 1,
  locationId: 1,
  onHand: 10,
  reserved: 0,
  unsellable: 0,
  version: 1,
  changeNumber: 1,
  changedAt: 0,
  ...more
})

export const keyOf = ({ location, sku }: { readonly sku: string; readonly location: string }) => ({ sku, location })

export const textOf = ({ location, sku }: { readonly sku: string; readonly location: string }) => `${sku}@${location}`
