/**
 * Who pays for a company, as its invoices name them.
 */
import type { CompanyId } from "@crossdock/kernel"
import type { Client } from "./Invoice.ts"

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

/**
 * What can be told of a customer; what is not told stays as it was.
 */
export interface CustomerDetail {
  readonly name?: string
  readonly email?: string
  readonly phone?: Phone
  readonly billingAddress?: BillingAddress
}

export interface Customer extends CustomerDetail {
  readonly companyId: CompanyId
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly modifiedAt: number
  readonly version: number
}

/**
 * The customer as an invoice names it; a company that told nothing goes by its name.
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
