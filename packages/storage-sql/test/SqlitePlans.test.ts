import { Seed } from "@crossdock/storage-laws"
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import { StorageSql } from "@crossdock/storage-sql"
import { it } from "@effect/vitest"
import { assertTrue, deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sqliteFile } from "./Databases.ts"
import { readAsWhole } from "./RowsRead.ts"
import * as StatementLog from "./StatementLog.ts"

const storage = Seed.layer.pipe(
  Layer.provideMerge(StorageSql.layer),
  Layer.provideMerge(StatementLog.layer(sqliteFile))
)

/** Tables with few rows, for each company or in all. */
const small = [
  "companies",
  "locations",
  "brands",
  "reference",
  "marketplaces",
  "channels",
  "event_endpoints",
  "customers",
  "plans",
  "coupons",
  "audit_anchors"
].map((name) => `crossdock_${name}`)

/** What reads a whole table, or all that a company or one of its locations has in it, and why it may. */
const exceptions: ReadonlyArray<readonly [statement: RegExp, why: string]> = [
  [
    / FROM crossdock_audit_records WHERE .* ORDER BY sequence (ASC|DESC) LIMIT \?$/,
    "a page of the trail, in its order"
  ],
  [/^WITH RECURSIVE types .* FROM crossdock_audit_records a /, "from one entity type to the next"],
  [/^SELECT company_id, last, at FROM crossdock_events /, "the oldest events of a company, in their order"],
  [/^UPDATE crossdock_products SET brand = r\.name /, "the products of a brand that was renamed, which is rare"],
  [/ FROM crossdock_invoices WHERE company_id = \?( |$)/, "a company has an invoice a month"],
  [
    / FROM crossdock_products p WHERE p\.company_id = \? ORDER BY p\.(created|modified)_at DESC, p\.id DESC LIMIT /,
    "a page of all products, in its order, and the count of all"
  ],
  [/ WHERE \(p\.company_id = \? AND instr\(p\.folded_name, \?\) > 0\)( |$)/, "a part of a name may be anywhere in it"],
  [/ WHERE \(p\.company_id = \? AND instr\(p\.body, \?\) > 0/, "a custom field may be anywhere in a product's body"],
  [
    / s\.company_id = \? .* AND 1 = 1 AND 1 = 1 ORDER BY s\.sku, l\.code LIMIT /,
    "a page of all listings, in its order"
  ],
  [/ "l"\."code" IN .* AND 1 = 1 ORDER BY s\.sku, l\.code LIMIT /, "a page of the listings of locations, in its order"],
  [/^SELECT COUNT\(\*\) AS count FROM \( SELECT v\.size_id (?!.*\.size_id IN )/, "a count of all listings"],
  [/^SELECT s\.sku, .* COALESCE\(m\.on_hand, 0\) AS moved_on_hand, /, "a check of all stock, by command"],
  [
    /^INSERT INTO crossdock_deleted_levels .* UNION SELECT g\.sku FROM /,
    "a marketplace's location that moves to another one"
  ],
  [
    / FROM crossdock_shipments s WHERE \(?s\.company_id = \?(?!.*order_status).* ORDER BY s\.order_date DESC, s\.id DESC LIMIT /,
    "a list without a status, which no interface has"
  ],
  [
    / s\.is_open = 1 AND s\.id IN \(SELECT u\.shipment_id FROM /,
    "all open shipments of a company, and those to be checked, which alone have rows of SKUs"
  ],
  [
    / WHERE \(s\.company_id = \? AND ("?s"?\."?location"? IN \((\?,\?|SELECT e\.value FROM jsonb_each\(\?\) e)\) AND )?s\.order_status = \?.* ORDER BY s\.order_date DESC, s\.id DESC LIMIT /,
    "a list of a status, with counts of days: docs/internals/lists.md"
  ]
]

const flat = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("+?", "?").trim()

/** The larger tables of a statement, by the names that its plan has for them. */
const namesOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\b(?:FROM|JOIN|UPDATE|INTO)\s+(crossdock_\w+)(?:\s+(?:AS\s+)?([a-z]\w*))?/g)]
      .filter(([, table = ""]) => !small.includes(table))
      .flatMap(([, ...found]) => found.filter((one) => one !== undefined))
  )

it.live("SQLite finds rows by their keys, and reads all rows of a company only for the statements listed here", () =>
  Effect.gen(function* () {
    const log = yield* StatementLog.StatementLog
    const sql = yield* SqlClient.SqlClient
    yield* log.taken
    for (const { shown } of everyLaw) yield* shown
    const all = new Map((yield* log.taken).map(({ text, values }) => [flat(text), { text, values }]))
    const planned = [...all].filter(
      ([short]) => /^(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(short) && !short.includes("1=0")
    )
    const found: Array<string> = []
    for (const [short, { text, values }] of planned) {
      const names = namesOf(text)
      const steps = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, [...values])
      if (steps.some(({ detail }) => names.has(readAsWhole(detail) ?? ""))) found.push(short)
    }
    assertTrue(planned.length > 250, `only ${planned.length} statements were seen`)
    const unexpected = found.filter((short) => !exceptions.some(([statement]) => statement.test(short)))
    deepStrictEqual(unexpected, [])
    const unused = exceptions.filter(([statement]) => !found.some((short) => statement.test(short)))
    deepStrictEqual(
      unused.map(([statement]) => statement.source),
      []
    )
  }).pipe(Effect.provide(storage))
)
