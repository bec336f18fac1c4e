/** Adapter: billing. */
import {
  type Agreement,
  AgreementLifecycle,
  BillingCycle,
  BillingStore,
  type Invoice,
  planFault
} from "@crossdock/billing"
import { Page, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import * as Dialect from "../Dialect.ts"
import { type Counted, each, first, inserted, pageOf, rowsOf, texts } from "../Dialect.ts"
import * as Distribution from "../Distribution.ts"
import { allOrNothing, named, unbounded } from "../TransactionSql.ts"
import { agreements, coupons, customers, extensions, invoices, plans } from "./BillingTables.ts"

interface Row {
  readonly body: string
}

interface KeyedRow extends Row {
  readonly id: string
}

const agreementColumns = Dialect.columns(`
  company_id integer, id text, kind text, status text, link text, slot text, created_at integer, due_at integer,
  version integer, body text`)

const agreementRow = (one: Agreement.Agreement) => [
  one.companyId,
  one.id,
  one.kind,
  one.status,
  one.confirmation?.digest ?? null,
  AgreementLifecycle.slotOf(one) ?? null,
  one.createdAt,
  BillingCycle.dueAt(one),
  one.version + 1,
  agreements.write({ ...one, version: one.version + 1 })
]

const invoiceColumns = Dialect.columns(`
  company_id integer, id text, agreement_id text, period integer, number text, status text, next_at integer,
  created_at integer, modified_at integer, version integer, body text`)

const invoiceRow = (one: Invoice.Invoice) => [
  one.companyId,
  one.id,
  one.agreementId,
  one.index,
  one.number,
  one.status,
  one.payment.nextAt,
  one.createdAt,
  one.modifiedAt,
  one.version,
  invoices.write(one)
]

/** Whether the write failed because another agreement has the slot. */
const isTaken = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "UniqueViolation" || error.reason._tag === "ConstraintError")

const keyAndBody = Dialect.columns("id text, body text")

const agreementOf = (row: KeyedRow): Agreement.Agreement => agreements.read(row.body, row.id)
const invoiceOf = (row: KeyedRow): Invoice.Invoice => invoices.read(row.body, row.id)

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const whole = allOrNothing(sql)
  const lock = yield* Distribution.locking(sql, Dialect.lockedSkippingLocked(sql, "c"))

  const put = <A extends { readonly id: string }>(
    table: string,
    form: { readonly write: (one: A) => string },
    many: ReadonlyArray<A>,
    condition = sql`TRUE`
  ) =>
    sql`INSERT INTO ${sql.literal(table)} (id, body)
        SELECT r.id, r.body FROM ${rowsOf(sql, keyAndBody, many, (one) => [one.id, form.write(one)])} r WHERE TRUE
        ON CONFLICT (id) DO UPDATE SET body = excluded.body WHERE ${condition} RETURNING id`

  const byId = <A>(table: string, form: { readonly read: (text: string, id: string) => A }, id: string) =>
    sql<Row>`SELECT body FROM ${sql.literal(table)} WHERE id = ${id}`.pipe(
      first((row) => form.read(row.body, id)),
      named(`BillingStore.${table}`)
    )

  const unlessAll = (written: ReadonlyArray<unknown>, all: number, operation: string) =>
    written.length === all ? Effect.void : Effect.fail(new StaleWrite({ operation: `BillingStore.${operation}` }))

  const insertAgreements = (many: ReadonlyArray<Agreement.Agreement>) =>
    sql`${inserted(sql, "crossdock_agreements", agreementColumns, many.map(agreementRow))} ON CONFLICT DO NOTHING RETURNING id`

  const companiesOf = (many: ReadonlyArray<Agreement.Agreement>) => [...new Set(many.map(({ companyId }) => companyId))]

  const updateAgreements = (many: ReadonlyArray<Agreement.Agreement>) =>
    sql`UPDATE crossdock_agreements SET status = r.status, slot = r.slot, due_at = r.due_at, version = r.version, body = r.body
        FROM ${rowsOf(sql, agreementColumns, many, agreementRow)} r
        WHERE crossdock_agreements.company_id = r.company_id AND crossdock_agreements.id = r.id
          AND crossdock_agreements.version = r.version - 1
          AND ${Dialect.unindexed(sql, "crossdock_agreements.company_id")} IN ${sql.in(companiesOf(many))}
        RETURNING crossdock_agreements.id`

  const every = <A>(table: string, form: { readonly read: (text: string, id: string) => A }) =>
    Effect.map(sql<KeyedRow>`SELECT id, body FROM ${sql(table)} ORDER BY id`, (found) =>
      found.map((row) => form.read(row.body, row.id))
    )
  const everyPlan = every("crossdock_plans", plans)

  return BillingStore.of({
    putPlans: (many) =>
      Effect.gen(function* () {
        const wrong = planFault([], many)
        if (wrong !== undefined) return yield* wrong
        const isKept = (field: string) =>
          sql`${Dialect.bodyText(sql, "crossdock_plans.body", field)} = ${Dialect.bodyText(sql, "excluded.body", field)}`
        const written = yield* put("crossdock_plans", plans, many, sql`${isKept("currency")} AND ${isKept("interval")}`)
        if (written.length === many.length) return
        yield* planFault(yield* everyPlan, many) ?? Effect.die(new Error("Plans were not written"))
      }).pipe(named("BillingStore.putPlans"), whole),
    putExtensions: (many) =>
      put("crossdock_extensions", extensions, many).pipe(Effect.asVoid, named("BillingStore.putExtensions")),
    putCoupons: (many) =>
      sql`INSERT INTO crossdock_coupons (code, max_uses, body)
          SELECT r.code, r.max_uses, r.body FROM ${rowsOf(sql, { code: "text", max_uses: "integer", body: "text" }, many, (one) => [one.code, one.maxUses, coupons.write(one)])} r WHERE TRUE
          ON CONFLICT (code) DO UPDATE
          SET max_uses = excluded.max_uses, body = excluded.body`.pipe(Effect.asVoid, named("BillingStore.putCoupons")),
    plans: everyPlan.pipe(named("BillingStore.plans")),
    plan: (id) => byId("crossdock_plans", plans, id),
    extension: (id) => byId("crossdock_extensions", extensions, id),
    extensions: every("crossdock_extensions", extensions).pipe(named("BillingStore.extensions")),
    coupon: (code) =>
      sql<Row & { used: number }>`SELECT used, body FROM crossdock_coupons WHERE code = ${code}`.pipe(
        Effect.map(([row]) =>
          row === undefined ? undefined : { coupon: coupons.read(row.body, code), used: row.used }
        ),
        named("BillingStore.coupon")
      ),
    coupons: sql<
      Row & { code: string; used: number }
    >`SELECT code, used, body FROM crossdock_coupons ORDER BY code`.pipe(
      each(({ body, code, used }) => ({ coupon: coupons.read(body, code), used })),
      named("BillingStore.coupons")
    ),
    redeem: (code) =>
      sql`UPDATE crossdock_coupons SET used = used + 1
          WHERE code = ${code} AND (max_uses IS NULL OR used < max_uses) RETURNING code`.pipe(
        Effect.map((counted) => counted.length === 1),
        named("BillingStore.redeem")
      ),
    customer: (company) =>
      sql<Row>`SELECT body FROM crossdock_customers WHERE company_id = ${company}`.pipe(
        first((row) => customers.read(row.body, company)),
        named("BillingStore.customer")
      ),
    saveCustomer: (customer) => {
      const { companyId, version } = customer
      const columns = { version: version + 1, body: customers.write({ ...customer, version: version + 1 }) }
      const statement =
        version === 0
          ? sql`INSERT INTO crossdock_customers ${sql.insert({ company_id: companyId, ...columns })}
                ON CONFLICT DO NOTHING RETURNING version`
          : sql`UPDATE crossdock_customers SET ${sql.update(columns)}
                WHERE company_id = ${companyId} AND version = ${version} RETURNING version`
      return Effect.flatMap(statement, (written) => unlessAll(written, 1, "saveCustomer")).pipe(
        named("BillingStore.saveCustomer")
      )
    },
    purgeCustomers: Dialect.purge(sql, "crossdock_customers").pipe(named("BillingStore.purgeCustomers"), unbounded),
    agreement: (company, id) =>
      sql<KeyedRow>`
        SELECT id, body FROM crossdock_agreements
        WHERE company_id = ${company} AND id = ${id}`.pipe(first(agreementOf), named("BillingStore.agreement")),
    agreements: (company, ids) =>
      sql<KeyedRow>`
        SELECT a.id, a.body FROM crossdock_agreements a WHERE a.company_id = ${company}
          AND a.id IN ${texts(sql, ids)}`.pipe(each(agreementOf), named("BillingStore.agreements")),
    byLink: (digest) =>
      sql<KeyedRow>`
        SELECT id, body FROM crossdock_agreements
        WHERE link = ${digest}`.pipe(first(agreementOf), named("BillingStore.byLink")),
    // What is running has a slot, and only that is in its index: what has ended isn't read, however much it is.
    running: (company, kind) =>
      sql<KeyedRow>`SELECT id, body FROM crossdock_agreements
        WHERE company_id = ${company} AND slot IS NOT NULL AND kind = ${kind}
        ORDER BY created_at, id`.pipe(each(agreementOf), named("BillingStore.running")),
    save: (many) => {
      const isRunning = (one: Agreement.Agreement) => AgreementLifecycle.slotOf(one) !== undefined
      const [fresh, known] = [many.filter((one) => one.version === 0), many.filter((one) => one.version > 0)]
      // Those that end come first, so that the slot is free for the one that replaces them.
      const updates = [known.filter((one) => !isRunning(one)), known.filter(isRunning)]
      return Effect.gen(function* () {
        for (const some of updates) {
          if (some.length > 0) yield* unlessAll(yield* updateAgreements(some), some.length, "save")
        }
        if (fresh.length > 0) yield* unlessAll(yield* insertAgreements(fresh), fresh.length, "save")
      }).pipe(
        Effect.catchIf(isTaken, () => new StaleWrite({ operation: "BillingStore.save" })),
        named("BillingStore.save"),
        whole
      )
    },
    // A company that another host is billing, or that anybody writes to, is left for the next pass: nobody waits for it.
    due: (now, limit) =>
      sql<KeyedRow>`
        SELECT a.id, a.body FROM crossdock_agreements a JOIN crossdock_companies c ON c.id = a.company_id
        WHERE a.due_at <= ${now} ORDER BY a.due_at, a.id LIMIT ${limit} ${lock}`.pipe(
        each(agreementOf),
        named("BillingStore.due")
      ),
    nextNumber: (company, year, count) =>
      sql<{ last: number }>`
        INSERT INTO crossdock_invoice_numbers (company_id, year, last) VALUES (${company}, ${year}, ${count})
        ON CONFLICT (company_id, year) DO UPDATE SET last = crossdock_invoice_numbers.last + excluded.last
        RETURNING last`.pipe(
        Effect.flatMap(([row]) =>
          row === undefined
            ? Effect.die(new Error("No invoice number was returned"))
            : Effect.succeed(row.last - count + 1)
        ),
        named("BillingStore.nextNumber")
      ),
    issue: (many) =>
      sql`${inserted(sql, "crossdock_invoices", invoiceColumns, many.map(invoiceRow))}
          ON CONFLICT (company_id, agreement_id, period) DO NOTHING RETURNING id`.pipe(
        Effect.flatMap((written) => unlessAll(written, many.length, "issue")),
        named("BillingStore.issue"),
        whole
      ),
    invoice: (company, id) =>
      sql<KeyedRow>`
        SELECT id, body FROM crossdock_invoices
        WHERE company_id = ${company} AND id = ${id}`.pipe(first(invoiceOf), named("BillingStore.invoice")),
    invoices: (company, page) =>
      sql<Counted<KeyedRow>>`
        SELECT c.total, k.id, k.body
        FROM (SELECT COUNT(*) AS total FROM crossdock_invoices WHERE company_id = ${company}) c
        LEFT JOIN (
          SELECT id, body, created_at, number FROM crossdock_invoices WHERE company_id = ${company}
          ORDER BY created_at DESC, number DESC LIMIT ${page.size} OFFSET ${Page.offset(page)}) k ON 1 = 1
        ORDER BY k.created_at DESC, k.number DESC`.pipe(Effect.map(pageOf(invoiceOf)), named("BillingStore.invoices")),
    invoicesFrom: (company, agreement, index) =>
      sql<KeyedRow>`SELECT id, body FROM crossdock_invoices
        WHERE company_id = ${company} AND agreement_id = ${agreement}
          AND period >= ${index}`.pipe(each(invoiceOf), named("BillingStore.invoicesFrom")),
    unpaid: (company, kind) =>
      sql<KeyedRow>`SELECT id, body FROM crossdock_invoices WHERE company_id = ${company} AND status = 'open'
        AND EXISTS (SELECT 1 FROM crossdock_agreements a WHERE a.company_id = crossdock_invoices.company_id
          AND a.id = crossdock_invoices.agreement_id
          AND a.kind = ${kind})`.pipe(each(invoiceOf), named("BillingStore.unpaid")),
    latestInvoice: (company, agreement) =>
      sql<KeyedRow>`SELECT id, body FROM crossdock_invoices WHERE company_id = ${company} AND agreement_id = ${agreement}
        ORDER BY created_at DESC, number DESC LIMIT 1`.pipe(first(invoiceOf), named("BillingStore.latestInvoice")),
    saveInvoice: (invoice) => {
      const { companyId, id, version } = invoice
      const next = { ...invoice, version: version + 1 }
      return sql`UPDATE crossdock_invoices SET ${sql.update({
        status: next.status,
        next_at: next.payment.nextAt,
        modified_at: next.modifiedAt,
        version: next.version,
        body: invoices.write(next)
      })} WHERE company_id = ${companyId} AND id = ${id} AND version = ${version} RETURNING id`.pipe(
        Effect.flatMap((written) => unlessAll(written, 1, "saveInvoice")),
        named("BillingStore.saveInvoice")
      )
    },
    payable: (now, ahead, limit) =>
      sql<KeyedRow>`SELECT id, body FROM crossdock_invoices
        WHERE (next_at <= ${now} OR (next_at IS NOT NULL AND modified_at > ${ahead})) AND status = 'open'
        ORDER BY next_at, id LIMIT ${limit}`.pipe(each(invoiceOf), named("BillingStore.payable"))
  })
})

export const layer = Layer.effect(BillingStore, make)
