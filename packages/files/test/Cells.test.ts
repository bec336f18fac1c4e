import { SellerApi } from "@crossdock/http"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { OpenApi } from "effect/http-api"
import fc from "fast-check"
import { it } from "vitest"
import { runs } from "../../kernel/test/runs.ts"
import * as Cells from "../src/Cells.ts"

interface Json {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Json>
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
}

const schemas = OpenApi.fromApi(SellerApi).components.schemas as unknown as Readonly<Record<string, Json>>

/** The names of these types' fields, anywhere in the imported records. */
const fieldsOf = (types: ReadonlyArray<string>): ReadonlyArray<string> => {
  const typesOf = ({ anyOf, type }: Json): ReadonlyArray<string | undefined> => anyOf?.flatMap(typesOf) ?? [type]
  const inside = ({ $ref, anyOf = [], items, properties = {} }: Json): ReadonlyArray<string> => [
    ...($ref === undefined ? [] : inside(schemas[$ref.split("/").at(-1) ?? ""] ?? {})),
    ...anyOf.flatMap(inside),
    ...(items === undefined ? [] : inside(items)),
    ...Object.entries(properties).flatMap(([name, one]) => [
      ...(typesOf(one).some((type) => type !== undefined && types.includes(type)) ? [name] : []),
      ...inside(one)
    ])
  ]
  const records = ["StockRecord", "PriceRecord", "ProductCreate"]
  return [...new Set(records.flatMap((name) => inside(schemas[name] ?? {})))].toSorted()
}

it("cells are numbers, and true or false, where the OpenAPI document has such fields", () => {
  deepStrictEqual([...Cells.numbers].toSorted(), fieldsOf(["number", "integer"]))
  deepStrictEqual([...Cells.flags].toSorted(), fieldsOf(["boolean"]))
})

it("a record that is written and read again is the same", () => {
  const one = { sku: "00123", quantity: 7, is_set: true, attributes: { a: "007", b: 7, c: true, d: "x", e: ["1", 2] } }
  const columns = [
    "sku",
    "quantity",
    "is_set",
    "attributes.a",
    "attributes.b",
    "attributes.c",
    "attributes.d",
    "attributes.e"
  ]
  deepStrictEqual(Cells.record(columns, Cells.cells(columns, one)), one)
})

const leaves = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value]

it("every cell of a row appears once in its record, unless the columns are rejected", () => {
  const step = fc.constantFrom(
    "sizes",
    "attributes",
    "0",
    "1",
    "01",
    "999",
    "5000000000",
    "toString",
    "length",
    "color"
  )
  const column = fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("."))
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 4 }), (columns) => {
      if (Cells.columnFault(columns) !== undefined) return
      const texts = columns.map((_, index) => `cell ${index}`)
      deepStrictEqual([...leaves(Cells.record(columns, texts))].toSorted(), texts)
    }),
    { numRuns: runs(2_000) }
  )
})

it("columns may name lists, objects and lists of objects", () => {
  const columns = ["sku", "departments.0", "sizes.0.price", "sizes.1.price", "sizes.999.size", "attributes.color"]
  strictEqual(Cells.columnFault(columns), undefined)
})

it("a column reads only the record's own fields, never inherited ones or parts of a text", () => {
  deepStrictEqual(Cells.cells(["toString", "sku.0", "sku.length", "sizes.length"], { sku: "A1", sizes: [1] }), [
    "",
    "",
    "",
    ""
  ])
})

const formula = /^\s*[=+\-@\t\r]/

const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc
    .tuple(
      fc.stringOf(fc.constantFrom("'", "=", "+", "-", "@", "\t", "\r", "\n", "7", '"'), { minLength: 1 }),
      fc.string()
    )
    .map((parts) => parts.join(""))
)

it("a text is never a formula in a spreadsheet, and is the same when it is read again", () => {
  fc.assert(
    fc.property(fc.constantFrom("sku", "attributes.color", "sizes.0.size"), text, (column, value) => {
      const one = Cells.record([column], ["x"])
      const written = JSON.parse(JSON.stringify(one).replace('"x"', () => JSON.stringify(value)))
      const [cell = ""] = Cells.cells([column], written)
      assertTrue(!formula.test(cell), cell)
      deepStrictEqual(Cells.record([column], [cell]), written)
    }),
    { numRuns: runs(2_000) }
  )
})

it("a negative number is written as a number, not escaped like a formula", () => {
  const one = { quantity: -2, attributes: { offset: -7 } }
  const columns = ["quantity", "attributes.offset"]
  deepStrictEqual(Cells.cells(columns, one), ["-2", "-7"])
  deepStrictEqual(Cells.record(columns, ["-2", "-7"]), one)
})
