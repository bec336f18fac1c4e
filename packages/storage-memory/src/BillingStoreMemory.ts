import {
  type Agreement,
  AgreementLifecycle,
  BillingCycle,
  BillingStore,
  type Coupon,
  type Customer,
  type Extension,
  type Invoice,
  type Plan,
  planFault
} from "@crossdock/billing"
import { type CompanyId, Page, StaleWrite, Text } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const plans = Table.make<Plan>("plans")
const extensions = Table.make<Extension>("extensions")
const coupons = Table.make<{ readonly coupon: Coupon.Coupon; readonly used: number }>("coupons")
const customers = Table.make<Customer>("customers")
const agreements = Table.make<Agreement.Agreement>("agreements")
const invoices = Table.make<Invoice.Invoice>("invoices")
const periods = Table.make<string>("billedPeriods")
const numbers = Table.make<number>("invoiceNumbers")
/** Each agreement's company, by the agreement's digest; and all companies. */
const links = Table.make<{ readonly companyId: CompanyId; readonly id: string }>("links")
const companies = Table.make<CompanyId>("billingCompanies")

type Tables = Table.Tables

const stale = (operation: string) => Result.fail(new StaleWrite({ operation: `BillingStore.${operation}` }))

const byKey = <Row>(tables: Tables, table: Table.Table<Row>): ReadonlyArray<Row> =>
  [...table.entries(tables, Table.noCompany)].sort(([one], [other]) => Text.order(one, other)).map(([, row]) => row)

const ofAll = <Row>(tables: Tables, table: Table.Table<Row>): ReadonlyArray<Row> =>
  companies.rows(tables, Table.noCompany).flatMap((company) => table.rows(tables, company))

const put = <Row>(tables: Tables, table: Table.Table<Row>, rows: ReadonlyArray<readonly [string, Row]>): Tables =>
  table.put(tables, Table.noCompany, rows)

const saveOne = (tables: Tables, agreement: Agreement.Agreement): Result.Result<Tables, StaleWrite> => {
  const { companyId, confirmation, id, version } = agreement
  if ((agreements.get(tables, companyId, id)?.version ?? 0) !== version) return stale("save")
  const known = put(tables, companies, [[String(companyId), companyId]])
  const linked = confirmation === null ? known : put(known, links, [[confirmation.digest, { companyId, id }]])
  return Result.succeed(agreements.put(linked, companyId, [[id, { ...agreement, version: version + 1 }]]))
}

/** Fails with `StaleWrite` if a company would have two running agreements in one slot. */
const slotsOnce =
  (many: ReadonlyArray<Agreement.Agreement>) =>
  (written: readonly [undefined, Tables]): Result.Result<readonly [undefined, Tables], StaleWrite> => {
    const isOnce = (company: number) => {
      const slots = agreements.rows(written[1], company).flatMap((one) => AgreementLifecycle.slotOf(one) ?? [])
      return new Set(slots).size === slots.length
    }
    return many.every(({ companyId }) => isOnce(companyId)) ? Result.succeed(written) : stale("save")
  }

const periodKey = ({ agreementId, index }: Invoice.Invoice): string => JSON.stringify([agreementId, index])

const issueOne = (tables: Tables, invoice: Invoice.Invoice): Result.Result<Tables, StaleWrite> => {
  const { companyId, id } = invoice
  if (periods.get(tables, companyId, periodKey(invoice)) !== undefined) return stale("issue")
  const known = put(tables, companies, [[String(companyId), companyId]])
  const billed = periods.put(known, companyId, [[periodKey(invoice), id]])
  return Result.succeed(invoices.put(billed, companyId, [[id, invoice]]))
}

const byTime = Table.byNumberThenText((one: Agreement.Agreement) => one.createdAt, "id")

const byDue = Table.byNumberThenText((one: Agreement.Agreement) => BillingCycle.dueAt(one) ?? 0, "id")

const newestFirst = Order.flip(Table.byNumberThenText((one: Invoice.Invoice) => one.createdAt, "number"))

const byPayment = Table.byNumberThenText((one: Invoice.Invoice) => one.payment.nextAt ?? 0, "id")

export const layer = adapter(BillingStore, (database) => ({
  putPlans: (many) =>
    database.decide((tables) => {
      const fault = planFault(byKey(tables, plans), many)
      if (fault !== undefined) return Result.fail(fault)
      const written = plans.putEach(tables, Table.noCompany, many, (plan) => [plan.id, plan])
      return Result.succeed([undefined, written])
    }),
  putExtensions: (many) =>
    database.write((tables) => extensions.putEach(tables, Table.noCompany, many, (one) => [one.id, one])),
  putCoupons: (many) =>
    database.write((tables) =>
      coupons.putEach(tables, Table.noCompany, many, (coupon) => {
        const used = coupons.get(tables, Table.noCompany, coupon.code)?.used ?? 0
        return [coupon.code, { coupon, used }]
      })
    ),
  plans: database.read((tables) => byKey(tables, plans)),
  plan: (id) => database.read((tables) => plans.get(tables, Table.noCompany, id)),
  extension: (id) => database.read((tables) => extensions.get(tables, Table.noCompany, id)),
  extensions: database.read((tables) => byKey(tables, extensions)),
  coupon: (code) => database.read((tables) => coupons.get(tables, Table.noCompany, code)),
  coupons: database.read((tables) => byKey(tables, coupons)),
  redeem: (code) =>
    database.decide((tables) => {
      const found = coupons.get(tables, Table.noCompany, code)
      if (found === undefined || found.used >= (found.coupon.maxUses ?? Number.POSITIVE_INFINITY))
        return Result.succeed([false, tables])
      return Result.succeed([true, put(tables, coupons, [[code, { ...found, used: found.used + 1 }]])])
    }),
  customer: (company) => database.read((tables) => customers.get(tables, company, "")),
  saveCustomer: (customer) =>
    database.decide((tables) => {
      const { companyId, version } = customer
      if ((customers.get(tables, companyId, "")?.version ?? 0) !== version) return stale("saveCustomer")
      return Result.succeed([
        undefined,
        customers.put(tables, companyId, [["", { ...customer, version: version + 1 }]])
      ])
    }),
  purgeCustomers: Effect.void,
  agreement: (company, id) => database.read((tables) => agreements.get(tables, company, id)),
  agreements: (company, ids) =>
    database.read((tables) => [...new Set(ids)].flatMap((id) => agreements.get(tables, company, id) ?? [])),
  byLink: (digest) =>
    database.read((tables) => {
      const found = links.get(tables, Table.noCompany, digest)
      return found === undefined ? undefined : agreements.get(tables, found.companyId, found.id)
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
      ofAll(tables, agreements)
        .filter((one) => (BillingCycle.dueAt(one) ?? Number.POSITIVE_INFINITY) <= now)
        .sort(byDue)
        .slice(0, limit)
    ),
  nextNumber: (company, year, count) =>
    database.decide((tables) => {
      const last = numbers.get(tables, company, String(year)) ?? 0
      return Result.succeed([last + 1, numbers.put(tables, company, [[String(year), last + count]])])
    }),
  issue: (many) => database.decide((tables) => Table.writeEach(tables, many, issueOne)),
  invoice: (company, id) => database.read((tables) => invoices.get(tables, company, id)),
  invoices: (company, page) =>
    database.read((tables) => {
      const all = invoices.rows(tables, company).toSorted(newestFirst)
      return { items: all.slice(Page.offset(page), Page.offset(page) + page.size), total: all.length }
    }),
  invoicesFrom: (company, agreement, index) =>
    database.read((tables) =>
      invoices.rows(tables, company).filter((one) => one.agreementId === agreement && one.index >= index)
    ),
  unpaid: (company, kind) =>
    database.read((tables) =>
      invoices
        .rows(tables, company)
        .filter(
          ({ agreementId, status }) => status === "open" && agreements.get(tables, company, agreementId)?.kind === kind
        )
    ),
  latestInvoice: (company, agreement) =>
    database.read((tables) =>
      invoices
        .rows(tables, company)
        .toSorted(newestFirst)
        .find(({ agreementId }) => agreementId === agreement)
    ),
  saveInvoice: (invoice) =>
    database.decide((tables) => {
      const { companyId, id, version } = invoice
      if (invoices.get(tables, companyId, id)?.version !== version) return stale("saveInvoice")
      return Result.succeed([undefined, invoices.put(tables, companyId, [[id, { ...invoice, version: version + 1 }]])])
    }),
  payable: (now, ahead, limit) =>
    database.read((tables) =>
      ofAll(tables, invoices)
        .filter(({ modifiedAt, payment, status }) => {
          const { nextAt } = payment
          return status === "open" && nextAt !== null && (nextAt <= now || modifiedAt > ahead)
        })
        .sort(byPayment)
        .slice(0, limit)
    )
}))
