import type { Agreement, Coupon, Customer, Extension, Invoice, Plan } from "@crossdock/billing"
import { AgreementLifecycle, BillingCycle, BillingStore, planFault } from "@crossdock/billing"
import type { CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const plans = Table.keyed<Plan>("plans", ({ id }) => id)
const extensions = Table.keyed<Extension>("extensions", ({ id }) => id)
const coupons = Table.keyed<{ readonly coupon: Coupon.Coupon; readonly used: number }>(
  "coupons",
  ({ coupon }) => coupon.code
)
const customers = Table.keyed<Customer>("customers", ({ companyId }) => companyId)
const agreements = Table.ofCompanies<Agreement.Agreement>("agreements", ({ id }) => id)
const invoices = Table.ofCompanies<Invoice.Invoice>("invoices", ({ id }) => id)
const numbers = Table.make<number>("invoiceNumbers")
const links = Table.make<{ readonly companyId: CompanyId; readonly id: string }>("links")

type Tables = Table.Tables

const saveOne = (tables: Tables, agreement: Agreement.Agreement): Result.Result<Tables, StaleWrite> => {
  const { companyId, confirmation, id } = agreement
  const linked = confirmation === null ? tables : links.put(tables, [[confirmation.digest, { companyId, id }]])
  return Result.map(Table.saveNext(agreements, "BillingStore.save", agreement)(linked), ([, written]) => written)
}

const slotsOnce =
  (many: ReadonlyArray<Agreement.Agreement>) =>
  (written: readonly [undefined, Tables]): Table.Decided<undefined, StaleWrite> => {
    const isOnce = (company: number) => {
      const slots = agreements.rows(written[1], company).flatMap((one) => AgreementLifecycle.slotOf(one) ?? [])
      return new Set(slots).size === slots.length
    }
    return many.every(({ companyId }) => isOnce(companyId)) ? Result.succeed(written) : Table.stale("BillingStore.save")
  }

const periods = Table.make<string>("billedPeriods")

const issueOne = (tables: Tables, invoice: Invoice.Invoice): Result.Result<Tables, StaleWrite> => {
  const { agreementId, companyId, id, index } = invoice
  const period = JSON.stringify([agreementId, index])
  return periods.get(tables, period, companyId) === undefined
    ? Result.succeed(invoices.save(periods.put(tables, [[period, id]], companyId), [invoice]))
    : Table.stale("BillingStore.issue")
}

const byCode = Order.mapInput(Table.byText("code"), ({ coupon }: { readonly coupon: Coupon.Coupon }) => coupon)
const byTime = Table.byNumberThenText((one: Agreement.Agreement) => one.createdAt, "id")
const byDue = Table.byNumberThenText((one: Agreement.Agreement) => BillingCycle.dueAt(one) ?? 0, "id")
const newestFirst = Order.flip(Table.byNumberThenText((one: Invoice.Invoice) => one.createdAt, "number"))
const byPayment = Table.byNumberThenText((one: Invoice.Invoice) => one.payment.nextAt ?? 0, "id")

export const layer = adapter(BillingStore, (database) => ({
  putPlans: (many) =>
    database.decide((tables) => {
      const fault = planFault(plans.rows(tables), many)
      return fault === undefined ? Table.written(plans.save(tables, many)) : Result.fail(fault)
    }),
  putExtensions: (many) => database.write((tables) => extensions.save(tables, many)),
  putCoupons: (many) =>
    database.write((tables) => {
      const counted = many.map((coupon) => ({ coupon, used: coupons.get(tables, coupon.code)?.used ?? 0 }))
      return coupons.save(tables, counted)
    }),
  plans: database.read((tables) => plans.rows(tables).sort(Table.byText("id"))),
  plan: (id) => database.read((tables) => plans.get(tables, id)),
  extension: (id) => database.read((tables) => extensions.get(tables, id)),
  extensions: database.read((tables) => extensions.rows(tables).sort(Table.byText("id"))),
  coupon: (code) => database.read((tables) => coupons.get(tables, code)),
  coupons: database.read((tables) => coupons.rows(tables).sort(byCode)),
  redeem: (code) =>
    database.update((tables) => {
      const found = coupons.get(tables, code)
      return found === undefined || found.used >= (found.coupon.maxUses ?? Number.POSITIVE_INFINITY)
        ? [false, tables]
        : [true, coupons.save(tables, [{ ...found, used: found.used + 1 }])]
    }),
  customer: (company) => database.read((tables) => customers.get(tables, company)),
  saveCustomer: (customer) => database.decide(Table.saveNext(customers, "BillingStore.saveCustomer", customer)),
  purgeCustomers: Effect.void,
  agreement: (company, id) => database.read((tables) => agreements.get(tables, id, company)),
  agreements: (company, ids) =>
    database.read((tables) => [...new Set(ids)].flatMap((id) => agreements.get(tables, id, company) ?? [])),
  byLink: (digest) =>
    database.read((tables) => {
      const found = links.get(tables, digest)
      return found && agreements.get(tables, found.id, found.companyId)
    }),
  running: (company, kind) =>
    database.read((tables) =>
      agreements
        .rows(tables, company)
        .filter((one) => one.kind === kind && AgreementLifecycle.isRunning(one.status))
        .sort(byTime)
    ),
  save: (many) => database.decide((tables) => Result.flatMap(Table.writeEach(tables, many, saveOne), slotsOnce(many))),
  due: (now, limit) =>
    database.read((tables) =>
      agreements
        .all(tables)
        .filter((one) => (BillingCycle.dueAt(one) ?? Number.POSITIVE_INFINITY) <= now)
        .sort(byDue)
        .slice(0, limit)
    ),
  nextNumber: (company, year, count) =>
    database.update((tables) => {
      const last = numbers.get(tables, year, company) ?? 0
      return [last + 1, numbers.put(tables, [[year, last + count]], company)]
    }),
  issue: (many) => database.decide((tables) => Table.writeEach(tables, many, issueOne)),
  invoice: (company, id) => database.read((tables) => invoices.get(tables, id, company)),
  invoices: (company, page) =>
    database.read((tables) => Table.pageOf(invoices.rows(tables, company).sort(newestFirst), page)),
  invoicesFrom: (company, agreement, index) =>
    database.read((tables) =>
      invoices.rows(tables, company).filter((one) => one.agreementId === agreement && one.index >= index)
    ),
  unpaid: (company, kind) =>
    database.read((tables) =>
      invoices
        .rows(tables, company)
        .filter(
          ({ agreementId, status }) => status === "open" && agreements.get(tables, agreementId, company)?.kind === kind
        )
    ),
  latestInvoice: (company, agreement) =>
    database.read((tables) =>
      invoices
        .rows(tables, company)
        .sort(newestFirst)
        .find(({ agreementId }) => agreementId === agreement)
    ),
  saveInvoice: (invoice) => database.decide(Table.updateNext(invoices, "BillingStore.saveInvoice", invoice)),
  payable: (now, ahead, limit) =>
    database.read((tables) =>
      invoices
        .all(tables)
        .filter(({ modifiedAt, payment, status }) => {
          const { nextAt } = payment
          return status === "open" && nextAt !== null && (nextAt <= now || modifiedAt > ahead)
        })
        .sort(byPayment)
        .slice(0, limit)
    )
}))
