/**
 * A handwritten program that does the same work as Crossdock on PostgreSQL, with Fastify, Ajv and pg.
 *
 * It uses sets instead of loops, and prepared statements. It locks the company's row late. Its processes share a database.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import pg from "pg"
import { confirmSchema, sameOrder, stockSchema } from "./handwrittenSchemas.ts"

const [url = "", key = ""] = process.argv.slice(2)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: url, max: 10 })

const names = new Map<string, string>()
/** Prepares a statement once per connection, under a name. */
const prepared = (text: string, values: ReadonlyArray<unknown>) => {
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return { name, text, values: [...values] }
}

type Query = <A extends pg.QueryResultRow>(text: string, ...values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<A>>

const transaction = async <A>(work: (query: Query) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  const query: Query = async (text, ...values) => (await client.query(prepared(text, values))).rows
  try {
    await client.query("BEGIN")
    const answer = await work(query)
    await client.query("COMMIT")
    return answer
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  } finally {
    client.release()
  }
}

const seal = (text: string) => createHmac("sha256", key).update(text).digest("base64url")
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const newId = () => randomBytes(12).toString("hex")

/** Checks signature, time and account, as any program does first. */
const isKnown = async (token: string): Promise<boolean> => {
  const end = token.lastIndexOf(".")
  const [sent, right] = [Buffer.from(token.slice(end + 1)), Buffer.from(seal(token.slice(0, end)))]
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return false
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
  const { rows } = await pool.query(
    prepared("SELECT generation FROM accounts WHERE name = $1 AND enabled", [claims.sub])
  )
  return claims.exp > Date.now() / 1000 && rows[0]?.generation === claims.gen
}

interface Head {
  readonly sequence: number
  readonly hash: string
  readonly events: number
}

const lock = async (query: Query, company: number): Promise<Head> => {
  const [head] = await query<Head & pg.QueryResultRow>(
    "SELECT sequence, hash, events FROM companies WHERE id = $1 FOR UPDATE",
    company
  )
  if (head === undefined) throw new Error("unknown company")
  return head
}

const record = async (query: Query, company: number, head: Head, entity: string, logs: unknown) => {
  const body = JSON.stringify({ _id: newId(), at: Date.now(), entity, recorded_by: "acme", logs })
  const hash = createHash("sha256").update(`${head.hash}${body}`).digest("hex")
  const sequence = head.sequence + 1
  await query(
    "UPDATE companies SET sequence = $2, hash = $3, events = events + 1 WHERE id = $1",
    company,
    sequence,
    hash
  )
  await query("INSERT INTO audit VALUES ($1, $2, $3, $4, $5)", company, sequence, Date.now(), hash, body)
  await query("INSERT INTO events VALUES ($1, $2, $3, $4)", company, head.events + 1, sequence, JSON.stringify(logs))
}

const movements = (query: Query, company: number, sequence: number, lines: unknown) =>
  query("INSERT INTO movements VALUES ($1, $2, $3, $4)", company, sequence, Date.now(), JSON.stringify(lines))

interface StockRecord {
  readonly location_id: string
  readonly sku: string
  readonly quantity: number
}

const columns = (records: ReadonlyArray<StockRecord>) =>
  [records.map((_) => _.location_id), records.map((_) => _.sku), records.map((_) => _.quantity)] as const

const setStock = (company: number, records: ReadonlyArray<StockRecord>) =>
  transaction(async (query) => {
    const sorted = [...records].sort((a, b) => (a.sku < b.sku ? -1 : 1))
    const [locations, skus, quantities] = columns(sorted)
    if (new Set(skus.map((sku, at) => `${locations[at]} ${sku}`)).size < skus.length) throw new Error("twice")
    const known = await query(
      "SELECT s.sku FROM unnest($2::text[]) r (sku) JOIN sizes s ON s.company = $1 AND s.sku = r.sku",
      company,
      skus
    )
    if (known.length < skus.length) throw new Error("unknown SKU")
    const levels = await query<{ location: string; sku: string; on_hand: number }>(
      `SELECT l.location, l.sku, l.on_hand FROM unnest($2::text[], $3::text[]) r (location, sku)
        JOIN levels l ON l.company = $1 AND l.location = r.location AND l.sku = r.sku ORDER BY l.sku FOR UPDATE OF l`,
      company,
      locations,
      skus
    )
    const was = new Map(levels.map(({ location, on_hand, sku }) => [`${location} ${sku}`, on_hand]))
    const before = sorted.map(({ location_id, sku }) => was.get(`${location_id} ${sku}`) ?? 0)
    const head = await lock(query, company)
    await query(
      `INSERT INTO levels SELECT $1, r.location, r.sku, r.quantity, 0, 1, $5
        FROM unnest($2::text[], $3::text[], $4::bigint[]) r (location, sku, quantity)
        ON CONFLICT (company, location, sku) DO UPDATE
        SET on_hand = excluded.on_hand, version = levels.version + 1, sequence = excluded.sequence`,
      company,
      locations,
      skus,
      quantities,
      head.sequence + 1
    )
    const moved = sorted.map((_, at) => [_.location_id, _.sku, _.quantity - (before[at] ?? 0), 0, "set"])
    await movements(query, company, head.sequence + 1, moved)
    await record(query, company, head, "inventory", { request: records, before })
  })

interface Line {
  readonly sku: string
  readonly quantity: number
  readonly esp: number
}

interface OrderBody {
  readonly external_order_id: string
  readonly shipments: ReadonlyArray<{ readonly location_id: string; readonly lines: ReadonlyArray<Line> }>
}

const conflict = (message: string) => Object.assign(new Error(message), { statusCode: 409 })

/** The company of a location, whose code contains the company's number. BLR1 belongs to company 1. */
const companyOf = (location: string) => (location === "BLR1" ? 1 : Number(location.slice(1)))

const placeOrder = (order: OrderBody) =>
  transaction(async (query) => {
    const id = newId()
    const [placed] = await query(
      "INSERT INTO orders VALUES ($1, $2, $3) ON CONFLICT (external_id) DO NOTHING RETURNING id",
      id,
      order.external_order_id,
      JSON.stringify(order)
    )
    if (placed === undefined) {
      const [known] = await query("SELECT id FROM orders WHERE external_id = $1", order.external_order_id)
      return { platform_order_id: known?.id }
    }
    const shipments: Array<{ readonly shipment_id: string }> = []
    for (const [at, { lines, location_id }] of order.shipments.entries()) {
      const company = companyOf(location_id)
      const sorted = [...lines].sort((a, b) => (a.sku < b.sku ? -1 : 1))
      const skus = sorted.map(({ sku }) => sku)
      const found = await query<{ sku: string; title: string; free: number }>(
        `SELECT s.sku, s.title, l.on_hand - l.reserved AS free FROM levels l
          JOIN sizes s ON s.company = l.company AND s.sku = l.sku
          WHERE l.company = $1 AND l.location = $2 AND l.sku = ANY ($3) ORDER BY l.sku FOR UPDATE OF l`,
        company,
        location_id,
        skus
      )
      const stock = new Map(found.map((level) => [level.sku, level]))
      for (const { quantity, sku } of sorted) if ((stock.get(sku)?.free ?? 0) < quantity) throw conflict("short")
      const items = sorted.map((line) => {
        const esp = Math.round(line.esp * 100)
        return { ...line, id: newId(), title: stock.get(line.sku)?.title, esp, total: esp * line.quantity }
      })
      const shipment = `${Date.now()}${randomBytes(4).readUInt32BE(0)}${at}`
      shipments.push({ shipment_id: shipment })
      const head = await lock(query, company)
      await query(
        `UPDATE levels SET reserved = reserved + r.quantity, version = version + 1, sequence = $5
          FROM unnest($3::text[], $4::bigint[]) r (sku, quantity)
          WHERE levels.company = $1 AND levels.location = $2 AND levels.sku = r.sku`,
        company,
        location_id,
        skus,
        sorted.map(({ quantity }) => quantity),
        head.sequence + 1
      )
      const moved = sorted.map(({ quantity, sku }) => [location_id, sku, 0, quantity, "reserve", shipment])
      await movements(query, company, head.sequence + 1, moved)
      await query(
        "INSERT INTO shipments VALUES ($1, $2, $3, $4, 'placed', $5, 1, $6)",
        shipment,
        company,
        id,
        location_id,
        Date.now(),
        JSON.stringify({
          id: shipment,
          order: order.external_order_id,
          status: "placed",
          items,
          order_details: order,
          events: [{ status: "placed", at: Date.now() }]
        })
      )
      await record(query, company, head, "order", { request: order.external_order_id, response: shipment })
    }
    return { platform_order_id: id, shipments }
  })

const confirm = (company: number, records: ReadonlyArray<{ readonly orderId: string }>) =>
  transaction(async (query) => {
    const ids = records.map(({ orderId }) => orderId).sort()
    const found = await query<{ id: string; body: string; version: number; status: string }>(
      "SELECT id, body, version, status FROM shipments WHERE company = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE",
      company,
      ids
    )
    if (found.length < ids.length || found.some(({ status }) => status !== "placed")) throw conflict("not placed")
    const bodies = found.map(({ body }) => {
      const shipment = JSON.parse(body)
      shipment.status = "bag_confirmed"
      shipment.events.push({ status: "bag_confirmed", at: Date.now() })
      return JSON.stringify(shipment)
    })
    const head = await lock(query, company)
    await query(
      `UPDATE shipments SET status = 'bag_confirmed', version = version + 1, body = r.body
        FROM unnest($2::text[], $3::text[]) r (id, body) WHERE shipments.company = $1 AND shipments.id = r.id`,
      company,
      found.map(({ id }) => id),
      bodies
    )
    await record(query, company, head, "shipment", { confirm: records })
  })

const app = fastify({ bodyLimit: 1024 * 1024 })
app.addHook("onRequest", async (request: FastifyRequest, reply: FastifyReply) => {
  const token = request.headers["x-access-token"]
  if (typeof token !== "string" || !(await isKnown(token))) await reply.code(401).send({ message: "no valid token" })
})
app.put<{ Body: ReadonlyArray<StockRecord> }>(
  "/ims/v3/inventory",
  { schema: { body: stockSchema } },
  async ({ body }) => {
    await setStock(companyOf(body[0]?.location_id ?? ""), body)
    return {
      data: { payload_count: body.length, success_count: body.length, failed_count: 0, errors: [] },
      meta: { ack_id: newId(), integrationId: "x", time: new Date().toISOString(), status: "SUCCESS" }
    }
  }
)
app.post<{ Body: OrderBody }>("/order/api/v1/bazaar/create", { schema: { body: sameOrder } }, ({ body }) =>
  placeOrder(body)
)
app.post<{ Body: ReadonlyArray<{ readonly orderId: string }> }>(
  "/oms/v3/shipment/confirm",
  { schema: { body: confirmSchema } },
  async ({ body }) => {
    await confirm(companyOf("BLR1"), body)
    return { payloadCount: body.length, successCount: body.length, failedCount: 0, status: "SUCCESS", errors: [] }
  }
)

const listening = await app.listen({ port: 0, host: "127.0.0.1" })
const token = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: "acme", gen: 1, exp: Date.now() / 1000 + 86_400 })}`
process.stdout.write(`listening on ${listening} ${token}.${seal(token)}\n`)
process.once("SIGTERM", () => process.exit(0))
