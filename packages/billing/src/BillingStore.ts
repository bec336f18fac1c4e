import type { CompanyId, Page, StaleWrite, Stored } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type { Agreement } from "./Agreement.ts"
import type { Kind } from "./AgreementLifecycle.ts"
import type { BillingRejected } from "./BillingError.ts"
import type { Coupon } from "./Coupon.ts"
import type { Customer } from "./Customer.ts"
import type { Invoice } from "./Invoice.ts"
import type { Extension, Plan } from "./Plan.ts"

/**
 * Port: stores billing data. Laws:
 * - A save succeeds only if the stored version is the one that was read, which is 0 for a new record. The version then
 *   grows by one. Otherwise the save fails with `StaleWrite` and writes nothing.
 * - Saving a second agreement in one `AgreementLifecycle.slotOf` fails with `StaleWrite`, unless the save ends the first.
 * - Records of another company are read as undefined.
 */
export class BillingStore extends Context.Service<
  BillingStore,
  {
    /** Adds or replaces all of these plans, or none if `planFault` finds a fault, with a path such as `/0/currency`. */
    readonly putPlans: (plans: ReadonlyArray<Plan>) => Stored<void, BillingRejected>
    /** Adds coupons, or replaces those with the same code. A replaced coupon keeps its number of uses. */
    readonly putCoupons: (coupons: ReadonlyArray<Coupon>) => Stored<void>
    readonly putExtensions: (extensions: ReadonlyArray<Extension>) => Stored<void>
    /** All plans, sorted by id. */
    readonly plans: Stored<ReadonlyArray<Plan>>
    readonly plan: (id: string) => Stored<Plan | undefined>
    readonly extension: (id: string) => Stored<Extension | undefined>
    /** All extensions, sorted by id. */
    readonly extensions: Stored<ReadonlyArray<Extension>>
    readonly coupon: (code: string) => Stored<{ readonly coupon: Coupon; readonly used: number } | undefined>
    /** All coupons with the numbers of their uses, sorted by code. */
    readonly coupons: Stored<ReadonlyArray<{ readonly coupon: Coupon; readonly used: number }>>
    /** Counts one use of a coupon. Returns false if its limit is reached. Concurrent calls never exceed the limit. */
    readonly redeem: (code: string) => Stored<boolean>

    readonly customer: (company: CompanyId) => Stored<Customer | undefined>
    readonly saveCustomer: (customer: Customer) => Stored<void, StaleWrite>
    /** Removes erased details of customers from the storage's files. Call it outside a transaction. */
    readonly purgeCustomers: Stored<void>

    readonly agreement: (company: CompanyId, id: string) => Stored<Agreement | undefined>
    /** The agreements with these ids, in any order. Ids without an agreement are ignored. */
    readonly agreements: (company: CompanyId, ids: ReadonlyArray<string>) => Stored<ReadonlyArray<Agreement>>
    /** The agreement, of any company, whose confirmation link has this digest. */
    readonly byLink: (digest: string) => Stored<Agreement | undefined>
    /** The company's active, frozen and stopped agreements of this kind, oldest first. */
    readonly running: (company: CompanyId, kind: Kind) => Stored<ReadonlyArray<Agreement>>
    /** Saves all agreements, or none. */
    readonly save: (agreements: ReadonlyArray<Agreement>) => Stored<void, StaleWrite>
    /** All companies' agreements due by `now`, earliest first. Those that other writers have locked may be missing. */
    readonly due: (now: number, limit: number) => Stored<ReadonlyArray<Agreement>>

    /** Assigns `count` new invoice numbers of the company's year, and returns the first. A rollback makes them free again. */
    readonly nextNumber: (company: CompanyId, year: number, count: number) => Stored<number>
    /** Saves all invoices, or none. Fails with `StaleWrite` if a period of an agreement was already billed. */
    readonly issue: (invoices: ReadonlyArray<Invoice>) => Stored<void, StaleWrite>
    readonly invoice: (company: CompanyId, id: string) => Stored<Invoice | undefined>
    /** A page of the company's invoices, newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Stored<Page.Paged<Invoice>>
    /** The agreement's invoices of the period `index` and later periods, in any order. */
    readonly invoicesFrom: (company: CompanyId, agreement: string, index: number) => Stored<ReadonlyArray<Invoice>>
    /** The company's open invoices for agreements of this kind, in any order. */
    readonly unpaid: (company: CompanyId, kind: Kind) => Stored<ReadonlyArray<Invoice>>
    readonly latestInvoice: (company: CompanyId, agreement: string) => Stored<Invoice | undefined>
    readonly saveInvoice: (invoice: Invoice) => Stored<void, StaleWrite>
    /**
     * All companies' open invoices with a payment due by `now`, sorted by that time. Later ones are included if they were
     * modified after `ahead`, because the clock was then set back.
     */
    readonly payable: (now: number, ahead: number, limit: number) => Stored<ReadonlyArray<Invoice>>
  }
>()("@crossdock/billing/BillingStore") {}
