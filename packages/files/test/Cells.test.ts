import { SellerApi } from "@crossdock/http"
import { deepStrictEqual } from "@effect/vitest/utils"
import { OpenApi } from "effect/http-api"
import { it } from "vitest"
import * as Cells from "../src/Cells.ts"

interface Json {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Json>
  readonly items?: Json
  readonly properties?: Readonly<Record<string, Json>>
}

const schemas = OpenApi.fromApi(SellerApi).components.schemas as unknown as Readonly<Record<string, Json>>

/** The names of the fields of these types, anywhere in the records that are imported. */
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
