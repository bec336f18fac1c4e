import type { Agreement, Coupon, Customer, Extension, Invoice, Plan } from "@crossdock/billing"
import { AgreementLifecycle, BillingCycle, BillingStore, planFault } from "@crossdock/billing"
import { Page, required, StaleWrite, StoredBody } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { BodyRow, Counted } from "../Dialect.ts"
import * as Dialect from "../Dialect.ts"
import { bodyOf, each, first, inserted, orStale, pageOf, rowsOf, saveNext, texts, updateNext } from "../Dialect.ts"
import * as Distribution from "../Distribution.ts"
import * as SchemaDialect from "../SchemaDialect.ts"
import { allOrNothing, named, unbounded } from "../TransactionSql.ts"

export const statements = ({ text }: ReturnType<typeof SchemaDialect.schemaWords>): ReadonlyArray<string> => [
  `CREATE TABLE crossdock_plans (id ${text} PRIMARY KEY, body ${text} NOT NULL)`,
  `CREATE TABLE crossdock_extensions (id ${text} PRIMARY KEY, body ${text} NOT NULL)`,
  `CREATE TABLE crossdock_coupons (
    code ${text} PRIMARY KEY, used BIGINT NOT NULL DEFAULT 0, max_uses BIGINT, body ${text} NOT NULL
  )`,
  `CREATE TABLE crossdock_customers (company_id BIGINT PRIMARY KEY, version BIGINT NOT NULL, body ${text} NOT NULL)`,
  `CREATE TABLE crossdock_agreements (
    company_id BIGINT NOT NULL, id ${text} NOT NULL, kind ${text} NOT NULL, status ${text} NOT NULL, link ${text},
    created_at BIGINT NOT NULL, due_at BIGINT, version BIGINT NOT NULL, body ${text} NOT NULL,
    PRIMARY KEY (company_id, id)
  )`,
  `CREATE UNIQUE INDEX crossdock_agreements_link ON crossdock_agreements (link) WHERE link IS NOT NULL`,
  `CREATE INDEX crossdock_agreements_due ON crossdock_agreements (due_at, id) WHERE due_at IS NOT NULL`,
  `CREATE TABLE crossdock_invoices (
    company_id BIGINT NOT NULL, id ${text} NOT NULL, agreement_id ${text} NOT NULL, period BIGINT NOT NULL,
    number ${text} NOT NULL, status ${text} NOT NULL, next_at BIGINT, created_at BIGINT NOT NULL,
    version BIGINT NOT NULL, body ${text} NOT NULL, PRIMARY KEY (company_id, id),
    UNIQUE (company_id, agreement_id, period), UNIQUE (company_id, number)
  )`,
  `CREATE INDEX crossdock_invoices_list ON crossdock_invoices (company_id, created_at, number)`,
  `CREATE INDEX crossdock_invoices_payable ON crossdock_invoices (next_at, id) WHERE next_at IS NOT NULL`,
  `CREATE TABLE crossdock_invoice_numbers (
    company_id BIGINT NOT NULL, year BIGINT NOT NULL, last BIGINT NOT NULL, PRIMARY KEY (company_id, year)
  )`
]

/** Adds the time at which an invoice was modified, with an index for invoices with pending payments. */
export const modifiedInvoices: ReadonlyArray<string> = [
  `ALTER TABLE crossdock_invoices ADD COLUMN modified_at BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX crossdock_invoices_modified ON crossdock_invoices (modified_at) WHERE next_at IS NOT NULL`
]

/** Adds the slot of an agreement. If an earlier release activated several agreements in a slot, only the last one runs. */
export const slots = (sql: SqlClient): ReadonlyArray<string> => {
  const pg = sql.onDialectOrElse({ orElse: () => false, pg: () => true })
  const { text } = SchemaDialect.schemaWords(sql)
  const field = (name: string) => (pg ? `body::json ->> '${name}'` : `body ->> '${name}'`)
  const cancelled = pg
    ? `jsonb_set(jsonb_set(body::jsonb, '{status}', '"cancelled"'), '{cancelledAt}', to_jsonb(r.latest))::text`
    : `json_set(body, '$.status', 'cancelled', '$.cancelledAt', r.latest)`
  return [
    `ALTER TABLE crossdock_agreements ADD COLUMN slot ${text}`,
    `UPDATE crossdock_agreements SET slot = CASE kind WHEN 'plan' THEN kind ELSE kind || ' ' || (${field("entityId")}) END
      WHERE status IN ('active', 'frozen', 'no_renew')`,
    `UPDATE crossdock_agreements SET status = 'cancelled', slot = NULL, due_at = NULL, body = ${cancelled}
      FROM (
        SELECT company_id AS company, id AS agreement,
          ROW_NUMBER() OVER (PARTITION BY company_id, slot ORDER BY activated DESC, id) AS place,
          MAX(activated) OVER (PARTITION BY company_id, slot) AS latest
        FROM (
          SELECT company_id, id, slot, CAST(${field("activatedAt")} AS BIGINT) AS activated
          FROM crossdock_agreements WHERE slot IS NOT NULL
        ) running
      ) r
      WHERE company_id = r.company AND id = r.agreement AND r.place > 1`,
    "CREATE UNIQUE INDEX crossdock_agreements_slot ON crossdock_agreements (company_id, slot) WHERE slot IS NOT NULL"
  ]
}

export const agreements = StoredBody.make<Agreement.Agreement>({
  name: "agreement",
  fields: StoredBody.present(
    "companyId id firstId kind entityId name currency isTest lines status createdAt activatedAt",
    "cancelledAt confirmation trialDays anchor billed discount credit usage version"
  ),
  upcasters: [
    // Earlier releases credited even unpaid agreements. As its own first, such an agreement gives no further credit.
    (older) => ({ ...older, firstId: older.id }),
    ({ lastBilled: _, ...older }) => older
  ]
})

const sellerOfName = (older: Readonly<Record<string, unknown>>) => ({
  ...older,
  seller: { name: older.seller, addressLines: [], taxNumber: null, bank: null }
})

export const invoices = StoredBody.make<Invoice.Invoice>({
  name: "invoice",
  fields: {
    ...StoredBody.present(
      "companyId agreementId index period currency items subtotal total id number status client createdAt",
      "modifiedAt trail payment version"
    ),
    seller: { name: true, addressLines: true, taxNumber: true, bank: true }
  },
  upcasters: [sellerOfName]
})

export const customers = StoredBody.make<Customer>({
  name: "customer",
  fields: { companyId: true, id: true, createdAt: true, modifiedAt: true, version: true }
})

export const plans = StoredBody.make<Plan>({
  name: "plan",
  fields: StoredBody.present(
    "id name description amount currency interval trialDays productSuite isActive limits createdAt",
    "modifiedAt"
  )
})

export const extensions = StoredBody.make<Extension>({
  name: "extension",
  fields: { id: true, name: true, companies: true }
})

export const coupons = StoredBody.make<Coupon.Coupon>({
  name: "coupon",
  fields: { code: true, reduction: true, plans: true, startsAt: true, endsAt: true, maxUses: true }
})

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

const isTaken = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "UniqueViolation" || error.reason._tag === "ConstraintError")

const keyAndBody = Dialect.columns("id text, body text")

const agreementOf = bodyOf(agreements)
const invoiceOf = bodyOf(invoices)
const couponOf = ({ used, ...row }: BodyRow & { readonly used: number }) => ({ coupon: bodyOf(coupons)(row), used })

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
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
    sql<BodyRow>`SELECT id, body FROM ${sql.literal(table)} WHERE id = ${id}`.pipe(
      first(bodyOf(form)),
      named(`BillingStore.${table}`)
    )

  const insertAgreements = (many: ReadonlyArray<Agreement.Agreement>) =>
    sql`${inserted(sql, "crossdock_agreements", agreementColumns, many.map(agreementRow))} ON CONFLICT DO NOTHING`

  const updateAgreements = (many: ReadonlyArray<Agreement.Agreement>) => {
    const companies = [...new Set(many.map(({ companyId }) => companyId))]
    return sql`UPDATE crossdock_agreements SET status = r.status, slot = r.slot, due_at = r.due_at, version = r.version, body = r.body
        FROM ${rowsOf(sql, agreementColumns, many, agreementRow)} r
        WHERE crossdock_agreements.company_id = r.company_id AND crossdock_agreements.id = r.id
          AND crossdock_agreements.version = r.version - 1
          AND ${Dialect.unindexed(sql, "crossdock_agreements.company_id")} IN ${sql.in(companies)}`
  }

  const every = <A>(table: string, form: { readonly read: (text: string, id: string) => A }) =>
    sql<BodyRow>`SELECT id, body FROM ${sql(table)} ORDER BY id`.pipe(each(bodyOf(form)))
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
      sql<BodyRow & { used: number }>`
        SELECT code AS id, used, body FROM crossdock_coupons
        WHERE code = ${code}`.pipe(first(couponOf), named("BillingStore.coupon")),
    coupons: sql<BodyRow & { used: number }>`
      SELECT code AS id, used, body FROM crossdock_coupons
      ORDER BY code`.pipe(each(couponOf), named("BillingStore.coupons")),
    redeem: (code) =>
      sql`UPDATE crossdock_coupons SET used = used + 1
          WHERE code = ${code} AND (max_uses IS NULL OR used < max_uses) RETURNING code`.pipe(
        Effect.map((counted) => counted.length === 1),
        named("BillingStore.redeem")
      ),
    customer: (company) =>
      sql<{ body: string }>`SELECT body FROM crossdock_customers WHERE company_id = ${company}`.pipe(
        first((row) => customers.read(row.body, company)),
        named("BillingStore.customer")
      ),
    saveCustomer: (customer) => {
      const { companyId, version } = customer
      const [operation, key] = ["BillingStore.saveCustomer", { company_id: companyId }]
      const body = customers.write({ ...customer, version: version + 1 })
      return saveNext(sql, operation, "crossdock_customers", key, { version, body }).pipe(named(operation))
    },
    purgeCustomers: Dialect.purge(sql, "crossdock_customers").pipe(named("BillingStore.purgeCustomers"), unbounded),
    agreement: (company, id) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_agreements
        WHERE company_id = ${company} AND id = ${id}`.pipe(first(agreementOf), named("BillingStore.agreement")),
    agreements: (company, ids) =>
      sql<BodyRow>`
        SELECT a.id, a.body FROM crossdock_agreements a WHERE a.company_id = ${company}
          AND a.id IN ${texts(sql, ids)}`.pipe(each(agreementOf), named("BillingStore.agreements")),
    byLink: (digest) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_agreements
        WHERE link = ${digest}`.pipe(first(agreementOf), named("BillingStore.byLink")),
    // Only running agreements have a slot and an index entry, so ended agreements aren't read.
    running: (company, kind) =>
      sql<BodyRow>`SELECT id, body FROM crossdock_agreements
        WHERE company_id = ${company} AND slot IS NOT NULL AND kind = ${kind}
        ORDER BY created_at, id`.pipe(each(agreementOf), named("BillingStore.running")),
    save: (many) => {
      const isRunning = (one: Agreement.Agreement) => AgreementLifecycle.slotOf(one) !== undefined
      const [fresh, known] = [many.filter((one) => one.version === 0), many.filter((one) => one.version > 0)]
      // Ended agreements are saved first. That frees their slots for new agreements.
      const updates = [known.filter((one) => !isRunning(one)), known.filter(isRunning)]
      return Effect.gen(function* () {
        for (const some of updates) {
          if (some.length > 0) yield* orStale(updateAgreements(some), "BillingStore.save", some.length)
        }
        if (fresh.length > 0) yield* orStale(insertAgreements(fresh), "BillingStore.save", fresh.length)
      }).pipe(
        Effect.catchIf(isTaken, () => new StaleWrite({ operation: "BillingStore.save" })),
        named("BillingStore.save"),
        whole
      )
    },
    // Skips a company that another host is billing or that someone is writing to. The next pass bills it.
    due: (now, limit) =>
      sql<BodyRow>`
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
        Effect.map(([row]) => required(row, "an invoice number").last - count + 1),
        named("BillingStore.nextNumber")
      ),
    issue: (many) =>
      orStale(
        sql`${inserted(sql, "crossdock_invoices", invoiceColumns, many.map(invoiceRow))}
          ON CONFLICT (company_id, agreement_id, period) DO NOTHING`,
        "BillingStore.issue",
        many.length
      ).pipe(named("BillingStore.issue"), whole),
    invoice: (company, id) =>
      sql<BodyRow>`
        SELECT id, body FROM crossdock_invoices
        WHERE company_id = ${company} AND id = ${id}`.pipe(first(invoiceOf), named("BillingStore.invoice")),
    invoices: (company, page) =>
      sql<Counted<BodyRow>>`
        SELECT c.total, k.id, k.body
        FROM (SELECT COUNT(*) AS total FROM crossdock_invoices WHERE company_id = ${company}) c
        LEFT JOIN (
          SELECT id, body, created_at, number FROM crossdock_invoices WHERE company_id = ${company}
          ORDER BY created_at DESC, number DESC LIMIT ${page.size} OFFSET ${Page.offset(page)}) k ON 1 = 1
        ORDER BY k.created_at DESC, k.number DESC`.pipe(Effect.map(pageOf(invoiceOf)), named("BillingStore.invoices")),
    invoicesFrom: (company, agreement, index) =>
      sql<BodyRow>`SELECT id, body FROM crossdock_invoices
        WHERE company_id = ${company} AND agreement_id = ${agreement}
          AND period >= ${index}`.pipe(each(invoiceOf), named("BillingStore.invoicesFrom")),
    unpaid: (company, kind) =>
      sql<BodyRow>`SELECT id, body FROM crossdock_invoices WHERE company_id = ${company} AND status = 'open'
        AND EXISTS (SELECT 1 FROM crossdock_agreements a WHERE a.company_id = crossdock_invoices.company_id
          AND a.id = crossdock_invoices.agreement_id
          AND a.kind = ${kind})`.pipe(each(invoiceOf), named("BillingStore.unpaid")),
    latestInvoice: (company, agreement) =>
      sql<BodyRow>`SELECT id, body FROM crossdock_invoices WHERE company_id = ${company} AND agreement_id = ${agreement}
        ORDER BY created_at DESC, number DESC LIMIT 1`.pipe(first(invoiceOf), named("BillingStore.latestInvoice")),
    saveInvoice: (invoice) => {
      const { companyId, id, modifiedAt, payment, status, version } = invoice
      const [operation, key] = ["BillingStore.saveInvoice", { company_id: companyId, id }]
      const body = invoices.write({ ...invoice, version: version + 1 })
      const columns = { version, status, next_at: payment.nextAt, modified_at: modifiedAt, body }
      return updateNext(sql, operation, "crossdock_invoices", key, columns).pipe(named(operation))
    },
    payable: (now, ahead, limit) =>
      sql<BodyRow>`SELECT id, body FROM crossdock_invoices
        WHERE (next_at <= ${now} OR (next_at IS NOT NULL AND modified_at > ${ahead})) AND status = 'open'
        ORDER BY next_at, id LIMIT ${limit}`.pipe(each(invoiceOf), named("BillingStore.payable"))
  })
})

export const layer = Layer.effect(BillingStore, make)
