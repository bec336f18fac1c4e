/**
 * Sellers and their locations.
 */
import type { CompanyId } from "@crossdock/kernel"

/** A seller. */
export interface Company {
  readonly id: CompanyId
  readonly name: string
  /** The name on invoices and labels. */
  readonly legalName: string
  /** When it was closed, in epoch milliseconds; absent while it is open. */
  readonly closedAt?: number
}

/** The address of a location, as labels and invoices show it. `gstin` is the company's tax number there. */
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
 * A place where a company keeps stock. `code` is unique within the company. All prices and amounts of a location are in its
 * currency.
 */
export interface Location {
  readonly companyId: CompanyId
  readonly code: string
  readonly name: string
  /** ISO 4217. */
  readonly currency: string
  /** Hours from the order to the time by which a shipment must be packed. */
  readonly handlingHours: number
  readonly address: LocationAddress | null
}
