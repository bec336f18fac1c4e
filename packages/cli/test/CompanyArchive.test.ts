import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync, gzipSync } from "node:zlib"
import * as PostgresDatabase from "@crossdock/postgres/PostgresDatabase"
import type {} from "@crossdock/postgres/PostgresGlobalSetup"
import { beforeAll, describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import Database from "better-sqlite3"
import { Effect, Option, Redacted } from "effect"
import { inject } from "vitest"
import * as Api from "../../../lab/system-tests/src/Api.ts"
import { settings, startHost } from "../../../lab/system-tests/test/TestHost.ts"
import { temporaryFolder } from "../../http/test/TemporaryFolder.ts"
import { levelOf, line, order, type Placed, place, seller, setStock, shipmentOf } from "../../http/test/TestOrders.ts"
import { product, write } from "../../http/test/TestProducts.ts"
import * as InProcess from "./InProcess.ts"

const SECRETS_KEY = Buffer.alloc(32, 1).toString("base64")
const reference = fileURLToPath(new URL("../data/reference.json", import.meta.url))
const stockOf = "/ims/v3/inventory"
const add = [{ location_id: "BLR1", sku: "85123A", quantity: 1 }]
const everyProduct = "/v3/catalog/product"
const keyed = { "idempotency-key": "before-the-move" }

type Ended = InProcess.Ended

interface Page {
  readonly table: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string | number | null>>
}

/** The page with this value in each row of a column. */
const withValue =
  (column: string, value: string) =>
  ({ columns, rows, table }: Page) => ({
    table,
    columns,
    rows: rows.map((row) => row.map((one, nth) => (columns[nth] === column ? value : one)))
  })

const linesOf = (file: string) => gunzipSync(readFileSync(file)).toString().trimEnd().split("\n")
const pagesOf = (file: string) =>
  linesOf(file)
    .slice(1, -1)
    .map((text): Page => JSON.parse(text))

/** An archive's rows and its parts of marketplaces. Each database gives rows in an order of its own. */
const contentOf = (file: string) => ({
  marketplaces: JSON.parse(linesOf(file)[0] ?? "").marketplaces,
  rows: pagesOf(file)
    .flatMap(({ rows, table }) => rows.map((row) => JSON.stringify([table, row])))
    .sort()
})

describe("company export and company import", () => {
  const path = (
    (folder) => (name: string) =>
      join(folder, name)
  )(temporaryFolder())
  const [source, archive] = [`sqlite:${path("source.db")}`, path("acme.jsonl.gz")]

  const run = (databaseUrl: string, ...args: ReadonlyArray<string>) =>
    InProcess.run([...args, "--database", databaseUrl], { environment: { SECRETS_KEY } })
  const done = async (databaseUrl: string, ...args: ReadonlyArray<string>) => {
    const ended = await run(databaseUrl, ...args)
    strictEqual(ended.code, 0, ended.stderr)
    return ended
  }

  const addMarketplace = async (databaseUrl: string, slug: string, more: object = {}) => {
    const registration = {
      slug,
      name: slug,
      currency: "INR",
      password: `${slug}-secret`.padEnd(12, "."),
      locations: [],
      ...more
    }
    writeFileSync(path(`${slug}.json`), JSON.stringify(registration))
    await done(databaseUrl, "marketplace", "add", path(`${slug}.json`))
  }

  /** A database with what companies share. */
  const prepared = async (databaseUrl: string) => {
    await done(databaseUrl, "migrate")
    for (const slug of ["bazaar", "souk"]) await addMarketplace(databaseUrl, slug)
    const plan = { id: "basic", name: "Basic", price: 999, currency: "INR", interval: "month", trialDays: 14 }
    writeFileSync(path("basic.json"), JSON.stringify(plan))
    await done(databaseUrl, "plan", "add", path("basic.json"))
    await done(databaseUrl, "reference", "import", reference)
    return databaseUrl
  }
  const preparedFile = (name: string) => prepared(`sqlite:${path(name)}`)

  /** Works on a host of a database. All of them sign the same links. */
  const onHost = async <A>(databaseUrl: string, work: (url: string) => Promise<A>) => {
    const tokenSecret = Option.some(Redacted.make("a secret of tokens and links, of 32 bytes"))
    const publicUrl = Option.some("https://shop.example")
    const host = await startHost(settings({ databaseUrl, sandbox: Option.some("day"), tokenSecret, publicUrl }))
    try {
      return await work(host.url)
    } finally {
      await host.stop()
    }
  }

  /** What the systems of the company read. */
  const readsOf = async (url: string) => {
    const [acme, ops] = [await Api.seller(url), await Api.platform(url)]
    const get = async (api: Api.Api, path: string) => {
      const { body, status } = await api.call<Record<string, unknown>>("GET", path)
      strictEqual(status, 200, `${path} ${JSON.stringify(body)}`)
      return body.meta === undefined ? body : { ...body, meta: null }
    }
    const platform = (service: string, rest: string) => get(ops, `/service/platform/${service}/v1.0/company/1/${rest}`)
    const reads = [
      await get(acme, "/v3/catalog/product?page_size=100"),
      await get(acme, "/ims/v3/listings?page_size=500"),
      await get(acme, "/oms/v3/shipment/info?orderStatus=DELIVERED&pageSize=100"),
      await platform("audit-trail", "logs?qs=entity.type:shipment&limit=100"),
      await platform("billing", "invoice/list"),
      await platform("billing", "subscription/current")
    ]
    const [delivered] = (reads[2] as { orders: ReadonlyArray<{ A4invoicePdfUrl: string }> }).orders
    const link = new URL(delivered?.A4invoicePdfUrl ?? "")
    const invoice = await fetch(`${url}${link.pathname}${link.search}`)
    strictEqual(invoice.status, 200)
    for (const api of [acme, ops]) api.close()
    return [...reads, Buffer.from(await invoice.arrayBuffer()).toString("latin1")]
  }

  let reads: ReadonlyArray<unknown>
  let [shared, external]: [Placed, string] = [{} as Placed, ""]

  beforeAll(async () => {
    await onHost(source, async (url) => {
      const [adjust, globex, bazaar] = [
        await Api.seller(url, "acme-adjust"),
        await Api.seller(url, "globex"),
        await Api.marketplace(url)
      ]
      strictEqual((await adjust.call("PUT", stockOf, add, keyed)).status, 200)
      await setStock(globex, 10, ["GX-TEE-S"], "DEL1")
      const other = shipmentOf([line("GX-TEE-S")], { external_shipment_id: "S2", location_id: "DEL1" })
      const both = order([shipmentOf([line("85123A")]), other])
      external = both.external_order_id
      shared = await place(bazaar, both)
      reads = await readsOf(url)
      for (const api of [adjust, globex, bazaar]) api.close()
    })
    await done(source, "endpoint", "add", "1", "erp", "--url", "https://erp.example/events")
    const { stderr, stdout } = await done(source, "company", "export", "1", archive)
    assertTrue(stderr.startsWith("Company 1 is open: its later changes aren't in "), stderr)
    assertTrue(/^Company 1 is in .*: \d{4} rows\.\n$/.test(stdout), stdout)
  }, 60_000)

  it("write one private file, in pages, which is never overwritten", async () => {
    strictEqual(statSync(archive).mode & 0o777, 0o600)
    const pages = pagesOf(archive)
    deepStrictEqual(
      pages.filter(({ table }) => table === "crossdock_products").map(({ rows }) => rows.length),
      [500, 92]
    )
    assertTrue(pages.every(({ rows }) => rows.length <= 500))
    const again = await run(source, "company", "export", "1", archive)
    deepStrictEqual([again.code, again.stderr.startsWith(`There is a file ${archive} already`)], [1, true])
  })

  it(
    "move all rows to PostgreSQL and back, and the company goes on in both",
    () =>
      Effect.gen(function* () {
        const server = Redacted.value(yield* PostgresDatabase.make(inject("postgres")))
        yield* Effect.promise(async () => {
          const content = contentOf(archive)
          const [there, back] = [await prepared(server), await preparedFile("back.db")]
          let last = archive
          for (const [databaseUrl, next] of [
            [there, path("there.gz")],
            [back, path("back.gz")]
          ] as const) {
            const twice = [0, 1].map(() => run(databaseUrl, "company", "import", last))
            const [{ stdout }, second] = (await Promise.all(twice)).sort((a, b) => a.code - b.code) as [Ended, Ended]
            assertTrue(second.stderr.startsWith("Company 1 is in the database already"), second.stderr)
            assertTrue(
              /^Company 1, Acme Retail, is imported: \d+ rows, \d+ audit records, 8 levels\./.test(stdout),
              stdout
            )
            await done(databaseUrl, "company", "export", "1", next)
            deepStrictEqual(contentOf(next), content)
            last = next
          }
          for (const databaseUrl of [there, back]) await onHost(databaseUrl, goesOn)
          for (const databaseUrl of [there, back]) {
            const found = JSON.parse((await done(databaseUrl, "audit", "verify", "--json")).stdout)
            deepStrictEqual(JSON.parse((await done(databaseUrl, "stock", "verify", "--json")).stdout), [])
            strictEqual(found.length, 1)
          }
        })
      }).pipe(Effect.scoped, Effect.runPromise),
    60_000
  )

  const goesOn = async (url: string) => {
    deepStrictEqual(await readsOf(url), reads)
    const [acme, adjust, bazaar] = [
      await Api.seller(url),
      await Api.seller(url, "acme-adjust"),
      await Api.marketplace(url)
    ]
    const before = await levelOf(acme, "85123A")
    const repeated = await adjust.call("PUT", stockOf, add, keyed)
    deepStrictEqual([repeated.status, repeated.headers["idempotent-replayed"]], [200, "true"])
    deepStrictEqual(await levelOf(acme, "85123A"), before)

    // The other company's shipment of the order isn't here.
    const read = await bazaar.call<{ shipments: ReadonlyArray<{ shipment_id: string }> }>(
      "GET",
      `/order/api/v1/bazaar/order?platform_order_id=${shared.platform_order_id}`
    )
    strictEqual(read.status, 200)
    deepStrictEqual(
      read.body.shipments.map(({ shipment_id }) => shipment_id),
      shared.shipments.slice(0, 1).map(({ shipment_id }) => shipment_id)
    )

    const { shipments } = await place(bazaar, order([shipmentOf([line("85123A")])]))
    strictEqual(await seller(acme).confirm(shipments[0]?.shipment_id ?? ""), "ok")
    // Numbers of other companies of the source stay free.
    await write(acme, "POST", [product("AFTER")])
    const { body } = await acme.call<{ items: ReadonlyArray<{ uid: number }> }>(
      "GET",
      `${everyProduct}?item_code=AFTER`
    )
    deepStrictEqual(
      body.items.map(({ uid }) => uid),
      [1_000_000_000]
    )
    for (const api of [acme, adjust, bazaar]) api.close()
  }

  it("bring the other company of an order, closed until it is reopened", async () => {
    const [from, to] = [`sqlite:${path("from.db")}`, await preparedFile("both.db")]
    await done(source, "backup", path("from.db"))
    await done(from, "company", "close", "2")
    strictEqual((await done(from, "company", "export", "2", path("globex.gz"))).stderr, "")
    for (const file of [archive, path("globex.gz")]) await done(to, "company", "import", file)
    const closed = () =>
      rowsOf("both.db").crossdock_marketplaces?.map(({ body }) => JSON.parse(`${body}`).closedCompanies)
    deepStrictEqual(closed(), [[2], undefined])
    await done(to, "company", "reopen", "2")
    deepStrictEqual(closed(), [undefined, undefined])
    await onHost(to, async (url) => {
      const bazaar = await Api.marketplace(url)
      const { body } = await bazaar.call<{ shipments: ReadonlyArray<object> }>(
        "GET",
        `/order/api/v1/bazaar/order?platform_order_id=${shared.platform_order_id}`
      )
      strictEqual(body.shipments.length, 2)
      bazaar.close()
    })
  })

  const rowsOf = (name: string): Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>> => {
    const database = new Database(path(name), { readonly: true })
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'")
      .pluck()
      .all()
    const rows = Object.fromEntries(
      tables.map((table) => [table, database.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`).all()])
    )
    database.close()
    return rows
  }

  const changed = (name: string, ...statements: ReadonlyArray<string>) => {
    const database = new Database(path(name))
    for (const statement of statements) database.exec(statement)
    database.close()
  }

  /** The archive with other lines, and the digest of these. */
  const rewritten = (name: string, change: (line: string) => string) => {
    const [end = "", ...lines] = linesOf(archive).map(change).reverse()
    const text = lines
      .reverse()
      .map((line) => `${line}\n`)
      .join("")
    const sha256 = createHash("sha256").update(text).digest("hex")
    writeFileSync(path(name), gzipSync(`${text}${JSON.stringify({ ...JSON.parse(end), sha256 })}\n`))
    return path(name)
  }

  /** Imports into a database that has what companies share and these rows, and changes nothing. */
  const rejects = async (
    statements: ReadonlyArray<string>,
    says: string,
    file = archive,
    environment = { SECRETS_KEY }
  ) => {
    copyFileSync(path("shared.db"), path("target.db"))
    changed("target.db", ...statements)
    const before = rowsOf("target.db")
    const args = ["company", "import", file, "--database", `sqlite:${path("target.db")}`]
    const { code, stderr } = await InProcess.run(args, { environment })
    deepStrictEqual([code, stderr.includes(says), stderr.trim().includes("\n")], [1, true, false], `${says}\n${stderr}`)
    deepStrictEqual(rowsOf("target.db"), before)
  }

  it("reject what is taken or missing in one sentence, and write nothing", async () => {
    await preparedFile("shared.db")
    changed("shared.db", "PRAGMA journal_mode = DELETE")
    const cases: ReadonlyArray<readonly [statement: string, says: string]> = [
      [
        "INSERT INTO crossdock_companies (id, name, legal_name) VALUES (1, 'A', 'A')",
        "Company 1 is in the database already"
      ],
      [
        "INSERT INTO crossdock_locations (id, company_id, code, name, currency, handling_hours) VALUES (2, 9, 'PNQ1', 'Pune', 'INR', 24)",
        "Location number 2 is in the database already"
      ],
      ["INSERT INTO crossdock_sizes VALUES (7, 9, 1, 'SKU', 'M', 0, '{}')", "SKU number 7 is in the database already"],
      [
        "INSERT INTO crossdock_products VALUES (7, 9, 'A', 'A', 'a', 'A', 'a', '1', 0, '{}', 0, 0)",
        "Product number 7 is in the database already"
      ],
      [
        "INSERT INTO crossdock_accounts VALUES ('integration', 'acme', '', 1, 1, 0, '{}')",
        'Username "acme" is in the database already'
      ],
      [
        `INSERT INTO crossdock_orders VALUES ('1', 'bazaar', '${external}', '{}', '{}')`,
        `Another order "${external}" of marketplace bazaar is in the database already`
      ],
      [
        `INSERT INTO crossdock_shipments VALUES ('${shared.shipments[0]?.shipment_id}', 9, 'A', 'souk', '1', '1', 'CREATED', 0, 1, NULL, NULL, 1, '{}')`,
        `Shipment ${shared.shipments[0]?.shipment_id} is in the database already`
      ],
      // The last table: all others were written before.
      [
        "INSERT INTO crossdock_invoice_numbers VALUES (1, 2026, 1)",
        "A row of crossdock_invoice_numbers is in the database already"
      ],
      ["DELETE FROM crossdock_marketplaces", "The company sells on bazaar, souk, so nothing was imported"],
      ["DELETE FROM crossdock_plans", "The company has the plan basic, so nothing was imported"],
      [
        `UPDATE crossdock_marketplaces SET body = replace(body, '"currency":"INR"', '"currency":"USD"') WHERE slug = 'souk'`,
        "Marketplace souk can't sell for the company, so nothing was imported: /locations/0/location sells in INR"
      ]
    ]
    for (const [statement, says] of cases) await rejects([statement], says)
    await rejects([], "The secret of endpoint erp of company 1 is encrypted with key", archive, {
      SECRETS_KEY: Buffer.alloc(32, 2).toString("base64")
    })
    await rejects(
      [],
      "schema of migration 17 and the database",
      rewritten("17.gz", (line) => line.replace(/"migrations":\d+/, '"migrations":17'))
    )
  })

  it("reject an archive that was changed or cut", async () => {
    const bytes = readFileSync(archive)
    const flipped = Buffer.from(bytes)
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1
    const text = linesOf(archive).join("\n")
    const damaged = {
      flipped,
      cut: bytes.subarray(0, bytes.length >> 1),
      "without its end": gzipSync(`${linesOf(archive).slice(0, -1).join("\n")}\n`),
      "with another name": gzipSync(`${text.replace("Acme Retail", "Acme Metail")}\n`),
      "with a row less": readFileSync(rewritten("less.gz", (line) => line.replace(',[1,"Zephyr",2]', ""))),
      "no archive": Buffer.from("company"),
      empty: gzipSync("")
    }
    for (const [name, content] of Object.entries(damaged)) {
      writeFileSync(path(name), content)
      await rejects([], `${path(name)} is not a whole archive of a company`, path(name))
    }
    await rejects([], `${JSON.stringify(path("none"))} doesn't exist`, path("none"))
  })

  /** The archive with another value in the first row of a table. */
  const withOther = (table: string, column: string, change: (value: string) => string | number) =>
    rewritten(`${column}.gz`, (line) => {
      const page: Page = JSON.parse(line)
      if (page.table !== table) return line
      const [first = [], ...rest] = page.rows
      const at = page.columns.indexOf(column)
      return JSON.stringify({ ...page, rows: [first.with(at, change(`${first[at]}`)), ...rest] })
    })

  it("reject other companies' rows in a forged archive", async () => {
    const other = withOther("crossdock_levels", "company_id", () => 2)
    await rejects([], "A row of crossdock_levels is another company's, so nothing was imported", other)
    const first = (change: (header: string) => string) => (line: string) =>
      line.startsWith('{"format":1') ? change(line) : line
    for (const file of [
      withOther("crossdock_accounts", "kind", () => "operator"),
      withOther("crossdock_accounts", "principal", (text) => text.replace('"companyId":1', '"companyId":2')),
      rewritten(
        "part.gz",
        first((header) => header.replace('"companyId":1', '"companyId":2'))
      ),
      rewritten(
        "orders.gz",
        first(() => '{"format":1,"orders":"2026-01"}')
      )
    ])
      await rejects([], `${file} is not a whole archive of a company, so nothing was imported`, file)
  })

  it("reject an archive that was edited by hand, in one sentence with the line", async () => {
    const at = linesOf(archive).findIndex((line) => line.startsWith('{"table":"crossdock_levels"'))
    const edits: ReadonlyArray<readonly [name: string, edit: (page: Page) => unknown]> = [
      ["no record", () => 7],
      ["no rows", ({ columns, table }) => ({ table, columns })],
      ["no columns", (page) => ({ ...page, columns: [] })],
      ["a table", (page) => ({ ...page, table: "constructor" })],
      ["an object", ({ rows, ...page }) => ({ ...page, rows: [[{}, ...(rows[0] ?? []).slice(1)]] })],
      ["a short row", ({ rows, ...page }) => ({ ...page, rows: [(rows[0] ?? []).slice(0, -1)] })],
      ["a text", ({ rows, ...page }) => ({ ...page, rows: [page.columns.map(() => "x"), ...rows] })],
      [
        "a null",
        ({ rows, ...page }) => ({
          ...page,
          rows: [(rows[0] ?? []).map((value, nth) => (page.columns[nth] === "company_id" ? value : null))]
        })
      ]
    ]
    const line = linesOf(archive)[at] ?? ""
    const texts = edits.map(([name, edit]) => [name, JSON.stringify(edit(JSON.parse(line)))] as const)
    for (const [name, text] of [["no JSON", line.slice(0, -9)] as const, ...texts]) {
      const file = rewritten(`edited ${name}.gz`, (one) => (one === line ? text : one))
      await rejects([], `${file} is not a whole archive of a company (line ${at + 1}), so nothing was imported`, file)
    }
    const ofShipments = linesOf(archive).findIndex((one) => one.startsWith('{"table":"crossdock_shipments"'))
    for (const [column, value] of [
      ["body", "x"],
      ["location", "BLR1\0"]
    ] as const) {
      const edited = JSON.stringify(withValue(column, value)(JSON.parse(linesOf(archive)[ofShipments] ?? "")))
      const file = rewritten(`edited ${column}.gz`, (one) => (one === linesOf(archive)[ofShipments] ? edited : one))
      await rejects([], `${file} is not a whole archive of a company (line ${ofShipments + 1}), so nothing`, file)
    }
    const [header = "", last = ""] = [linesOf(archive)[0], linesOf(archive).at(-1)]
    const others: ReadonlyArray<readonly [name: string, of: string, more: object]> = [
      ["company", header, { company: "1" }],
      ["name", header, { name: undefined }],
      ["migrations", header, { migrations: null }],
      ["marketplaces", header, { marketplaces: [{ slug: "bazaar" }] }],
      [
        "locations",
        header,
        { marketplaces: [{ slug: "bazaar", locations: [{ companyId: 1 }], retiredCodes: [], buffers: [] }] }
      ],
      ["rows", last, { rows: null }]
    ]
    for (const [name, of, more] of others) {
      const file = rewritten(`edited ${name}.gz`, (one) =>
        one === of ? JSON.stringify({ ...JSON.parse(one), ...more }) : one
      )
      await rejects([], `${file} is not a whole archive of a company`, file)
    }
  })

  it("reject broken stock and a broken audit trail, in the source and in an archive", async () => {
    const stock = "UPDATE crossdock_levels SET on_hand = on_hand + 1 WHERE company_id = 1 AND on_hand > 0"
    const trail = "UPDATE crossdock_audit_records SET body = replace(body, 'acme', 'Acme') WHERE company_id = 1"
    for (const [statement, says] of [
      [stock, "from the sum of movements"],
      [trail, "audit record 2 has a different body or hash"]
    ] as const) {
      const name = `broken ${says.length}.db`
      await done(source, "backup", path(name))
      changed(name, statement)
      const { code, stderr } = await run(`sqlite:${path(name)}`, "company", "export", "1", path("broken.gz"))
      deepStrictEqual([code, existsSync(path("broken.gz"))], [1, false])
      assertTrue(stderr.includes(says), stderr)
    }
    const levels = withOther("crossdock_levels", "on_hand", (units) => Number(units) + 1)
    await rejects([], "company 1: 1 level differs from the sum of movements", levels)
    const records = withOther("crossdock_audit_records", "body", (body) => `${body} `)
    await rejects([], "company 1: audit record 1 has a different body or hash", records)
  })
})
