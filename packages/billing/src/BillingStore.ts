/**
 * Port: what was agreed on, what was billed, and for whom.
 */
import type { CompanyId, Page, StaleWrite, StorageError } from "@crossdock/kernel"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Agreement } from "./Agreement.ts"
import type { Coupon } from "./Coupon.ts"
import type { Customer } from "./Customer.ts"
import type { Invoice } from "./Invoice.ts"
import type { Extension, Plan } from "./Plan.ts"
import type { Kind } from "./SubscriptionLifecycle.ts"

/**
 * Laws: what was written is read back equal; what carries a version is saved only when the stored one has the same (0:
 * none is stored), which raises it by one, and fails with `StaleWrite` otherwise, writing nothing; another company's is
 * undefined.
 */
export class BillingStore extends Context.Service<
  BillingStore,
  {
    /** Writing again replaces; how often a coupon was used stays. */
    readonly putPlans: (plans: ReadonlyArray<Plan>) => Effect.Effect<void, StorageError>
    readonly putCoupons: (coupons: ReadonlyArray<Coupon>) => Effect.Effect<void, StorageError>
    readonly putExtensions: (extensions: ReadonlyArray<Extension>) => Effect.Effect<void, StorageError>
    readonly plan: (id: string) => Effect.Effect<Plan | undefined, StorageError>
    readonly extension: (id: string) => Effect.Effect<Extension | undefined, StorageError>
    readonly coupon: (
      code: string
    ) => Effect.Effect<{ readonly coupon: Coupon; readonly used: number } | undefined, StorageError>
    /** Counts one use; false when the limit is reached: of many at once no more than the limit win. */
    readonly redeem: (code: string) => Effect.Effect<boolean, StorageError>

    readonly customer: (company: CompanyId) => Effect.Effect<Customer | undefined, StorageError>
    readonly saveCustomer: (customer: Customer) => Effect.Effect<void, StaleWrite | StorageError>
    /** Removes what customers were before from whatever the storage is made of. Outside of a transaction. */
    readonly purgeCustomers: Effect.Effect<void, StorageError>

    readonly agreement: (company: CompanyId, id: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** Those of these that exist, in no order. */
    readonly agreements: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** By the digest of its page's link, whosever it is. */
    readonly byLink: (digest: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** Active, frozen or not to be renewed; oldest first. */
    readonly running: (company: CompanyId, kind: Kind) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** All or none. */
    readonly save: (agreements: ReadonlyArray<Agreement>) => Effect.Effect<void, StaleWrite | StorageError>
    /** Of all companies: those for which something is due by `now`, the longest waiting first. */
    readonly due: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>

    /** The first of so many numbers of the company's year; a transaction that fails gives them back. */
    readonly nextNumber: (company: CompanyId, year: number, count: number) => Effect.Effect<number, StorageError>
    /** All or none; `StaleWrite` when a period of an agreement was billed before. */
    readonly issue: (invoices: ReadonlyArray<Invoice>) => Effect.Effect<void, StaleWrite | StorageError>
    readonly invoice: (company: CompanyId, id: string) => Effect.Effect<Invoice | undefined, StorageError>
    /** Newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Effect.Effect<Page.Paged<Invoice>, StorageError>
    /** The agreement's newest one, however many others came after it. */
    readonly latestInvoice: (company: CompanyId, agreement: string) => Effect.Effect<Invoice | undefined, StorageError>
    readonly saveInvoice: (invoice: Invoice) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * Of all companies: open ones whose payment is to be tried, or asked for, by `now`; and those with a later time that
     * were modified after `ahead`, which is before the clock was set back. In the order of their times.
     */
    readonly payable: (now: number, ahead: number, limit: number) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
  }
>()("@crossdock/billing/BillingStore") {}
