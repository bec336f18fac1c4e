import { StoredBody } from "@crossdock/kernel"
import type { Invoice, Shipment } from "@crossdock/shipments"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import * as SchemaDialect from "../SchemaDialect.ts"

export const statements = ({ clustered, text }: ReturnType<typeof SchemaDialect.schemaWords>) => [
  `CREATE TABLE crossdock_shipments (
    id ${text} PRIMARY KEY, company_id BIGINT NOT NULL, location ${text} NOT NULL, marketplace ${text} NOT NULL,
    order_id ${text} NOT NULL, forward_id ${text} NOT NULL, order_status ${text} NOT NULL, order_date BIGINT NOT NULL,
    is_open BIGINT NOT NULL, may_move_stock BIGINT NOT NULL, invoice_number ${text},
    credit_note_number ${text}, version BIGINT NOT NULL, body ${text} NOT NULL
  )`,
  `CREATE INDEX crossdock_shipments_list
    ON crossdock_shipments (company_id, location, order_status, order_date DESC, id DESC, marketplace)`,
  `CREATE INDEX crossdock_shipments_everywhere
    ON crossdock_shipments (company_id, order_status, order_date DESC, id DESC, marketplace)`,
  `CREATE INDEX crossdock_shipments_may_move_stock ON crossdock_shipments (company_id) WHERE may_move_stock = 1`,
  `CREATE INDEX crossdock_shipments_order ON crossdock_shipments (order_id)`,
  `CREATE INDEX crossdock_shipments_returns ON crossdock_shipments (company_id, forward_id) WHERE forward_id <> id`,
  `CREATE INDEX crossdock_shipments_invoice
    ON crossdock_shipments (company_id, invoice_number) WHERE invoice_number IS NOT NULL`,
  `CREATE INDEX crossdock_shipments_credit_note
    ON crossdock_shipments (company_id, credit_note_number) WHERE credit_note_number IS NOT NULL`,
  `CREATE TABLE crossdock_shipment_awbs (
    company_id BIGINT NOT NULL, awb ${text} NOT NULL, shipment_id ${text} NOT NULL, courier ${text} NOT NULL,
    PRIMARY KEY (company_id, awb, shipment_id)
  ) ${clustered}`,
  `CREATE TABLE crossdock_shipment_counts (
    company_id BIGINT NOT NULL, order_status ${text} NOT NULL, location ${text} NOT NULL, day BIGINT NOT NULL,
    marketplace ${text} NOT NULL, total BIGINT NOT NULL,
    PRIMARY KEY (company_id, order_status, location, day, marketplace)
  ) ${clustered}`
]

/** The UTC day of a date, counted from 1970-01-01. With `/` alone, days before 1970 would be rounded up. */
const dayOf = (row: string) =>
  `((${row}.order_date - ((${row}.order_date % 86400000) + 86400000) % 86400000) / 86400000)`

const countUp = `INSERT INTO crossdock_shipment_counts (company_id, order_status, location, day, marketplace, total)
  VALUES (NEW.company_id, NEW.order_status, NEW.location, ${dayOf("NEW")}, NEW.marketplace, 1)
  ON CONFLICT (company_id, order_status, location, day, marketplace)
  DO UPDATE SET total = crossdock_shipment_counts.total + 1;`

const countDown = `UPDATE crossdock_shipment_counts SET total = total - 1
  WHERE company_id = OLD.company_id AND order_status = OLD.order_status AND location = OLD.location
    AND day = ${dayOf("OLD")} AND marketplace = OLD.marketplace;`

/** Triggers count shipments on every write, so a total is exact and reads counters of days instead of shipments. */
export const counting = (sql: SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => [
      `CREATE TRIGGER crossdock_shipments_inserted AFTER INSERT ON crossdock_shipments BEGIN ${countUp} END`,
      `CREATE TRIGGER crossdock_shipments_moved AFTER UPDATE OF order_status ON crossdock_shipments
        WHEN OLD.order_status <> NEW.order_status BEGIN ${countDown} ${countUp} END`
    ],
    pg: () => [
      `CREATE FUNCTION crossdock_count_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${countUp} RETURN NULL; END $$`,
      `CREATE FUNCTION crossdock_count_moved() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${countDown} ${countUp} RETURN NULL; END $$`,
      `CREATE TRIGGER crossdock_shipments_inserted AFTER INSERT ON crossdock_shipments
        FOR EACH ROW EXECUTE FUNCTION crossdock_count_inserted()`,
      `CREATE TRIGGER crossdock_shipments_moved AFTER UPDATE OF order_status ON crossdock_shipments
        FOR EACH ROW WHEN (OLD.order_status <> NEW.order_status) EXECUTE FUNCTION crossdock_count_moved()`
    ]
  })

/** Counts down, and deletes counts of 0, which would otherwise accumulate every day. */
const countDownToNone = `${countDown}
  DELETE FROM crossdock_shipment_counts
  WHERE company_id = OLD.company_id AND order_status = OLD.order_status AND location = OLD.location
    AND day = ${dayOf("OLD")} AND marketplace = OLD.marketplace AND total = 0;`

export const countsWithoutZeros = (sql: SqlClient): ReadonlyArray<string> => [
  `DELETE FROM crossdock_shipment_counts WHERE total = 0`,
  ...sql.onDialectOrElse({
    orElse: () => [
      `DROP TRIGGER crossdock_shipments_moved`,
      `CREATE TRIGGER crossdock_shipments_moved AFTER UPDATE OF order_status ON crossdock_shipments
        WHEN OLD.order_status <> NEW.order_status BEGIN ${countDownToNone} ${countUp} END`
    ],
    pg: () => [
      `CREATE OR REPLACE FUNCTION crossdock_count_moved() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${countDownToNone} ${countUp} RETURN NULL; END $$`
    ]
  })
]

export const countingTriggers = ["crossdock_shipments_inserted", "crossdock_shipments_moved"] as const

/** Makes PostgreSQL count at commit, so that all writers lock the company first and the counts second. */
export const countsAtCommit = (sql: SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => [],
    pg: () => [
      ...countingTriggers.map((trigger) => `DROP TRIGGER ${trigger} ON crossdock_shipments`),
      `CREATE CONSTRAINT TRIGGER crossdock_shipments_inserted AFTER INSERT ON crossdock_shipments
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION crossdock_count_inserted()`,
      `CREATE CONSTRAINT TRIGGER crossdock_shipments_moved AFTER UPDATE OF order_status ON crossdock_shipments
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.order_status <> NEW.order_status)
        EXECUTE FUNCTION crossdock_count_moved()`
    ]
  })

const papers = ["invoice", "credit_note"]

export const uniqueNumbers = (sql: SqlClient): ReadonlyArray<string> =>
  papers.flatMap((paper) => {
    const [index, column] = [`crossdock_shipments_${paper}`, Dialect.indexedName(sql, `${paper}_number`)]
    const on = `crossdock_shipments (company_id, ${column}) WHERE ${column} IS NOT NULL`
    return [`DROP INDEX ${index}`, `CREATE UNIQUE INDEX ${index} ON ${on}`]
  })

const repeated = (paper: string) => `SELECT company_id, ${paper}_number AS number, min(id) AS first, max(id) AS second
  FROM crossdock_shipments WHERE ${paper}_number IS NOT NULL GROUP BY company_id, ${paper}_number HAVING count(*) > 1`

export const repeatedNumbers = papers.map(repeated).join(" UNION ALL ")

/** Adds the table of SKUs in shipments. PostgreSQL can't parse JSON with an escaped NUL, so SKUs are cut out of the text. */
export const skus = (sql: SqlClient): ReadonlyArray<string> => {
  const { clustered, text } = SchemaDialect.schemaWords(sql)
  const { define, name } = SchemaDialect.indexedText(sql, "sku")
  const found = sql.onDialectOrElse({
    orElse: () => ({ sku: "e.value ->> 'sku'", from: "json_each(s.body, '$.items') e" }),
    pg: () => ({
      sku: `('"' || e[1] || '"')::json #>> '{}'`,
      from: String.raw`regexp_matches(s.body, '"sku":"((?:[^"\\]|\\.)*)"', 'g') e`
    })
  })
  return [
    `CREATE TABLE crossdock_shipment_skus (
      company_id BIGINT NOT NULL, ${define}, shipment_id ${text} NOT NULL, PRIMARY KEY (company_id, ${name}, shipment_id)
    ) ${clustered}`,
    `INSERT INTO crossdock_shipment_skus (company_id, sku, shipment_id)
      SELECT DISTINCT s.company_id, ${found.sku}, s.id FROM crossdock_shipments s, ${found.from} WHERE s.may_move_stock = 1`,
    `DROP INDEX crossdock_shipments_may_move_stock`,
    `ALTER TABLE crossdock_shipments DROP COLUMN may_move_stock`
  ]
}

/** Makes indexes ascending. In a descending index of SQLite, nearly every new shipment would split a full page. */
export const ascendingLists: ReadonlyArray<string> = [
  `DROP INDEX crossdock_shipments_list`,
  `CREATE INDEX crossdock_shipments_list
    ON crossdock_shipments (company_id, location, order_status, order_date, id, marketplace)`,
  `DROP INDEX crossdock_shipments_everywhere`,
  `CREATE INDEX crossdock_shipments_everywhere
    ON crossdock_shipments (company_id, order_status, order_date, id, marketplace)`
]

export const filters = (sql: SqlClient): ReadonlyArray<string> => {
  const { clustered, text } = SchemaDialect.schemaWords(sql)
  const { define, name } = SchemaDialect.indexedText(sql, "field")
  return [
    `CREATE TABLE crossdock_shipment_fields (
      company_id BIGINT NOT NULL, ${define}, shipment_id ${text} NOT NULL, PRIMARY KEY (company_id, ${name}, shipment_id)
    ) ${clustered}`
  ]
}

/** Reduces the counts when a shipment is archived, because it is then no longer in lists. */
export const countDeleted = (sql: SqlClient): ReadonlyArray<string> =>
  sql.onDialectOrElse({
    orElse: () => [
      `CREATE TRIGGER crossdock_shipments_deleted AFTER DELETE ON crossdock_shipments BEGIN ${countDownToNone} END`
    ],
    pg: () => [
      `CREATE FUNCTION crossdock_count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN ${countDownToNone} RETURN NULL; END $$`,
      `CREATE CONSTRAINT TRIGGER crossdock_shipments_deleted AFTER DELETE ON crossdock_shipments
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION crossdock_count_deleted()`
    ]
  })

const invoice: StoredBody.Fields<Invoice> = StoredBody.present("number at irn qrCode signedInvoice ackNumber ackDate")

export const shipments = StoredBody.make<Shipment>({
  name: "shipment",
  fields: {
    ...StoredBody.present(
      "id companyId location marketplace orderId externalOrderId externalShipmentId forwardId journey",
      "status version locked fulfillment selfShip currency linesBefore additionalInfo returnId",
      "promisedDeliveryDate estimatedDeliveryDate lastLocation packAfter packBy dispatchBy deliverBy sla",
      "orderDate createdAt modifiedAt"
    ),
    items: [
      StoredBody.present(
        "id externalLineId sku title hsCode ordered cancelled splitOff invoiced mrp esp discount",
        "couponDiscount deliveryCharge taxRate taxAmount taxBefore good bad qcReasons unmappedReasons imei",
        "returnReason"
      )
    ],
    courier: { name: true, code: true, awbNumbers: true },
    invoice,
    creditNote: invoice,
    packages: [{ id: true, lengthCm: true, widthCm: true, heightCm: true, weightGrams: true }],
    events: [{ status: true, at: true, location: true, remark: true, reasonCode: true }]
  }
})
