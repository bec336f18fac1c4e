import type { CompanyId, Page, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
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
    /** Replaces all plans with these ids, or none. If `planFault` finds a fault, its path is like `/0/currency`. */
    readonly putPlans: (plans: ReadonlyArray<Plan>) => Effect.Effect<void, BillingRejected | StorageError>
    /** Replaces coupons with the same code. A replaced coupon keeps the number of its uses. */
    readonly putCoupons: (coupons: ReadonlyArray<Coupon>) => Effect.Effect<void, StorageError>
    readonly putExtensions: (extensions: ReadonlyArray<Extension>) => Effect.Effect<void, StorageError>
    /** All plans, sorted by id. */
    readonly plans: Effect.Effect<ReadonlyArray<Plan>, StorageError>
    readonly plan: (id: string) => Effect.Effect<Plan | undefined, StorageError>
    readonly extension: (id: string) => Effect.Effect<Extension | undefined, StorageError>
    /** All extensions, sorted by id. */
    readonly extensions: Effect.Effect<ReadonlyArray<Extension>, StorageError>
    readonly coupon: (
      code: string
    ) => Effect.Effect<{ readonly coupon: Coupon; readonly used: number } | undefined, StorageError>
    /** All coupons with the numbers of their uses, sorted by code. */
    readonly coupons: Effect.Effect<ReadonlyArray<{ readonly coupon: Coupon; readonly used: number }>, StorageError>
    /** Counts one use of a coupon. Returns false if its limit is reached. Concurrent calls never exceed the limit. */
    readonly redeem: (code: string) => Effect.Effect<boolean, StorageError>

    readonly customer: (company: CompanyId) => Effect.Effect<Customer | undefined, StorageError>
    readonly saveCustomer: (customer: Customer) => Effect.Effect<void, StaleWrite | StorageError>
    /** Removes erased details of customers from the storage's files. Call it outside a transaction. */
    readonly purgeCustomers: Effect.Effect<void, StorageError>

    readonly agreement: (company: CompanyId, id: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** The agreements with these ids, in any order. Ids without an agreement are ignored. */
    readonly agreements: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** Finds the agreement with this digest of its confirmation link. The agreement may belong to any company. */
    readonly byLink: (digest: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** The company's active, frozen and stopped agreements of this kind, oldest first. */
    readonly running: (company: CompanyId, kind: Kind) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** Saves all agreements, or none. */
    readonly save: (agreements: ReadonlyArray<Agreement>) => Effect.Effect<void, StaleWrite | StorageError>
    /** The agreements of all companies that are due by `now`, in that order, except some that other writers have locked. */
    readonly due: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>

    /** Assigns `count` new invoice numbers of the company's year, and returns the first. A rollback makes them free again. */
    readonly nextNumber: (company: CompanyId, year: number, count: number) => Effect.Effect<number, StorageError>
    /** Saves all invoices, or none. Fails with `StaleWrite` if a period of an agreement was already billed. */
    readonly issue: (invoices: ReadonlyArray<Invoice>) => Effect.Effect<void, StaleWrite | StorageError>
    readonly invoice: (company: CompanyId, id: string) => Effect.Effect<Invoice | undefined, StorageError>
    /** A page of the company's invoices, newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Effect.Effect<Page.Paged<Invoice>, StorageError>
    /** The invoices of an agreement that have at least the given `index`, in any order. */
    readonly invoicesFrom: (
      company: CompanyId,
      agreement: string,
      index: number
    ) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
    /** The company's open invoices for agreements of this kind, in any order. */
    readonly unpaid: (company: CompanyId, kind: Kind) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
    readonly latestInvoice: (company: CompanyId, agreement: string) => Effect.Effect<Invoice | undefined, StorageError>
    readonly saveInvoice: (invoice: Invoice) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * All companies' open invoices with a payment due by `now`, sorted by that time. Later ones are included if they were
     * modified after `ahead`, because the clock was then set back.
     */
    readonly payable: (now: number, ahead: number, limit: number) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
  }
>()("@crossdock/billing/BillingStore") {}
