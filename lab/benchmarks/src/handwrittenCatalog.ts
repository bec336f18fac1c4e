/**
 * A handwritten program that creates products with Fastify, better-sqlite3 and Ajv. The schema for Ajv comes from stdin.
 * In one transaction, it stores the product, its sizes, a trace, and an audit record in a hash chain.
 */
import { createHash, randomBytes } from "node:crypto"
import { text } from "node:stream/consumers"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import Database from "better-sqlite3"
import fastify from "fastify"

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
const validate = ajv.compile(JSON.parse(await text(process.stdin)))

const db = new Database(process.argv[2] ?? ":memory:")
db.pragma("journal_mode = WAL")
db.pragma("synchronous = FULL")
db.exec(`
  CREATE TABLE products (id INTEGER PRIMARY KEY, item_code TEXT UNIQUE, brand TEXT, slug TEXT, body TEXT,
    UNIQUE (brand, slug));
  CREATE TABLE sizes (sku TEXT PRIMARY KEY, product INTEGER, body TEXT);
  CREATE TABLE traces (id TEXT PRIMARY KEY, body TEXT);
  CREATE TABLE audit (sequence INTEGER PRIMARY KEY, hash TEXT, body TEXT);
`)
const taken = db.prepare("SELECT 1 FROM products WHERE item_code = ? OR (brand = ? AND slug = ?)")
const takenSku = db.prepare("SELECT 1 FROM sizes WHERE sku = ?")
const putProduct = db.prepare("INSERT INTO products (item_code, brand, slug, body) VALUES (?, ?, ?, ?)")
const putSize = db.prepare("INSERT INTO sizes VALUES (?, ?, ?)")
const putTrace = db.prepare("INSERT INTO traces VALUES (?, ?)")
const head = db.prepare<[], { hash: string }>("SELECT hash FROM audit ORDER BY sequence DESC LIMIT 1")
const putAudit = db.prepare("INSERT INTO audit (hash, body) VALUES (?, ?)")

interface Product {
  readonly item_code: string
  readonly brand: string
  readonly slug: string
  readonly sizes: ReadonlyArray<{ readonly primary_identifier: string }>
}

const store = db.transaction((products: ReadonlyArray<Product>) => {
  const errors: Record<string, unknown> = {}
  for (const [index, product] of products.entries()) {
    const { brand, item_code, sizes, slug } = product
    if (taken.get(item_code, brand, slug) || sizes.some((size) => takenSku.get(size.primary_identifier))) {
      errors[index] = { index, code: "TAKEN" }
      continue
    }
    const { lastInsertRowid } = putProduct.run(item_code, brand, slug, JSON.stringify(product))
    for (const size of sizes) putSize.run(size.primary_identifier, lastInsertRowid, JSON.stringify(size))
  }
  const failed = Object.keys(errors).length
  const result = {
    trace_id: `${randomBytes(8).toString("hex")}-${Date.now()}`,
    total: products.length,
    success: products.length - failed,
    failed,
    status: failed === 0 ? "SUCCESS" : "PARTIAL_SUCCESS",
    errors,
    stage: "COMPLETED",
    company_id: 1
  }
  putTrace.run(result.trace_id, JSON.stringify(result))
  const body = JSON.stringify({ recorded_by: "acme", before: [], after: products, response: result })
  putAudit.run(
    createHash("sha256")
      .update(`${head.get()?.hash ?? ""}${body}`)
      .digest("hex"),
    body
  )
  return result
})

const app = fastify({ bodyLimit: 5 * 1024 * 1024 })
app.post<{ Body: { readonly products: ReadonlyArray<Product> } }>("/v3/catalog/product", (request, reply) => {
  const faults = request.body.products.flatMap((product) => (validate(product) ? [] : (validate.errors ?? [])))
  return faults.length > 0 ? reply.status(400).send({ errors: faults }) : reply.send(store(request.body.products))
})
process.stdout.write(`${await app.listen({ port: 0, host: "127.0.0.1" })}\n`)
