/**
 * Sellers and where their stock stands.
 */
import type { CompanyId } from "@crossdock/kernel"

export interface Company {
  readonly id: CompanyId
  readonly name: string
  /** The name on invoices and labels. */
  readonly legalName: string
}

/**
 * Where a location is, as labels and invoices show it. `gstin` is the company's tax number there.
 */
export interface LocationAddress {
  readonly address1: string
  readonly address2: string | null
  readonly city: string
  readonly state: string
  readonly pincode: string
  readonly country: string
  readonly phone: string | null
  readonly gstin: string | null
}

/**
 * `code` is unique within its company. Prices, stock and shipments of a location are in its one currency.
 */
export interface Location {
  readonly companyId: CompanyId
  readonly code: string
  readonly name: string
  /** ISO 4217. */
  readonly currency: string
  /** From the order's time to when a shipment must be packed. */
  readonly handlingHours: number
  readonly address: LocationAddress | null
}
