/**
 * The platform interface on the wire. Written by scripts/client-contracts.mjs from the contracts of @crossdock/http: change those.
 */
import type { Table } from "../Operation.ts"

/** A company's subscription to a plan */
export type Subscription = {
  /** Id of the plan's subscription, 24 hex characters */
  readonly _id: string
  /** Spelt so for plans */
  readonly current_status: "active" | "canceled"
  /** Whether it is active */
  readonly is_active: boolean
  /** Id of the plan */
  readonly plan_id: string
  /** The plan */
  readonly plan_data: Plan
  /** Id of the company */
  readonly subscriber_id: string
  /** Always charge_automatically */
  readonly collection_method: "charge_automatically"
  /** Always ecomm */
  readonly channel_type: "ecomm"
  /** Whether it ends with its period */
  readonly cancel_at_period_end: boolean
  /** What happens with its invoices */
  readonly invoice_settings: {
    /** Always true */
    readonly generation: boolean
    /** Always true */
    readonly charging: boolean
  }
  /** The period that runs */
  readonly current_period: {
    /** Its start, ISO 8601 in UTC */
    readonly start: string
    /** Its end, ISO 8601 in UTC */
    readonly end: string
  }
  /** The trial, while it runs */
  readonly trial?: {
    /** Its start, ISO 8601 in UTC */
    readonly start: string
    /** Its end, ISO 8601 in UTC */
    readonly end: string
  }
  /** Its product suite */
  readonly product_suite_id?: string
  /** Id of its latest invoice */
  readonly latest_invoice?: string
  /** When it was cancelled, ISO 8601 in UTC */
  readonly canceled_at?: string
  /** The same as canceled_at */
  readonly cancel_at?: string
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
}

/** A plan */
export type Plan = {
  /** Id of the plan */
  readonly _id: string
  /** Name */
  readonly name: string
  /** What it offers */
  readonly description: string
  /** Price of a period, in the currency's main unit */
  readonly amount: number
  /** The currency */
  readonly currency: Currency
  /** Always IN */
  readonly country: string
  /** Always public */
  readonly type: "public"
  /** Always default */
  readonly plan_group: "default"
  /** How often it is charged */
  readonly recurring: {
    /** A period */
    readonly interval: "month" | "year"
    /** Always 1 */
    readonly interval_count: number
  }
  /** Days before the first charge */
  readonly trial_period: number
  /** Always false */
  readonly is_trial_plan: boolean
  /** Whether it can be subscribed to */
  readonly is_active: boolean
  /** The same as is_active */
  readonly is_visible: boolean
  /** Its product suite */
  readonly product_suite_id?: string
  /** Always empty */
  readonly tags: ReadonlyArray<string>
  /** Always empty */
  readonly tag_lines: ReadonlyArray<string>
  /** Always empty */
  readonly addons: ReadonlyArray<string>
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
}

/** A currency code of ISO 4217 */
export type Currency =
  | "BIF"
  | "CLP"
  | "DJF"
  | "GNF"
  | "ISK"
  | "JPY"
  | "KMF"
  | "KRW"
  | "PYG"
  | "RWF"
  | "UGX"
  | "UYI"
  | "VND"
  | "VUV"
  | "XAF"
  | "XOF"
  | "XPF"
  | "AED"
  | "AFN"
  | "ALL"
  | "AMD"
  | "ANG"
  | "AOA"
  | "ARS"
  | "AUD"
  | "AWG"
  | "AZN"
  | "BAM"
  | "BBD"
  | "BDT"
  | "BGN"
  | "BMD"
  | "BND"
  | "BOB"
  | "BOV"
  | "BRL"
  | "BSD"
  | "BTN"
  | "BWP"
  | "BYN"
  | "BZD"
  | "CAD"
  | "CDF"
  | "CHE"
  | "CHF"
  | "CHW"
  | "CNY"
  | "COP"
  | "COU"
  | "CRC"
  | "CUP"
  | "CVE"
  | "CZK"
  | "DKK"
  | "DOP"
  | "DZD"
  | "EGP"
  | "ERN"
  | "ETB"
  | "EUR"
  | "FJD"
  | "FKP"
  | "GBP"
  | "GEL"
  | "GHS"
  | "GIP"
  | "GMD"
  | "GTQ"
  | "GYD"
  | "HKD"
  | "HNL"
  | "HTG"
  | "HUF"
  | "IDR"
  | "ILS"
  | "INR"
  | "IRR"
  | "JMD"
  | "KES"
  | "KGS"
  | "KHR"
  | "KPW"
  | "KYD"
  | "KZT"
  | "LAK"
  | "LBP"
  | "LKR"
  | "LRD"
  | "LSL"
  | "MAD"
  | "MDL"
  | "MGA"
  | "MKD"
  | "MMK"
  | "MNT"
  | "MOP"
  | "MRU"
  | "MUR"
  | "MVR"
  | "MWK"
  | "MXN"
  | "MXV"
  | "MYR"
  | "MZN"
  | "NAD"
  | "NGN"
  | "NIO"
  | "NOK"
  | "NPR"
  | "NZD"
  | "PAB"
  | "PEN"
  | "PGK"
  | "PHP"
  | "PKR"
  | "PLN"
  | "QAR"
  | "RON"
  | "RSD"
  | "RUB"
  | "SAR"
  | "SBD"
  | "SCR"
  | "SDG"
  | "SEK"
  | "SGD"
  | "SHP"
  | "SLE"
  | "SOS"
  | "SRD"
  | "SSP"
  | "STN"
  | "SVC"
  | "SYP"
  | "SZL"
  | "THB"
  | "TJS"
  | "TMT"
  | "TOP"
  | "TRY"
  | "TTD"
  | "TWD"
  | "TZS"
  | "UAH"
  | "USD"
  | "USN"
  | "UYU"
  | "UZS"
  | "VED"
  | "VES"
  | "WST"
  | "XCD"
  | "XCG"
  | "YER"
  | "ZAR"
  | "ZMW"
  | "ZWG"
  | "BHD"
  | "IQD"
  | "JOD"
  | "KWD"
  | "LYD"
  | "OMR"
  | "TND"
  | "CLF"
  | "UYW"

/** The plan to subscribe to */
export type SubscriptionActivateReq = {
  /** The company's own id as text, or absent */
  readonly unique_id?: string | null
  /** Accepted and not used */
  readonly type?: string | null
  /** Accepted and not used */
  readonly product_suite?: string | null
  /** A plan's id */
  readonly plan_id: string
  /** Accepted and not used */
  readonly payment_method?: string | null
  /** A coupon's code; counts one use */
  readonly coupon_code?: string | null
}

/** What the company's plan allows */
export type SubscriptionLimit = {
  /** Applications */
  readonly application: {
    /** Whether the plan has it */
    readonly enabled: boolean
    /** Never more than this; -1 is no limit */
    readonly hard_limit: number
    /** A warning from this on; -1 is no limit */
    readonly soft_limit: number
  }
  /** Marketplaces */
  readonly marketplace: {
    /** Whether the plan has it */
    readonly enabled: boolean
  }
  /** Other platforms */
  readonly other_platform: {
    /** Whether the plan has it */
    readonly enabled: boolean
  }
  /** Members of the team */
  readonly team: {
    /** How many; -1 is no limit */
    readonly limit: number
  }
  /** Products */
  readonly products: {
    /** Whether products can be written in bulk */
    readonly bulk: boolean
    /** How many; -1 is no limit */
    readonly limit: number
  }
  /** Extensions */
  readonly extensions: {
    /** Whether the plan has it */
    readonly enabled: boolean
    /** How many; -1 is no limit */
    readonly limit: number
  }
  /** Integrations */
  readonly integrations: {
    /** Whether the plan has it */
    readonly enabled: boolean
    /** How many; -1 is no limit */
    readonly limit: number
  }
  /** Whether the plan's trial runs */
  readonly is_trial_plan: boolean
}

/** An invoice */
export type InvoiceDetails = {
  /** Id of the invoice, 24 hex characters */
  readonly _id: string
  /** Its number, without gaps per company and year, such as INV-2026-000001 */
  readonly number: string
  /** Its status */
  readonly current_status: "draft" | "open" | "paid"
  /** The currency */
  readonly currency: Currency
  /** Sum before discount, credit and tax, in the currency's main unit */
  readonly subtotal: number
  /** Sum of all items, in the currency's main unit */
  readonly total: number
  /** Whether it is paid */
  readonly paid: boolean
  /** Id of the company */
  readonly subscriber_id: string
  /** Id of the subscription, charge or plan subscription */
  readonly subscription: string
  /** Always charge_automatically */
  readonly collection_method: "charge_automatically"
  /** Always true */
  readonly auto_advance: boolean
  /** Failed tries to collect; spelt so */
  readonly attemp: number
  /** Who issues it */
  readonly statement_descriptor: string
  /** What it is for */
  readonly period: {
    /** Its start, ISO 8601 in UTC */
    readonly start: string
    /** Its end, ISO 8601 in UTC */
    readonly end: string
  }
  /** The customer when it was issued */
  readonly client: {
    /** Name */
    readonly name: string
    /** E-mail address */
    readonly email?: string
    /** Phone number */
    readonly phone?: string
    /** Address, line by line */
    readonly address_lines: ReadonlyArray<string>
  }
  /** Every status it had, oldest first */
  readonly status_trail: ReadonlyArray<{
    /** Id of the entry */
    readonly _id: string
    /** The status */
    readonly value: "draft" | "open" | "paid"
    /** When, ISO 8601 in UTC */
    readonly timestamp: string
  }>
  /** Link to the PDF, which opens without a token until the end of the next day in UTC */
  readonly invoice_url?: string
  /** When payment is tried again, ISO 8601 in UTC */
  readonly next_action_time?: string
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
}

/** The customer detail of a company */
export type SubscriptionCustomer = {
  /** Id of the customer detail, 24 hex characters */
  readonly _id: string
  /** Id of the company */
  readonly unique_id: string
  /** Always company */
  readonly type: "company"
  /** Name on invoices */
  readonly name?: string
  /** E-mail address */
  readonly email?: string
  /** Phone number */
  readonly phone?: {
    /** Country code */
    readonly phone_country_code?: string
    /** The number in its country */
    readonly phone_number?: string
  }
  /** Where the company is billed */
  readonly billing_address?: {
    /** First line */
    readonly line1?: string
    /** Second line */
    readonly line2?: string
    /** City */
    readonly city?: string
    /** State */
    readonly state?: string
    /** Country */
    readonly country?: string
    /** Postal code */
    readonly postal_code?: string
  }
  /** Kept for existing clients */
  readonly data: {
    /** Id of the customer detail */
    readonly id: string
    /** Always false */
    readonly pg_user_exists: boolean
  }
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
}

/** The customer detail; fields that are left out stay as they are */
export type SubscriptionCustomerCreate = {
  /** The company's own id as text, or absent */
  readonly unique_id?: string | null
  /** Accepted and not used */
  readonly type?: string | null
  /** Name on invoices */
  readonly name?: string | null
  /** E-mail address; blank counts as none */
  readonly email?: string | null
  /** Phone number */
  readonly phone?: {
    /** Country code, such as 91 */
    readonly phone_country_code?: string | null
    /** The number in its country */
    readonly phone_number?: string | null
  } | null
  /** Where the company is billed */
  readonly billing_address?: {
    /** First line */
    readonly line1?: string | null
    /** Second line */
    readonly line2?: string | null
    /** City */
    readonly city?: string | null
    /** State */
    readonly state?: string | null
    /** Country */
    readonly country?: string | null
    /** Postal code */
    readonly postal_code?: string | null
  } | null
}

/** An item of an invoice */
export type InvoiceItems = {
  /** Id of the item, 24 hex characters */
  readonly _id: string
  /** Id of the invoice */
  readonly invoice_id: string
  /** What it is; a discount or a credit for unused days is negative */
  readonly type: "subscription" | "one_time" | "usage" | "discount" | "credit" | "tax"
  /** Name */
  readonly name: string
  /** What it is for, in words */
  readonly description?: string
  /** Always 1 */
  readonly quantity: number
  /** The same as amount */
  readonly unit_amount: number
  /** In the currency's main unit */
  readonly amount: number
  /** The currency */
  readonly currency: Currency
  /** What it is for */
  readonly period: {
    /** Its start, ISO 8601 in UTC */
    readonly start: string
    /** Its end, ISO 8601 in UTC */
    readonly end: string
  }
  /** The plan that it belongs to */
  readonly plan?: {
    /** Id of the plan */
    readonly _id: string
  }
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
}

/** An invoice with its items */
export type InvoiceInList = {
  /** Id of the invoice, 24 hex characters */
  readonly _id: string
  /** Its number, without gaps per company and year, such as INV-2026-000001 */
  readonly number: string
  /** Its status */
  readonly current_status: "draft" | "open" | "paid"
  /** The currency */
  readonly currency: Currency
  /** Sum before discount, credit and tax, in the currency's main unit */
  readonly subtotal: number
  /** Sum of all items, in the currency's main unit */
  readonly total: number
  /** Whether it is paid */
  readonly paid: boolean
  /** Id of the company */
  readonly subscriber_id: string
  /** Id of the subscription, charge or plan subscription */
  readonly subscription: string
  /** Always charge_automatically */
  readonly collection_method: "charge_automatically"
  /** Always true */
  readonly auto_advance: boolean
  /** Failed tries to collect; spelt so */
  readonly attemp: number
  /** Who issues it */
  readonly statement_descriptor: string
  /** What it is for */
  readonly period: {
    /** Its start, ISO 8601 in UTC */
    readonly start: string
    /** Its end, ISO 8601 in UTC */
    readonly end: string
  }
  /** The customer when it was issued */
  readonly client: {
    /** Name */
    readonly name: string
    /** E-mail address */
    readonly email?: string
    /** Phone number */
    readonly phone?: string
    /** Address, line by line */
    readonly address_lines: ReadonlyArray<string>
  }
  /** Every status it had, oldest first */
  readonly status_trail: ReadonlyArray<{
    /** Id of the entry */
    readonly _id: string
    /** The status */
    readonly value: "draft" | "open" | "paid"
    /** When, ISO 8601 in UTC */
    readonly timestamp: string
  }>
  /** Link to the PDF, which opens without a token until the end of the next day in UTC */
  readonly invoice_url?: string
  /** When payment is tried again, ISO 8601 in UTC */
  readonly next_action_time?: string
  /** When it was created, ISO 8601 in UTC */
  readonly created_at: string
  /** When it was last changed, ISO 8601 in UTC */
  readonly modified_at: string
  /** Its items, which come to its total */
  readonly invoice_items: ReadonlyArray<InvoiceItems>
}

/** A one-time charge of an extension */
export type OneTimeChargeEntity = {
  /** Id of the charge, 24 hex characters */
  readonly _id: string
  /** Name */
  readonly name: string
  /** Status; success once it was accepted */
  readonly status: "pending" | "active" | "declined" | "expired" | "cancelled" | "frozen" | "no_renew" | "success"
  /** Always extension */
  readonly entity_type: "extension"
  /** Id of the extension */
  readonly entity_id: string
  /** Id of the company */
  readonly subscriber_id: string
  /** Always one_time */
  readonly pricing_type: "one_time"
  /** Price */
  readonly price: {
    /** In the currency's main unit */
    readonly amount: number
    /** The currency */
    readonly currency_code: Currency
  }
  /** Whether it charges nothing */
  readonly is_test: boolean
  /** Where the company's browser goes after its decision */
  readonly return_url: string
  /** When the company accepted it, ISO 8601 in UTC */
  readonly activated_on?: string
  /** When it was cancelled, ISO 8601 in UTC */
  readonly cancelled_on?: string
  /** The extension's own data, as it was sent */
  readonly metadata?: {
    readonly [key: string]: unknown
  }
}

/** A one-time charge of an extension */
export type CreateOneTimeCharge = {
  /** Name on the confirm page */
  readonly name: string
  /** Where the company's browser goes after its decision: http or https, without credentials */
  readonly return_url: string
  /** true charges nothing */
  readonly is_test?: boolean | null
  /** What is charged */
  readonly charge: OneTimeChargeItem
}

/** What is charged once */
export type OneTimeChargeItem = {
  /** Name on the confirm page and on invoices */
  readonly name: string
  /** Price */
  readonly price: {
    /** At least 1, in the currency's main unit with at most its decimals */
    readonly amount: number
    /** The currency, the same on all lines */
    readonly currency_code: Currency
  }
  /** Of a usage line: the most that a period costs */
  readonly capped_amount?: number | null
  /** true charges nothing */
  readonly is_test?: boolean | null
  /** The extension's own data, returned with the line */
  readonly metadata?: {
    readonly [key: string]: unknown
  } | null
  /** What is paid for, in words */
  readonly term?: string | null
  /** Must be one_time */
  readonly pricing_type?: string | null
}

/** A company's subscription to an extension */
export type EntitySubscription = {
  /** Id of the subscription, 24 hex characters */
  readonly _id: string
  /** Name */
  readonly name: string
  /** Status */
  readonly status: "pending" | "active" | "declined" | "expired" | "cancelled" | "frozen" | "no_renew" | "success"
  /** Id of the company */
  readonly company_id: number
  /** When the company accepted it, ISO 8601 in UTC */
  readonly activated_on?: string
  /** When it was cancelled, ISO 8601 in UTC */
  readonly cancelled_on?: string
  /** Days before the first charge */
  readonly trial_days: number
  /** The trial, once it was accepted */
  readonly trial_period?: {
    /** Its start, ISO 8601 in UTC */
    readonly start_date: string
    /** Its end, ISO 8601 in UTC */
    readonly end_date: string
  }
  /** What is charged */
  readonly line_items: ReadonlyArray<SubscriptionCharge>
}

/** A line of a subscription */
export type SubscriptionCharge = {
  /** Id of the line, 24 hex characters */
  readonly _id: string
  /** Name */
  readonly name: string
  /** What is paid for, in words */
  readonly term?: string
  /** When it is charged */
  readonly pricing_type: "recurring" | "one_time" | "usage"
  /** Price */
  readonly price: {
    /** In the currency's main unit */
    readonly amount: number
    /** The currency */
    readonly currency_code: Currency
  }
  /** Of a recurring line: how often */
  readonly recurring?: {
    /** A period */
    readonly interval: "month" | "year"
  }
  /** Of a usage line: the most that a period costs */
  readonly capped_amount?: number
  /** Status of the subscription */
  readonly status: "pending" | "active" | "declined" | "expired" | "cancelled" | "frozen" | "no_renew" | "success"
  /** Whether it charges nothing */
  readonly is_test: boolean
  /** When the company accepted it, ISO 8601 in UTC */
  readonly activated_on?: string
  /** When it was cancelled, ISO 8601 in UTC */
  readonly cancelled_on?: string
  /** Of a recurring line: when it is charged next, ISO 8601 in UTC */
  readonly billing_date?: string
  /** Of a recurring line: the period that was charged last */
  readonly current_period?: {
    /** Its start, ISO 8601 in UTC */
    readonly start_date: string
    /** Its end, ISO 8601 in UTC */
    readonly end_date: string
  }
  /** The extension's own data, as it was sent */
  readonly metadata?: {
    readonly [key: string]: unknown
  }
}

/** A subscription to an extension */
export type CreateSubscriptionCharge = {
  /** Name on the confirm page */
  readonly name: string
  /** Where the company's browser goes after its decision: http or https, without credentials */
  readonly return_url: string
  /** true charges nothing */
  readonly is_test?: boolean | null
  /** Days before the first charge; a recurring line may have them instead */
  readonly trial_days?: number | null
  /** What is charged; at most one line is recurring */
  readonly line_items: ReadonlyArray<ChargeLineItem>
}

/** A line of a subscription */
export type ChargeLineItem = {
  /** Name on the confirm page and on invoices */
  readonly name: string
  /** Price */
  readonly price: {
    /** At least 1, in the currency's main unit with at most its decimals */
    readonly amount: number
    /** The currency, the same on all lines */
    readonly currency_code: Currency
  }
  /** Of a usage line: the most that a period costs */
  readonly capped_amount?: number | null
  /** true charges nothing */
  readonly is_test?: boolean | null
  /** The extension's own data, returned with the line */
  readonly metadata?: {
    readonly [key: string]: unknown
  } | null
  /** What is paid for, in words */
  readonly term: string
  /** recurring: at the beginning of each period; one_time: once; usage: after each period, up to capped_amount */
  readonly pricing_type: "recurring" | "one_time" | "usage"
  /** Of a recurring line: how often */
  readonly recurring?: {
    /** A period */
    readonly interval: "month" | "year"
  } | null
  /** Days before the first charge, of the recurring line */
  readonly trial_days?: number | null
}

/** The entity types of all audit records */
export type EntityTypesResponse = {
  /** The types */
  readonly items: ReadonlyArray<{
    /** The type, as records have it */
    readonly entity_value: string
    /** The type for a person */
    readonly display_name: string
  }>
}

/** An audit record */
export type AuditLog = {
  /** What changed */
  readonly entity: {
    /** Kind of what changed */
    readonly type?: string
    /** Its id */
    readonly id?: string
    /** What was done to it */
    readonly action?: string
    /** Of a bulk that changed several: all ids */
    readonly ids?: ReadonlyArray<string>
  }
  /** Who changed it, as the caller stated */
  readonly modifier?: {
    readonly [key: string]: unknown
  }
  /** The device, as the caller stated */
  readonly device_info?: {
    readonly [key: string]: unknown
  }
  /** Where, as the caller stated */
  readonly location?: {
    readonly [key: string]: unknown
  }
  /** Id of the record, 24 hex characters */
  readonly _id: string
  /** The session, as the caller stated */
  readonly sessions?: string
  /** When it was recorded, ISO 8601 in UTC */
  readonly date: string
  /** The same as date */
  readonly created_at: string
  /** The same as date: records never change */
  readonly modified_at: string
  /** The change: {request, response, before?, after?} of a request, or the log_payload of a stated record as it was sent */
  readonly logs: unknown
  /** browser, device, cpu, os and engine, derived from the user agent */
  readonly meta?: {
    readonly [key: string]: unknown
  }
  /** The principal of the token, which no caller can choose */
  readonly recorded_by: {
    /** Kind of caller */
    readonly kind: "integration" | "marketplace" | "platform_client" | "system"
    /** Its username, slug or client_id */
    readonly id: string
    /** Its company */
    readonly company_id?: number
  }
  /** The x-request-id of the request */
  readonly request_id?: string
  /** Id of the company */
  readonly company: number
  /** The application, as the caller stated */
  readonly application: string | null
}

/** The record was stored */
export type CreateLogResponse = {
  /** That it was recorded, for a person */
  readonly message: string
  /** Kept for existing clients */
  readonly internal_message: string
}

/** A change that was made in another system */
export type RequestBodyAuditLog = {
  /** About the change */
  readonly log_meta: {
    /** The application in which the change was made */
    readonly application?: string | null
    /** What changed */
    readonly entity: {
      /** Kind of what changed, such as sales-channel */
      readonly type?: string | null
      /** Its id */
      readonly id?: string | null
      /** What was done to it, such as update */
      readonly action?: string | null
    }
    /** Who changed it, as the caller states; user_id can be searched */
    readonly modifier?: {
      readonly [key: string]: unknown
    } | null
    /** The device; the record's meta is derived from its user_agent */
    readonly device_info?: {
      readonly [key: string]: unknown
    } | null
    /** Where it was changed */
    readonly location?: {
      readonly [key: string]: unknown
    } | null
    /** The session in which it was changed */
    readonly sessions?: string | null
  }
  /** The change itself, kept as it was sent but for secrets */
  readonly log_payload: {
    readonly [key: string]: unknown
  }
}

/** A page of audit records */
export type LogSchemaResponse = {
  /** The records on this page; may be fewer than limit while there are more */
  readonly docs: ReadonlyArray<LogDocs>
  /** How to continue */
  readonly page: {
    /** Whether there is more */
    readonly has_next: boolean
    /** Send it as cursor to continue */
    readonly next_cursor?: string
  }
}

/** An audit record in a list */
export type LogDocs = {
  /** What changed */
  readonly entity: {
    /** Kind of what changed */
    readonly type?: string
    /** Its id */
    readonly id?: string
    /** What was done to it */
    readonly action?: string
    /** Of a bulk that changed several: all ids */
    readonly ids?: ReadonlyArray<string>
  }
  /** Who changed it, as the caller stated */
  readonly modifier?: {
    readonly [key: string]: unknown
  }
  /** The device, as the caller stated */
  readonly device_info?: {
    readonly [key: string]: unknown
  }
  /** Where, as the caller stated */
  readonly location?: {
    readonly [key: string]: unknown
  }
  /** Id of the record, 24 hex characters */
  readonly _id: string
  /** The session, as the caller stated */
  readonly sessions?: string
  /** When it was recorded, ISO 8601 in UTC */
  readonly date: string
  /** The same as date */
  readonly created_at: string
  /** The same as date: records never change */
  readonly modified_at: string
  /** The change: {request, response, before?, after?} of a request, or the log_payload of a stated record as it was sent */
  readonly logs: unknown
  /** browser, device, cpu, os and engine, derived from the user agent */
  readonly meta?: {
    readonly [key: string]: unknown
  }
  /** The principal of the token, which no caller can choose */
  readonly recorded_by: {
    /** Kind of caller */
    readonly kind: "integration" | "marketplace" | "platform_client" | "system"
    /** Its username, slug or client_id */
    readonly id: string
    /** Its company */
    readonly company_id?: number
  }
  /** The x-request-id of the request */
  readonly request_id?: string
  /** The application, as the caller stated; empty when it did not */
  readonly application: string
}

/** The operations by group, with the types of what they take and answer. */
export interface Operations {
  readonly audit: {
    /** Search the audit trail */
    readonly logs: {
      readonly input: {
        readonly query: {
          /** The search: words, quoted phrases and key:value pairs, or a JSON object of the same keys; {} finds every record. Keys are entity.type, entity.id, entity.action, modifier.user_id, from and to */
          readonly qs: string
          /** Records on a page */
          readonly limit?: number
          /** {"_id": 1} for oldest first, {"_id": -1} for newest first; anything else counts as absent */
          readonly sort?: string
          /** The next_cursor of the page before */
          readonly cursor?: string
        }
      }
      readonly success: LogSchemaResponse
      readonly item: LogDocs
    }
    /** Record a change made elsewhere */
    readonly create: { readonly input: { readonly payload: RequestBodyAuditLog }; readonly success: CreateLogResponse }
    /** Read an audit record */
    readonly log: {
      readonly input: {
        readonly params: {
          /** Id of the record */
          readonly id: string
        }
      }
      readonly success: AuditLog
    }
    /** List entity types */
    readonly entityTypes: { readonly input: Record<string, never>; readonly success: EntityTypesResponse }
  }
  readonly billing: {
    /** Check a coupon */
    readonly checkValidity: {
      readonly input: {
        readonly query: {
          /** A plan's id */
          readonly plan: string
          /** The coupon's code */
          readonly coupon_code: string
        }
      }
      readonly success: {
        /** Always true: any other coupon is 400 */
        readonly is_valid: true
        /** What it takes off the plan's price, in the currency's main unit */
        readonly discount_amount: number
      }
    }
    /** Ask for a subscription */
    readonly createSubscription: {
      readonly input: {
        readonly params: {
          /** An extension that is offered to the company */
          readonly extension_id: string
        }
        readonly payload: CreateSubscriptionCharge
      }
      readonly success: {
        /** The subscription, pending */
        readonly subscription: EntitySubscription
        /** The page on which the company accepts or declines it; a secret, valid for 48 hours */
        readonly confirm_url: string
      }
    }
    /** Read a subscription */
    readonly subscription: {
      readonly input: {
        readonly params: {
          /** An extension that is offered to the company */
          readonly extension_id: string
          /** Id of the subscription */
          readonly subscription_id: string
        }
      }
      readonly success: EntitySubscription
    }
    /** Cancel a subscription */
    readonly cancel: {
      readonly input: {
        readonly params: {
          /** An extension that is offered to the company */
          readonly extension_id: string
          /** Id of the subscription */
          readonly subscription_id: string
        }
      }
      readonly success: EntitySubscription
    }
    /** Ask for a one-time charge */
    readonly createCharge: {
      readonly input: {
        readonly params: {
          /** An extension that is offered to the company */
          readonly extension_id: string
        }
        readonly payload: CreateOneTimeCharge
      }
      readonly success: {
        /** The charge, pending */
        readonly charge: OneTimeChargeEntity
        /** The page on which the company accepts or declines it; a secret, valid for 48 hours */
        readonly confirm_url: string
      }
    }
    /** Read a one-time charge */
    readonly charge: {
      readonly input: {
        readonly params: {
          /** An extension that is offered to the company */
          readonly extension_id: string
          /** Id of the charge */
          readonly charge_id: string
        }
      }
      readonly success: OneTimeChargeEntity
    }
    /** List invoices */
    readonly invoices: {
      readonly input: {
        readonly query?: {
          /** Page, from 1 */
          readonly page?: number
          /** Invoices on a page */
          readonly limit?: number
        }
      }
      readonly success: {
        /** The invoices on this page */
        readonly data: ReadonlyArray<InvoiceInList>
        /** Offset of the first invoice on the page */
        readonly start: number
        /** Offset of the first invoice after the page */
        readonly end: number
        /** Most invoices on a page */
        readonly limit: number
        /** This page, from 1 */
        readonly page: number
        /** Invoices on all pages */
        readonly total: number
      }
      readonly item: InvoiceInList
    }
    /** Read an invoice */
    readonly invoice: {
      readonly input: {
        readonly params: {
          /** Id of the invoice */
          readonly invoice_id: string
        }
      }
      readonly success: {
        /** The invoice */
        readonly invoice: InvoiceDetails
        /** Its items, which come to its total */
        readonly invoice_items: ReadonlyArray<InvoiceItems>
      }
    }
    /** Read the customer detail */
    readonly customer: { readonly input: Record<string, never>; readonly success: SubscriptionCustomer }
    /** Set the customer detail */
    readonly putCustomer: {
      readonly input: { readonly payload: SubscriptionCustomerCreate }
      readonly success: SubscriptionCustomer
    }
    /** Read the current plan */
    readonly current: {
      readonly input: Record<string, never>
      readonly success: {
        /** Whether a plan is active */
        readonly is_enabled: boolean
        /** The plan's subscription, when one is active */
        readonly subscription?: Subscription
        /** Its latest invoice */
        readonly latest_invoice?: InvoiceDetails
        /** The next invoice before credit and tax, as text; absent when none follows */
        readonly mandate_amount?: string
        /** That no plan is active */
        readonly message?: string
      }
    }
    /** Read the plan's limits */
    readonly currentLimit: {
      readonly input: {
        readonly query?: {
          /** Accepted and not used */
          readonly product_suite?: string
          /** Accepted and not used */
          readonly type?: string
        }
      }
      readonly success: SubscriptionLimit
    }
    /** Activate a plan */
    readonly activate: {
      readonly input: { readonly payload: SubscriptionActivateReq }
      readonly success: {
        /** Always true */
        readonly success: boolean
        /** The plan's subscription */
        readonly data: Subscription
      }
    }
  }
}

/** Where a client signs in. */
export const signInPath = "/service/panel/authentication/v1.0/company/{company_id}/oauth/token"

export const operations: Table<Operations> = {
  audit: {
    logs: {
      method: "GET",
      path: "/service/platform/audit-trail/v1.0/company/{company_id}/logs",
      page: { number: "cursor", size: "limit", most: 100, items: "docs" }
    },
    create: { method: "POST", path: "/service/platform/audit-trail/v1.0/company/{company_id}/logs", key: true },
    log: { method: "GET", path: "/service/platform/audit-trail/v1.0/company/{company_id}/logs/{id}" },
    entityTypes: { method: "GET", path: "/service/platform/audit-trail/v1.0/company/{company_id}/entity-types" }
  },
  billing: {
    checkValidity: { method: "GET", path: "/service/platform/billing/v1.0/company/{company_id}/coupon/check-validity" },
    createSubscription: {
      method: "POST",
      path: "/service/platform/billing/v1.0/company/{company_id}/extension/{extension_id}/subscription",
      key: true
    },
    subscription: {
      method: "GET",
      path: "/service/platform/billing/v1.0/company/{company_id}/extension/{extension_id}/subscription/{subscription_id}"
    },
    cancel: {
      method: "POST",
      path: "/service/platform/billing/v1.0/company/{company_id}/extension/{extension_id}/subscription/{subscription_id}/cancel",
      key: true
    },
    createCharge: {
      method: "POST",
      path: "/service/platform/billing/v1.0/company/{company_id}/extension/{extension_id}/one_time_charge",
      key: true
    },
    charge: {
      method: "GET",
      path: "/service/platform/billing/v1.0/company/{company_id}/extension/{extension_id}/charge/{charge_id}"
    },
    invoices: {
      method: "GET",
      path: "/service/platform/billing/v1.0/company/{company_id}/invoice/list",
      page: { number: "page", size: "limit", most: 100, items: "data" }
    },
    invoice: { method: "GET", path: "/service/platform/billing/v1.0/company/{company_id}/invoice/{invoice_id}" },
    customer: {
      method: "GET",
      path: "/service/platform/billing/v1.0/company/{company_id}/subscription/customer-detail"
    },
    putCustomer: {
      method: "POST",
      path: "/service/platform/billing/v1.0/company/{company_id}/subscription/customer-detail",
      key: true
    },
    current: { method: "GET", path: "/service/platform/billing/v1.0/company/{company_id}/subscription/current" },
    currentLimit: {
      method: "GET",
      path: "/service/platform/billing/v1.0/company/{company_id}/subscription/current-limit"
    },
    activate: {
      method: "POST",
      path: "/service/platform/billing/v1.0/company/{company_id}/subscription/activate",
      key: true
    }
  }
}
