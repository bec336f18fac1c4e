import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { CatalogImport } from "@crossdock/catalog"
import { SellerClient } from "@crossdock/client"
import { Export, Import, Lines } from "@crossdock/files"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Effect, Stream } from "effect"
import { beforeAll } from "vitest"
import * as Wire from "../../client/test/Wire.ts"
import { useHost } from "../../http/test/TestHost.ts"
import { product, size } from "../../http/test/TestProducts.ts"

const host = useHost()

const skus = Array.from({ length: 500 }, (_, i) => `FILE-${i}`)

beforeAll(async () => {
  const caller = { principal: { kind: "system", id: "test" }, requestId: null } as const
  const products = Array.from({ length: 5 }, (_, i) =>
    product(`FILE-${i}`, { sizes: skus.slice(i * 100, i * 100 + 100).map((sku) => size(sku)) })
  )
  await host.run(
    Effect.flatMap(CatalogImport.CatalogImport, (catalog) =>
      catalog.products(caller, CompanyId.make(1), [{ template: "apparel", products }])
    )
  )
})

const seller = () => {
  const wire = Wire.to(host)
  return Effect.map(Wire.over(wire)(SellerClient.make(Wire.account)), (client) => ({ client, run: Wire.over(wire) }))
}

/** In pieces of a byte, which end within characters. */
async function* pieces(text: string, length = 1) {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length)
}

const read = async (format: Lines.Format, text: string) => {
  const lines = []
  for await (const line of Lines.read(format, pieces(text))) lines.push(line)
  return lines
}

describe("a file of CSV", () => {
  it("has a record a row, and each record's line", async () => {
    deepStrictEqual(
      await read("csv", '\uFEFFlocation_id,sku,quantity\r\nBLR1,"A ""1"", é\nx",7\r\n\r\nBOM1,00123,-2\r\n'),
      [
        { line: 2, record: { location_id: "BLR1", sku: 'A "1", é\nx', quantity: 7 } },
        { line: 5, record: { location_id: "BOM1", sku: "00123", quantity: -2 } }
      ]
    )
  })

  it("has nested fields by their paths; cells that are empty are absent", async () => {
    deepStrictEqual(
      await read(
        "csv",
        "name,tax_identifier.tax_rule_id,sizes.0.price,sizes.1.price,is_set,attributes.color,attributes.pages,attributes.code\n" +
          'Tee,gst-12,,499.5,false,Black,7,"""007"""\n'
      ),
      [
        {
          line: 2,
          record: {
            name: "Tee",
            tax_identifier: { tax_rule_id: "gst-12" },
            sizes: [{ price: 499.5 }],
            is_set: false,
            attributes: { color: "Black", pages: 7, code: "007" }
          }
        }
      ]
    )
  })

  it("says which line has other cells than columns, and goes on", async () => {
    const lines = await read("csv", "sku,quantity\nA,1,2\nB,2\n")
    deepStrictEqual(
      lines.map(({ fault, line }) => [line, fault?.slice(0, 20)]),
      [
        [2, "The line has 3 cells"],
        [3, undefined]
      ]
    )
  })

  it("can't be read on from a quote that nobody closed", async () => {
    const lines = await read("csv", 'sku,quantity\nA,1\n"B,2\nC,3\n')
    deepStrictEqual(
      lines.map(({ fault, line }) => [line, fault === undefined]),
      [
        [2, true],
        [3, false]
      ]
    )
  })

  it("is rejected when its columns contradict each other or name a list index above 999", async () => {
    deepStrictEqual(await read("csv", 'attributes,attributes.color\nplain,Black\n"{}",Blue\n'), [
      { line: 1, fault: 'The columns "attributes" and "attributes.color" can\'t both have a value.' }
    ])
    deepStrictEqual(await read("csv", "sku,sizes.5000000000.price\nA,1\n"), [
      { line: 1, fault: 'The column "sizes.5000000000.price" is not the path of a field.' }
    ])
  })

  it("has no column of more levels than a body has", async () => {
    const column = (steps: number) => Array.from({ length: steps }, () => "a").join(".")
    strictEqual((await read("csv", `${column(32)}\n1\n`))[0]?.fault, undefined)
    for (const steps of [33, 100_000]) {
      const [line] = await read("csv", `${column(steps)}\n1\n`)
      assertTrue(line?.fault?.endsWith("is not the path of a field.") === true, line?.fault?.slice(0, 100))
    }
  })

  it("has no column twice, and none that reaches into every object", async () => {
    strictEqual((await read("csv", "sku,sku\nA,B\n"))[0]?.fault, 'The column "sku" is there twice.')
    strictEqual(
      (await read("csv", "sku,a.__proto__.b\nA,B\n"))[0]?.fault,
      'The column "a.__proto__.b" is not the path of a field.'
    )
  })
})

it("a JSON line is read in time that grows with its length, however small the pieces that it comes in", async () => {
  const piece = new TextEncoder().encode("x".repeat(256))
  async function* pieces() {
    yield '{"sku":"'
    for (let n = 0; n < 65_536; n++) yield piece
    yield '"}'
  }
  const lengths: Array<unknown> = []
  for await (const line of Lines.read("jsonl", pieces())) {
    lengths.push("record" in line ? JSON.stringify(line.record).length : line)
  }
  deepStrictEqual(lengths, [65_536 * 256 + 10])
})

it("a file of JSON lines has a record a line, and says which line is not JSON", async () => {
  deepStrictEqual(await read("jsonl", '{"sku":"é"}\n\n{"sku":\n{"sku":"B"}'), [
    { line: 1, record: { sku: "é" } },
    { line: 3, fault: "The line is not JSON." },
    { line: 4, record: { sku: "B" } }
  ])
})

describe("an import", () => {
  it.live("reports each line that failed, whatever it failed at", () =>
    Effect.gen(function* () {
      const { client, run } = yield* seller()
      const rows = Array.from({ length: 1_000 }, (_, i) => `${i < 500 ? "BLR1" : "BOM1"},${skus[i % 500]},${i % 9}`)
      rows[10] = "BLR1,NO-SUCH,1"
      rows[700] = "BOM1,FILE-1"
      rows[999] = "BOM1,FILE-2,many"
      const lines = Lines.read("csv", pieces(`location_id,sku,quantity\n${rows.join("\n")}\n`, 1_000))
      const steps = yield* run(Stream.runCollect(Import.run(lines, (records) => client.parts.stock.update(records))))
      strictEqual(
        steps.reduce((sum, { lines }) => sum + lines, 0),
        1_000
      )
      deepStrictEqual(
        steps.flatMap(({ failed }) => failed.map(({ code, line }) => [line, code])),
        [
          [12, "UNKNOWN_SKU"],
          [702, "INVALID_LINE"],
          [1_001, "INVALID_RECORD"]
        ]
      )
      const [head, first] = (Export.reportHead + Export.report(steps.flatMap(({ failed }) => failed))).split("\n")
      deepStrictEqual([head, first?.startsWith("12,UNKNOWN_SKU,")], ["line,code,message", true])
    })
  )

  it.live("of products makes them as their columns say", () =>
    Effect.gen(function* () {
      const { client, run } = yield* seller()
      const { attributes, departments, sizes, tax_identifier, trader, ...flat } = product("CSV-1")
      const row: Record<string, unknown> = {
        ...flat,
        "departments.0": departments[0],
        "tax_identifier.tax_rule_id": tax_identifier.tax_rule_id,
        "sizes.0.primary_identifier": sizes[0]?.primary_identifier,
        "sizes.0.size": "M",
        "sizes.0.price": 799,
        "sizes.0.price_effective": 499.5,
        "trader.0.type": "Seller",
        "trader.0.name": trader[0]?.name,
        "trader.0.address.0": "1 Market Road",
        "attributes.color": attributes.color,
        "attributes.material": attributes.material
      }
      const lines = Lines.read("csv", pieces(`${Object.keys(row)}\n${Object.values(row)}\n`))
      const steps = yield* run(
        Stream.runCollect(
          Import.run(lines, (records) => client.parts.products.create(records, { payload: { template: "apparel" } }))
        )
      )
      deepStrictEqual(steps, [{ lines: 1, failed: [] }])
    })
  )

  it.live("of 100,000 lines takes no more memory than one of 20,000", () =>
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collect: () => void = runInNewContext("gc")
      const { client, run } = yield* seller()
      const heap: Array<number> = []
      async function* file() {
        yield "location_id,sku,quantity\n"
        for (let i = 0; i < 100_000; i++) {
          if (i % 20_000 === 19_999) {
            collect()
            heap.push(process.memoryUsage().heapUsed)
          }
          yield `BLR1,${i % 500 === 7 ? "NO-SUCH" : skus[i % 500]},${i % 100}\n`
        }
      }
      const done = yield* run(
        Stream.runFold(
          Import.run(Lines.read("csv", file()), (records) => client.parts.stock.update(records)),
          () => ({ lines: 0, failed: 0 }),
          (all, { failed, lines }) => ({ lines: all.lines + lines, failed: all.failed + failed.length })
        )
      )
      deepStrictEqual(done, { lines: 100_000, failed: 200 })
      const [first = 0, ...later] = heap
      const growth = Math.max(...later) - first
      assertTrue(growth < 8 * 1024 * 1024, `${Math.round(growth / 1024)} KB`)
    })
  )
})

describe("an export", () => {
  it.live("of stock can be imported again", () =>
    Effect.gen(function* () {
      const { client, run } = yield* seller()
      yield* run(client.stock.update({ payload: [{ location_id: "BLR1", sku: "85123A", quantity: 4 }] }))
      const rows = client.pages.listings.page({ query: { skus: ["85123A"] } })
      const text = (yield* run(Stream.runCollect(Export.csv(rows, ["location_id", "sku", "quantity"])))).join("")
      strictEqual(text, "location_id,sku,quantity\nBLR1,85123A,4\n")
      deepStrictEqual(yield* Effect.promise(() => read("csv", text)), [
        { line: 2, record: { location_id: "BLR1", sku: "85123A", quantity: 4 } }
      ])
    })
  )

  it.live("gives back each text when it is read, also those that a spreadsheet would run as formulas", () =>
    Effect.gen(function* () {
      const columns = ["sku", "size", "attributes.color", "quantity"]
      const records = ["=1+1", "+91", "-5", "@a", "\ta", "\ra", "'=1", "''a", 'a "b", c', "a\r\nb", "a\rb"].map(
        (text) => ({
          sku: text,
          size: text,
          attributes: { color: text },
          quantity: -2
        })
      )
      const file = (yield* Stream.runCollect(Export.csv(Stream.fromIterable(records), columns))).join("")
      const lines = yield* Effect.promise(() => read("csv", file))
      deepStrictEqual(
        lines.map(({ record }) => record),
        records
      )
      const report = Export.report([{ line: 2, code: "UNKNOWN_SKU", message: "=1+1 is no SKU" }])
      strictEqual(report, "2,UNKNOWN_SKU,'=1+1 is no SKU\n")
    })
  )

  it.live("of products as JSON lines has each product whole", () =>
    Effect.gen(function* () {
      const { client, run } = yield* seller()
      const text = (yield* run(
        Stream.runCollect(Export.jsonl(client.pages.catalog.products({ query: { slug: "shirt-85123a" } })))
      )).join("")
      const [line] = yield* Effect.promise(() => read("jsonl", text))
      strictEqual((line?.record as { item_code?: string } | undefined)?.item_code, "85123A")
    })
  )
})
