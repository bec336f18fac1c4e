/** The customer of a company as invoices show it. Source: docs/reference/billing.md#customer. */
import type { CompanyId } from "@crossdock/kernel"
import type { Client } from "./Invoice.ts"

/** The customer's address. */
export interface BillingAddress {
  readonly line1?: string
  readonly line2?: string
  readonly city?: string
  readonly state?: string
  readonly country?: string
  readonly postal_code?: string
}

export interface Phone {
  readonly phone_country_code?: string
  readonly phone_number?: string
}

/** The details of a customer. Details that are absent from an update are unchanged. */
export interface CustomerDetail {
  readonly name?: string
  readonly email?: string
  readonly phone?: Phone
  readonly billingAddress?: BillingAddress
}

export interface Customer extends CustomerDetail {
  readonly companyId: CompanyId
  readonly id: string
  /** The times are in epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  readonly version: number
}

/**
 * The customer on an invoice. If a company has no details, the invoice shows the company's own name.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CompanyId } from "@crossdock/kernel"
 * import { clientOf } from "@crossdock/billing"
 *
 * const stored = { companyId: CompanyId.make(1), id: "c1", createdAt: 0, modifiedAt: 0, version: 1 }
 * const billingAddress = { line1: "4 MG Road", line2: "", city: "Bengaluru" }
 * deepStrictEqual(clientOf({ ...stored, billingAddress, phone: { phone_number: "98450 00000" } }, "Acme"), {
 *   name: "Acme",
 *   email: null,
 *   phone: "98450 00000",
 *   addressLines: ["4 MG Road", "Bengaluru"]
 * })
 * ```
 */
export const clientOf = (customer: Customer | undefined, company: string): Client => {
  const { city, country, line1, line2, postal_code, state } = customer?.billingAddress ?? {}
  const { phone_country_code, phone_number } = customer?.phone ?? {}
  const phone = [phone_country_code, phone_number].filter((part) => part !== undefined && part !== "").join(" ")
  return {
    name: customer?.name ?? company,
    email: customer?.email ?? null,
    phone: phone === "" ? null : phone,
    addressLines: [line1, line2, city, state, country, postal_code].flatMap((line) =>
      line === undefined || line === "" ? [] : [line]
    )
  }
}
