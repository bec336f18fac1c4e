import { describe, it } from "@effect/vitest"
import { assertTrue } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { basicOf, useHost } from "./TestHost.ts"
import { create } from "./TestOrders.ts"
import { path as products } from "./TestProducts.ts"

/** What fits into `size` characters. */
const times = (part: string, size: number, between = ""): string =>
  Array(Math.max(1, Math.floor(size / (part.length + between.length))))
    .fill(part)
    .join(between)

const numbered = (size: number, part: (at: number) => string, between = ","): string => {
  const length = part(100_000).length + between.length
  return Array.from({ length: Math.floor(size / length) }, (_, at) => part(100_000 + at)).join(between)
}

/** A list that just reaches the deepest level. */
const nested = (levels: number, inner: string): string => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`

type Shape = readonly [what: string, text: (size: number) => string]

const bodies: ReadonlyArray<Shape> = [
  ["a number of zeros between two ones", (size) => `[1${"0".repeat(size)}1]`],
  ["a fraction of zeros", (size) => `[0.${"0".repeat(size)}1]`],
  ["a number with an exponent of many digits", (size) => `[1e${"9".repeat(size)}]`],
  ["many huge exponents", (size) => `[${times("1e999", size, ",")}]`],
  ["many numbers that would lose digits", (size) => `[${times("12345678901234567", size, ",")}]`],
  ["many short numbers", (size) => `[${times("1", size, ",")}]`],
  ["signs and digits without a comma", (size) => `[${times("1-", size)}]`],
  ["nested up to the limit", (size) => `[${times(nested(31, ""), size, ",")}]`],
  ["opening brackets", (size) => "[".repeat(size)],
  ["a text of backslashes", (size) => `["${"\\\\".repeat(size / 2)}"]`],
  ["a text of escaped quotes", (size) => `["${'\\"'.repeat(size / 2)}"]`],
  ["a text of unicode escapes", (size) => `["${times("\\u0061", size)}"]`],
  ["a text that never ends", (size) => `["${'\\"'.repeat(size / 2)}`],
  ["many empty texts", (size) => `[${times('""', size, ",")}]`],
  ["many keys", (size) => `{${numbered(size, (at) => `"k${at}":1`)}}`],
  ["many keys that are numbers", (size) => `{${numbered(size, (at) => `"${at * 7}":1`)}}`],
  ["the same key many times", (size) => `{${times('"a":1', size, ",")}}`],
  ["escaped keys", (size) => `{${numbered(size, (at) => `"\\u0061${at}":{}`)}}`],
  ["deep and wide", (size) => `[${times(nested(30, '{"a":[1,2,3]}'), size, ",")}]`],
  ["white space", (size) => `[${" \n\t".repeat(size / 3)}]`]
]

/** Bodies of orders with many faults, or with many parts. */
const orders: ReadonlyArray<Shape> = [
  ["lines that are numbers", (size) => `{"shipments":[{"lines":[${times("0", size, ",")}]}]}`],
  ["lines that are empty", (size) => `{"shipments":[{"lines":[${times("{}", size, ",")}]}]}`],
  ["shipments that are empty", (size) => `{"shipments":[${times("{}", size, ",")}]}`],
  ["shipments with faulty lines", (size) => `{"shipments":[${times('{"lines":[0,0,0,0,0]}', size, ",")}]}`],
  ["lists in lists", (size) => `{"shipments":[${times('{"lines":[[],[],[]]}', size, ",")}]}`],
  ["payment methods that are numbers", (size) => `{"payment":{"methods":[${times("0", size, ",")}]}}`],
  ["free-form keys", (size) => `{"meta":{${numbered(size, (at) => `"k${at}":"v"`)}}}`],
  ["a free-form text too long", (size) => `{"meta":{"a":"${"x".repeat(size)}"}}`],
  ["a text too long", (size) => `{"external_order_id":"${"x".repeat(size)}"}`],
  ["a text of emoji", (size) => `{"external_order_id":"${"😀".repeat(size / 4)}"}`],
  ["an instant too long", (size) => `{"order_date":"2026-01-01T00:00:00.${"0".repeat(size)}Z"}`],
  ["an amount too long", (size) => `{"total_amount":1.${"0".repeat(size)}1}`],
  ["a GSTIN too long", (size) => `{"tax_info":{"gstin":"${"2".repeat(size)}"}}`],
  ["an e-mail address too long", (size) => `{"customer":{"name":"a","email":"${times("a@", size)}"}}`]
]

const address = `{"name":"a","phone":"1","address1":"a","city":"a","state":"a","pincode":"1","country":"India"}`

const orderOf = (lines: string): string =>
  `{"external_order_id":"${++ordersMade}","ordering_currency":"INR","payment":{"mode":"COD"},"billing_address":${address},"shipping_address":${address},"shipments":[{"external_shipment_id":"1","location_id":"BLR1","lines":[${lines}]}]}`

let ordersMade = 0

const longOrders: ReadonlyArray<Shape> = [
  ["lines of unknown SKUs", (size) => orderOf(numbered(size, (at) => `{"sku":"s${at}","quantity":1,"esp":1}`))],
  ["lines of one SKU", (size) => orderOf(times('{"sku":"71053","quantity":1,"esp":1}', size, ","))],
  [
    "lines with the same id",
    (size) => orderOf(times('{"sku":"71053","quantity":1,"esp":1,"external_line_id":"a"}', size, ","))
  ],
  ["lines with too many decimals", (size) => orderOf(times('{"sku":"71053","quantity":1,"esp":1.001}', size, ","))]
]

const product = (more: string): string =>
  `{"template":"apparel","products":[{"item_type":"standard","name":"a","item_code":"H1",${more}}]}`

const catalog: ReadonlyArray<Shape> = [
  ["a slug too long", (size) => product(`"slug":"${times("a-", size)}"`)],
  ["many products", (size) => `{"template":"apparel","products":[${times("{}", size, ",")}]}`],
  ["sizes that are numbers", (size) => product(`"sizes":[${times("0", size, ",")}]`)],
  ["sizes that are empty", (size) => product(`"sizes":[${times("{}", size, ",")}]`)],
  [
    "sizes with the same code",
    (size) => product(`"sizes":[${times('{"primary_identifier":"A","size":"M"}', size, ",")}]`)
  ],
  [
    "GTINs",
    (size) => product(`"sizes":[{"identifiers":[${times('{"gtin_type":"ean","gtin_value":"1"}', size, ",")}]}]`)
  ],
  ["departments", (size) => product(`"departments":[${numbered(size, (at) => `"${at}"`)}]`)],
  ["media", (size) => product(`"media":[${times('{"type":"image","url":"http://x/"}', size, ",")}]`)],
  ["attributes", (size) => product(`"attributes":{${numbered(size, (at) => `"k${at}":"v"`)}}`)],
  ["an HS code too long", (size) => product(`"hs_code":"${"6".repeat(size)}"`)],
  ["a date too long", (size) => product(`"attributes":{"launched":"2026-01-0${"1".repeat(size)}"}`)],
  ["tags", (size) => product(`"tags":[${numbered(size, (at) => `"t${at}"`)}]`)]
]

const log = (payload: string): string =>
  `{"log_meta":{"entity":{"type":"t","id":"i","action":"a"}},"log_payload":${payload}}`

const logs: ReadonlyArray<Shape> = [
  ["secret names", (size) => log(`{${numbered(size, (at) => `"password${at}":"v"`)}}`)],
  ["names of underscores", (size) => log(`{${numbered(size, (at) => `"_-_-_-_-_-${at}":1`)}}`)],
  ["lists of texts", (size) => log(`{"a":[${numbered(size, (at) => `"${at}"`)}]}`)],
  [
    "a user agent too long",
    (size) =>
      `{"log_meta":{"entity":{},"device_info":{"user_agent":"${times("Mozilla/5.0 (", Math.min(size, 19_000))}"}},"log_payload":{}}`
  ]
]

const form: ReadonlyArray<Shape> = [
  ["many fields", (size) => numbered(size, (at) => `k${at}=1`, "&")],
  ["the same field many times", (size) => times("a=1", size, "&")],
  ["escapes", (size) => `a=${times("%41", size)}`],
  ["broken escapes", (size) => `a=${times("%", size)}`],
  ["separators", (size) => "&=".repeat(size / 2)],
  ["plus signs", (size) => `a=${"+".repeat(size)}`]
]

/** Values of a query or a header; a URL and a header have at most 16 KiB. */
const short: ReadonlyArray<Shape> = [
  ["one letter", (size) => "a".repeat(size)],
  ["spaces", (size) => `a${"%20".repeat(size / 3)}`],
  ["words", (size) => times("a%20", size)],
  ["quotes", (size) => "%22".repeat(size / 3)],
  ["backslashes in a phrase", (size) => `%22${"%5c".repeat(size / 3)}`],
  ["pairs", (size) => times("entity.id:a%20", size)],
  ["colons", (size) => "a:".repeat(size / 2)],
  ["JSON", (size) => `{${numbered(size, (at) => `%22${at}%22:1`)}}`],
  ["commas", (size) => ",".repeat(size)],
  ["dots", (size) => "a.".repeat(size / 2)],
  ["hyphens", (size) => "a-".repeat(size / 2)],
  ["a day", (size) => `01-01-2026${"0".repeat(size)}`],
  ["escapes", (size) => "%41".repeat(size / 3)],
  ["parameters", (size) => numbered(size, (at) => `1&k${at}=1`, "")],
  ["the same parameter", (size) => times("1&qs=a&skus=a&limit=1", size, "&")]
]

/**
 * The quickest of some runs, in milliseconds, or the first one that is quick enough: other work of the machine only makes runs
 * slower.
 */
const quickest = async (run: () => Promise<unknown>, enough = 0): Promise<number> => {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && best > enough; attempt++) {
    const started = processorMillis()
    await run()
    best = Math.min(best, processorMillis() - started)
  }
  return best
}

/** The most milliseconds for a body of 1 MiB, with room for a machine that does other work too. */
const mostMillis = 900

// Another process may take the processor during a measurement; input in quadratic time fails every time.
describe("input of callers who mean harm", { retry: 2 }, () => {
  const host = useHost()

  /**
   * For sixteen times the size, linear work takes sixteen times as long and quadratic work 256 times. Less than 5 ms says
   * more about the machine than about the work.
   */
  const grows = async (
    shapes: ReadonlyArray<Shape>,
    size: number,
    bound: number,
    run: (text: string) => Promise<unknown>
  ) => {
    const found: Array<string> = []
    for (const [what, textOf] of shapes) {
      const [short, long] = [textOf(size / 16), textOf(size)]
      const before = await quickest(() => run(short))
      const most = Math.min(bound, 64 * Math.max(before, 5))
      const took = await quickest(() => run(long), most)
      if (took > most) found.push(`${what}: ${took.toFixed(0)} ms, and ${before.toFixed(1)} ms for a sixteenth`)
    }
    assertTrue(found.length === 0, found.join("\n"))
  }

  const ofBody = 1_000_000
  const ofHeader = 16_000

  const token = { seller: "", marketplace: "", platform: "" }

  beforeAll(async () => {
    token.seller = await host.tokenOf("/aggregator/v1/token", "acme")
    token.marketplace = await host.tokenOf("/auth/bazaar/token", "bazaar")
    const headers = { authorization: basicOf("ops", "ops-secret"), "content-type": "application/json" }
    const { body } = await host.send("POST", signIn, headers, '{"grant_type":"client_credentials"}')
    token.platform = body.access_token ?? ""
  })

  const signIn = "/service/panel/authentication/v1.0/company/1/oauth/token"
  const audit = "/service/platform/audit-trail/v1.0/company/1/logs"

  const headersOf = (path: string) => ({
    "x-access-token": path.startsWith("/order/") ? token.marketplace : token.seller,
    ...(path.startsWith("/service/platform") ? { authorization: `Bearer ${token.platform}` } : {})
  })

  const answered = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const { status, text } = await host.send(method, path, { ...headersOf(path), ...headers }, body)
    assertTrue(status < 500, `${status} ${text}`)
  }

  const posted =
    (path: string, type = "application/json") =>
    (body: string) =>
      answered("POST", path, { "content-type": type, "content-length": String(Buffer.byteLength(body)) }, body)

  it("the time for a body grows with its size, whatever JSON it is", () =>
    grows(bodies, ofBody, mostMillis, posted(create)))

  it("the time for an order grows with its size, however many faults it has", () =>
    grows(orders, ofBody, mostMillis, posted(create)))

  it("the time for an order without faults of form grows with its size", () =>
    grows(longOrders, ofBody, 2 * mostMillis, posted(create)))

  it("the time for products grows with their size, however many faults they have", () =>
    grows(catalog, ofBody, mostMillis, posted(products)))

  it("the time for a form grows with its size", () =>
    grows(form, ofBody, mostMillis, posted(signIn, "application/x-www-form-urlencoded")))

  it("the time for a query grows with its length", () =>
    grows(short, ofHeader, 100, async (text) => {
      await answered("GET", `${audit}?qs=${text}`, {})
      await answered("GET", `/ims/v3/listings?skus=${text}`, {})
      await answered("GET", `/v3/catalog/taxes/hscodes?search=${text}`, {})
      await answered("GET", `/oms/v3/shipment?orderDateFrom=${text}`, {})
    }))

  it("the time for a header grows with its length", () =>
    grows(short, ofHeader, 100, async (text) => {
      const encoded = Buffer.from(text).toString("base64")
      for (const [name, value] of [
        ["authorization", `Basic ${encoded}`],
        ["authorization", `Bearer ${text}`],
        ["x-access-token", text],
        ["x-access-token", times(`${encoded.slice(0, 10)}.`, text.length)],
        ["x-access-token", `${encoded.replaceAll("=", "")}.e30.AAAA`],
        ["user-agent", text],
        ["accept", text],
        ["cookie", text],
        ["content-type", `application/json${" ".repeat(text.length)}x`],
        ["x-request-id", text],
        ["idempotency-key", text]
      ] as const)
        await answered(name === "authorization" ? "GET" : "PUT", name === "authorization" ? audit : "/ims/v3/price", {
          [name]: value
        })
    }))

  it("the time for a stated log grows with its size", () => grows(logs, ofBody, mostMillis, posted(audit)))
})
