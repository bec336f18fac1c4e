/** The tables of billing, and their stored bodies. Searched fields have a column; the rest is in the body. */
import type { Agreement, Coupon, Customer, Extension, Invoice, Plan } from "@crossdock/billing"
import { StoredBody } from "@crossdock/kernel"
import type * as SqlClient from "effect/sql/SqlClient"
import * as SchemaDialect from "../SchemaDialect.ts"

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

/** When an invoice with a pending payment was modified; a future time shows that the clock was set back. */
export const modifiedInvoices: ReadonlyArray<string> = [
  `ALTER TABLE crossdock_invoices ADD COLUMN modified_at BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX crossdock_invoices_modified ON crossdock_invoices (modified_at) WHERE next_at IS NOT NULL`
]

/**
 * The slots of running agreements, one agreement each. If an earlier release activated several, the last one keeps the
 * slot.
 */
export const slots = (sql: SqlClient.SqlClient): ReadonlyArray<string> => {
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
    // Before 2, an agreement didn't say which ones it continues. What it took over was credited even if it wasn't paid yet,
    // so nothing is credited later.
    (older) => ({ ...older, firstId: older.id }),
    // Before 3, it repeated what its last period cost, which its invoices say.
    ({ lastBilled: _, ...older }) => older
  ]
})

/** Earlier releases stored an invoice's seller as a name only. */
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
