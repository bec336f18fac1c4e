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
 * Laws: a record reads back as written. A versioned record is saved only over its own version (0 if none is stored), which
 * grows by one; otherwise saving fails with `StaleWrite` and writes nothing. So does saving a company's second agreement in one
 * `AgreementLifecycle.slotOf`, unless the same save ends the first. Another company's records are undefined.
 */
export class BillingStore extends Context.Service<
  BillingStore,
  {
    /** Replaces plans by id, all or none: if `planFault` rejects one, the violation's path is like `/0/currency`. */
    readonly putPlans: (plans: ReadonlyArray<Plan>) => Effect.Effect<void, BillingRejected | StorageError>
    /** Replaces records with the same key. Coupons keep the number of their uses. */
    readonly putCoupons: (coupons: ReadonlyArray<Coupon>) => Effect.Effect<void, StorageError>
    readonly putExtensions: (extensions: ReadonlyArray<Extension>) => Effect.Effect<void, StorageError>
    /** Ordered by id. */
    readonly plans: Effect.Effect<ReadonlyArray<Plan>, StorageError>
    readonly plan: (id: string) => Effect.Effect<Plan | undefined, StorageError>
    readonly extension: (id: string) => Effect.Effect<Extension | undefined, StorageError>
    /** Ordered by id. */
    readonly extensions: Effect.Effect<ReadonlyArray<Extension>, StorageError>
    readonly coupon: (
      code: string
    ) => Effect.Effect<{ readonly coupon: Coupon; readonly used: number } | undefined, StorageError>
    /** Ordered by code, with the number of uses. */
    readonly coupons: Effect.Effect<ReadonlyArray<{ readonly coupon: Coupon; readonly used: number }>, StorageError>
    /** Counts one use of a coupon; false when its limit is reached. Concurrent calls never exceed the limit. */
    readonly redeem: (code: string) => Effect.Effect<boolean, StorageError>

    readonly customer: (company: CompanyId) => Effect.Effect<Customer | undefined, StorageError>
    readonly saveCustomer: (customer: Customer) => Effect.Effect<void, StaleWrite | StorageError>
    /** Removes customers' former details from the storage's files. Call it outside a transaction. */
    readonly purgeCustomers: Effect.Effect<void, StorageError>

    readonly agreement: (company: CompanyId, id: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** The agreements among these ids that exist, in any order. */
    readonly agreements: (
      company: CompanyId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** The agreement of any company by the digest of its confirmation link. */
    readonly byLink: (digest: string) => Effect.Effect<Agreement | undefined, StorageError>
    /** Active, frozen and stopped agreements, oldest first. */
    readonly running: (company: CompanyId, kind: Kind) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>
    /** Saves all or none. */
    readonly save: (agreements: ReadonlyArray<Agreement>) => Effect.Effect<void, StaleWrite | StorageError>
    /** Agreements of all companies due by `now`, by due time. A storage may omit those locked by another writer. */
    readonly due: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Agreement>, StorageError>

    /** The first of `count` new invoice numbers of the company's year; a failed transaction returns them. */
    readonly nextNumber: (company: CompanyId, year: number, count: number) => Effect.Effect<number, StorageError>
    /** Saves all or none; fails with `StaleWrite` when a period of an agreement was already billed. */
    readonly issue: (invoices: ReadonlyArray<Invoice>) => Effect.Effect<void, StaleWrite | StorageError>
    readonly invoice: (company: CompanyId, id: string) => Effect.Effect<Invoice | undefined, StorageError>
    /** Newest first. */
    readonly invoices: (company: CompanyId, page: Page.Page) => Effect.Effect<Page.Paged<Invoice>, StorageError>
    /** The invoices of an agreement from this `index` on, in any order. */
    readonly invoicesFrom: (
      company: CompanyId,
      agreement: string,
      index: number
    ) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
    /** The company's open invoices of agreements of a kind, in any order. */
    readonly unpaid: (company: CompanyId, kind: Kind) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
    readonly latestInvoice: (company: CompanyId, agreement: string) => Effect.Effect<Invoice | undefined, StorageError>
    readonly saveInvoice: (invoice: Invoice) => Effect.Effect<void, StaleWrite | StorageError>
    /**
     * All companies' open invoices whose payment is to be tried or asked for by `now`, by that time. Later ones too if modified
     * after `ahead`, before the clock was set back.
     */
    readonly payable: (now: number, ahead: number, limit: number) => Effect.Effect<ReadonlyArray<Invoice>, StorageError>
  }
>()("@crossdock/billing/BillingStore") {}
