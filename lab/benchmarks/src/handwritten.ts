/**
 * Handwritten programs that answer the same requests with Fastify, Ajv and better-sqlite3, with synchronous=FULL.
 *
 * `least` does the minimum: it parses and checks the request, and makes one write per record in one transaction. `same` does
 * nearly the same work as Crossdock: a signed token, checks of every field, levels, movements, marks, and an audit record in a
 * hash chain. Its reservations never oversell. It writes no change feed.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import Database from "better-sqlite3"
import fastify from "fastify"
import { confirmSchema, leastOrder, sameOrder, stockSchema } from "./handwrittenSchemas.ts"

const [mode = "least", file = ":memory:", seeded = "0"] = process.argv.slice(2)
const same = mode === "same"

const db = new Database(file)
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.exec(`
  CREATE TABLE IF NOT EXISTS sizes (company TEXT, sku TEXT, title TEXT, PRIMARY KEY (company, sku)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS levels (company TEXT, location TEXT, sku TEXT, on_hand INTEGER NOT NULL,
    reserved INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (company, location, sku)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS movements (id INTEGER PRIMARY KEY, company TEXT, location TEXT, sku TEXT, on_hand INTEGER,
    reserved INTEGER, reason TEXT, reference TEXT);
  CREATE TABLE IF NOT EXISTS marks (company TEXT, location TEXT, sku TEXT, sequence INTEGER,
    PRIMARY KEY (company, location, sku)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS audit (sequence INTEGER PRIMARY KEY, at INTEGER, hash TEXT, body TEXT);
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, external_id TEXT UNIQUE, body TEXT);
  CREATE TABLE IF NOT EXISTS shipments (id TEXT PRIMARY KEY, order_id TEXT, location TEXT, status TEXT,
    order_date INTEGER, version INTEGER, body TEXT);
  CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, enabled INTEGER NOT NULL, generation INTEGER NOT NULL);
  INSERT OR IGNORE INTO accounts VALUES ('acme', 1, 1);
  CREATE INDEX IF NOT EXISTS shipments_list ON shipments (location, status, order_date DESC, id DESC);
`)

const statements = new Map<string, Database.Statement<Array<unknown>>>()
const prepared = (sql: string) => {
  const known = statements.get(sql) ?? db.prepare<Array<unknown>>(sql)
  statements.set(sql, known)
  return known
}
const run = (sql: string, ...values: ReadonlyArray<unknown>) => prepared(sql).run(...values)
const one = <A>(sql: string, ...values: ReadonlyArray<unknown>) => prepared(sql).get(...values) as A | undefined

const key = randomBytes(32)
const seal = (text: string) => createHmac("sha256", key).update(text).digest("base64url")
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const sign = (claims: unknown): string => {
  const text = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`
  return `${text}.${seal(text)}`
}

/** Checks signature, time and account, as any program does first. */
const isKnown = (token: string): boolean => {
  const end = token.lastIndexOf(".")
  const [sent, right] = [Buffer.from(token.slice(end + 1)), Buffer.from(seal(token.slice(0, end)))]
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return false
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
  const account = one<{ generation: number }>(
    "SELECT generation FROM accounts WHERE name = ? AND enabled = 1",
    claims.sub
  )
  return claims.exp > Date.now() / 1000 && account?.generation === claims.gen
}

const newId = () => randomBytes(12).toString("hex")

const audit = (entity: string, logs: unknown) => {
  const head = one<{ sequence: number; hash: string }>(
    "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1"
  )
  const body = JSON.stringify({ _id: newId(), at: Date.now(), entity, recorded_by: "acme", logs })
  const hash = createHash("sha256")
    .update(`${head?.hash ?? ""}${body}`)
    .digest("hex")
  run("INSERT INTO audit VALUES (?, ?, ?, ?)", (head?.sequence ?? 0) + 1, Date.now(), hash, body)
}

const mark = (location: string, sku: string) => {
  run(
    `INSERT INTO marks VALUES ('1', ?, ?, 1) ON CONFLICT (company, location, sku) DO UPDATE SET sequence = sequence + 1`,
    location,
    sku
  )
}

const move = (
  location: string,
  sku: string,
  onHand: number,
  reserved: number,
  reason: string,
  reference: string | null
) => {
  run(
    "INSERT INTO movements (company, location, sku, on_hand, reserved, reason, reference) VALUES ('1', ?, ?, ?, ?, ?, ?)",
    location,
    sku,
    onHand,
    reserved,
    reason,
    reference
  )
}

interface StockRecord {
  readonly location_id: string
  readonly sku: string
  readonly quantity: number
}

const upsertLevel = `INSERT INTO levels VALUES ('1', ?, ?, ?, 0, 1) ON CONFLICT (company, location, sku)
  DO UPDATE SET on_hand = excluded.on_hand, version = version + 1`

const leastStock = (records: ReadonlyArray<StockRecord>) => {
  for (const { location_id, quantity, sku } of records) run(upsertLevel, location_id, sku, quantity)
}

const sameStock = (records: ReadonlyArray<StockRecord>) => {
  const before: Array<number> = []
  const seen = new Set<string>()
  for (const { location_id, quantity, sku } of records) {
    const key = `${location_id} ${sku}`
    if (seen.has(key)) throw new Error("twice")
    seen.add(key)
    if (one("SELECT 1 FROM sizes WHERE company = '1' AND sku = ?", sku) === undefined) throw new Error("unknown SKU")
    const level = one<{ on_hand: number; reserved: number }>(
      "SELECT on_hand, reserved FROM levels WHERE company = '1' AND location = ? AND sku = ?",
      location_id,
      sku
    )
    const was = level?.on_hand ?? 0
    before.push(was)
    run(upsertLevel, location_id, sku, quantity)
    move(location_id, sku, quantity - was, 0, "set", null)
    mark(location_id, sku)
  }
  audit("inventory", { request: records, before })
}

interface Line {
  readonly sku: string
  readonly quantity: number
  readonly esp: number
}

interface OrderBody {
  readonly external_order_id: string
  readonly shipments: ReadonlyArray<{ readonly location_id: string; readonly lines: ReadonlyArray<Line> }>
}

/** The part of a line that `same` stores: its name, and its amounts in minor units. */
const itemOf = (line: Line) => {
  const size = one<{ title: string }>("SELECT title FROM sizes WHERE company = '1' AND sku = ?", line.sku)
  if (size === undefined) throw Object.assign(new Error("unknown SKU"), { statusCode: 409 })
  const esp = Math.round(line.esp * 100)
  return { ...line, id: newId(), title: size.title, esp, total: esp * line.quantity }
}

const shipmentBody = (id: string, order: OrderBody, lines: ReadonlyArray<Line>) =>
  JSON.stringify({
    id,
    order: order.external_order_id,
    status: "placed",
    items: lines,
    order_details: order,
    events: [{ status: "placed", at: Date.now() }]
  })

const placeOrder = (order: OrderBody) => {
  const known = one<{ id: string }>("SELECT id FROM orders WHERE external_id = ?", order.external_order_id)
  if (known !== undefined) return { platform_order_id: known.id }
  const id = newId()
  run("INSERT INTO orders VALUES (?, ?, ?)", id, order.external_order_id, JSON.stringify(order))
  const shipments = order.shipments.map(({ lines, location_id }, at) => {
    const shipment = `${Date.now()}${randomBytes(4).readUInt32BE(0)}${at}`
    for (const { quantity, sku } of lines) {
      const taken = run(
        `UPDATE levels SET reserved = reserved + ?, version = version + 1
         WHERE company = '1' AND location = ? AND sku = ? AND on_hand - reserved >= ?`,
        quantity,
        location_id,
        sku,
        quantity
      )
      if (taken.changes === 0) throw Object.assign(new Error("short"), { statusCode: 409 })
      if (same) {
        move(location_id, sku, 0, quantity, "reserve", shipment)
        mark(location_id, sku)
      }
    }
    run(
      "INSERT INTO shipments VALUES (?, ?, ?, 'placed', ?, 1, ?)",
      shipment,
      id,
      location_id,
      Date.now(),
      shipmentBody(shipment, order, same ? lines.map(itemOf) : lines)
    )
    return { shipment_id: shipment }
  })
  if (same) audit("order", { request: order.external_order_id, response: shipments })
  return { platform_order_id: id, shipments }
}

const confirm = (records: ReadonlyArray<{ readonly orderId: string }>) => {
  for (const { orderId } of records) {
    if (!same) {
      run("UPDATE shipments SET status = 'bag_confirmed' WHERE id = ? AND status = 'placed'", orderId)
      continue
    }
    const found = one<{ body: string; version: number; status: string }>(
      "SELECT body, version, status FROM shipments WHERE id = ?",
      orderId
    )
    if (found?.status !== "placed") throw new Error("not placed")
    const body = JSON.parse(found.body)
    body.status = "bag_confirmed"
    body.events.push({ status: "bag_confirmed", at: Date.now() })
    run(
      "UPDATE shipments SET status = 'bag_confirmed', version = version + 1, body = ? WHERE id = ? AND version = ?",
      JSON.stringify(body),
      orderId,
      found.version
    )
  }
  if (same) audit("shipment", { confirm: records })
}

const listed = (location: string, status: string, size: number, page: number) => {
  const rows = prepared(
    "SELECT body FROM shipments WHERE location = ? AND status = ? ORDER BY order_date DESC, id DESC LIMIT ? OFFSET ?"
  ).all(location, status, size, (page - 1) * size) as ReadonlyArray<{ readonly body: string }>
  const total = same
    ? one<{ total: number }>(
        "SELECT COUNT(*) AS total FROM shipments WHERE location = ? AND status = ?",
        location,
        status
      )?.total
    : rows.length
  return { total: total ?? 0, rows: rows.map(({ body }) => JSON.parse(body)) }
}

const transaction = <A, B>(work: (input: A) => B) => db.transaction(work).immediate as (input: A) => B

const app = fastify({ bodyLimit: 1024 * 1024 })
if (same) {
  app.addHook("onRequest", (request, reply, done) => {
    const token = request.headers["x-access-token"]
    if (request.url.startsWith("/seed/") || (typeof token === "string" && isKnown(token))) done()
    else reply.code(401).send({ message: "no valid token" })
  })
}
const stock = transaction(same ? sameStock : leastStock)
app.put<{ Body: ReadonlyArray<StockRecord> }>("/ims/v3/inventory", { schema: { body: stockSchema } }, (request) => {
  stock(request.body)
  const count = request.body.length
  return {
    data: { payload_count: count, success_count: count, failed_count: 0, errors: [] },
    meta: { ack_id: newId(), integrationId: "x", time: new Date().toISOString(), status: "SUCCESS" }
  }
})
const place = transaction(placeOrder)
app.post<{ Body: OrderBody }>(
  "/order/api/v1/bazaar/create",
  { schema: { body: same ? sameOrder : leastOrder } },
  (request) => place(request.body)
)
const confirmAll = transaction(confirm)
app.post<{ Body: ReadonlyArray<{ readonly orderId: string }> }>(
  "/oms/v3/shipment/confirm",
  { schema: { body: confirmSchema } },
  (request) => {
    confirmAll(request.body)
    return {
      payloadCount: request.body.length,
      successCount: request.body.length,
      failedCount: 0,
      status: "SUCCESS",
      errors: []
    }
  }
)
app.get<{ Querystring: Readonly<Record<string, string>> }>("/oms/v3/shipment", (request, reply) => {
  const { locationCode = "", orderStatus = "", pageNumber = "1", pageSize = "50" } = request.query
  const { rows, total } = listed(
    locationCode,
    orderStatus === "CREATED" ? "placed" : orderStatus,
    Number(pageSize),
    Number(pageNumber)
  )
  reply.header("x-total-count", String(total))
  return rows
})
app.post<{ Body: ReadonlyArray<string> }>("/seed/sizes", (request) => {
  transaction((skus: ReadonlyArray<string>) => {
    for (const sku of skus) run("INSERT OR IGNORE INTO sizes VALUES ('1', ?, ?)", sku, sku)
  })(request.body)
  return { token: sign({ sub: "acme", gen: 1, exp: Date.now() / 1000 + 86_400 }) }
})

if (Number(seeded) > 0) {
  const sample = (at: number): OrderBody => ({
    external_order_id: `SEED-${at}`,
    shipments: [
      { location_id: "BLR1", lines: [1, 2, 3].map((n) => ({ sku: `SKU-${(at + n) % 500}`, quantity: 1, esp: 100 })) }
    ]
  })
  db.transaction(() => {
    for (let at = 0; at < Number(seeded); at++) {
      const order = sample(at)
      const id = `SEED${String(at).padStart(16, "0")}`
      run(
        "INSERT INTO shipments VALUES (?, ?, 'BLR1', 'placed', ?, 1, ?)",
        id,
        id,
        at,
        shipmentBody(id, order, order.shipments[0]?.lines ?? [])
      )
    }
  })()
}

const listening = await app.listen({ port: 0, host: "127.0.0.1" })
process.stdout.write(`listening on ${listening}\n`)
process.once("SIGTERM", () => process.exit(0))
