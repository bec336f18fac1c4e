import { JsonSchema, ProductForm, ProductShapeCheck } from "@crossdock/catalog"
import {
  referenceData as data,
  referenceIndex as index,
  productInput as input,
  sizeInput as size
} from "@crossdock/catalog/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"

const ajv = new Ajv2020({ strict: false, allErrors: false })
formats.default(ajv)

const operations = ["create", "update"] as const
const validators = {
  create: ajv.compile(JsonSchema.product(index, "create", "apparel", "T-Shirts")),
  update: ajv.compile(JsonSchema.product(index, "update", "apparel", "T-Shirts"))
}

/** Whether these are faults only by rules that JSON Schema can't express. Unknown names are reported only beside other faults. */
const onlyOthers = (codes: ReadonlyArray<string>) =>
  codes.every((code) => code === "PRICE_EFFECTIVE_ABOVE_PRICE" || code.startsWith("UNKNOWN_"))

/** Values that are right in some fields and wrong in others. */
const values: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  -1,
  1,
  2,
  3,
  101,
  0.5,
  19.9,
  95.5,
  95.6,
  1e12,
  1e12 + 1,
  2 ** 53,
  -1e300,
  "",
  "Black",
  "black",
  "Spring",
  "Yes",
  "standard",
  "Manufacturer",
  "2024-02-29",
  "2023-02-29",
  "2100-02-29",
  "2000-02-29",
  "2026-00-10",
  "2026-13-10",
  "2026-04-31",
  "2026-01-31T09:00:00Z",
  "2026-02-30T09:00:00Z",
  "2026-01-31T24:00:00Z",
  "2026-01-31T09:00:00+05:30",
  "2026-01-31 09:00:00Z",
  "2026-01-31T09:00:60Z",
  "AB-1234",
  "ab-1234",
  "xAB-1234",
  "a-b",
  "a--b",
  "A",
  "6109",
  "610910",
  "61091000",
  "6109101",
  "166",
  "0166",
  "222",
  "999",
  166,
  222,
  999,
  "\u0000",
  "tab\tis fine",
  "\ud800",
  "😀".repeat(50),
  "😀".repeat(51),
  "a".repeat(300),
  "a".repeat(301),
  "😀".repeat(300),
  "a".repeat(2000),
  "a".repeat(2001),
  "a".repeat(5000),
  "a".repeat(5001),
  "a".repeat(20_001),
  [],
  [null],
  ["Spring"],
  ["Spring", "Winter"],
  ["x", 1],
  ["166", 222],
  [222],
  [999],
  {},
  { tax_rule_id: "gst-12" },
  { tax_rule_id: "" },
  { a: { b: ["\u0007"] } },
  { "\u0000": 1 },
  { gtin_value: "1" },
  [{ gtin_value: "1", gtin_type: "ean", primary: null }],
  [{ url: "x", type: null }],
  [{ type: "image" }],
  [{ type: "Seller", name: "A", address: [] }],
  [{ type: "Seller", name: "A", address: ["x", 1] }],
  [{ type: "seller", name: "A", address: [] }],
  { unit: "kg", value: "1" },
  { unit: "kg", value: 1.5 },
  { is_set: 1 },
  { product_online_date: "2026-01-31T09:00:00Z", is_set: true },
  { returnable: "Yes", time: 7, unit: "days" },
  { returnable: 1 },
  { is_custom_order: true, manufacturing_time: -1 }
]

const anyValue = FastCheck.oneof(
  FastCheck.constantFrom(...values),
  FastCheck.jsonValue(),
  FastCheck.fullUnicodeString()
)

const names = [
  ...Object.keys(input("A")),
  "no_of_boxes",
  "net_quantity",
  "media",
  "short_description",
  "description",
  "highlights",
  "product_publish",
  "tags",
  "return_config",
  "custom_order",
  "brand_uid",
  "unheard_of"
]
const inSize = [...Object.keys(size("A")), "item_length", "item_weight", "track_inventory", "identifiers"]
const attributes = [...data.attributes.map(({ slug }) => slug), "free"]

/** The place of a mutation: the product itself, its size, or its attributes. */
const changeIn = (place: string, keys: ReadonlyArray<string>) =>
  FastCheck.record({
    in: FastCheck.constant(place),
    key: FastCheck.constantFrom(...keys),
    value: anyValue,
    isRemoved: FastCheck.boolean()
  })

const change = FastCheck.oneof(
  { weight: 3, arbitrary: changeIn("product", names) },
  { weight: 2, arbitrary: changeIn("size", inSize) },
  { weight: 3, arbitrary: changeIn("attributes", attributes) }
)

const without = (object: object, key: string) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))

const changed = (
  object: object,
  { isRemoved, key, value }: { isRemoved: boolean; key: string; value: unknown }
): object => (isRemoved ? without(object, key) : { ...object, [key]: value })

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

interface Change {
  readonly in: string
  readonly key: string
  readonly value: unknown
  readonly isRemoved: boolean
}

const applied = (product: Readonly<Record<string, unknown>>, one: Change): Readonly<Record<string, unknown>> => {
  const { attributes, sizes } = product
  if (one.key === "category") return product
  if (one.in === "product") return { ...changed(product, one) }
  if (one.in === "attributes")
    return isObject(attributes) ? { ...product, attributes: changed(attributes, one) } : product
  return Array.isArray(sizes) && isObject(sizes[0]) ? { ...product, sizes: [changed(sizes[0], one)] } : product
}

const sampled = (changes: ReadonlyArray<Change>): object =>
  changes.reduce<Readonly<Record<string, unknown>>>(applied, { ...input("A") })

describe("the exported JSON Schema", () => {
  for (const operation of operations) {
    it(`says of any product the same as the verdict of ${operation}`, () => {
      const outcomes = { valid: 0, invalid: 0 }
      FastCheck.assert(
        FastCheck.property(FastCheck.array(change, { maxLength: 2 }), (changes) => {
          const product = sampled(changes)
          const found = ProductShapeCheck.violationsOf(index, operation, "apparel", product)
          const isSound = onlyOthers(found.map(({ code }) => code))
          outcomes[isSound ? "valid" : "invalid"]++
          strictEqual(
            validators[operation](product),
            isSound,
            `${JSON.stringify(found)} / ${JSON.stringify(validators[operation].errors)}`
          )
        }),
        {
          numRuns: runs(20_000),
          // An unknown HS code beside a wrong price
          examples: [
            [
              [
                { in: "size", key: "price", value: 166, isRemoved: false },
                { in: "product", key: "hs_code", value: "6109", isRemoved: false }
              ]
            ]
          ]
        }
      )
      assertTrue(outcomes.valid > 1000 && outcomes.invalid > 1000, JSON.stringify(outcomes))
    })
  }

  it("every value in every field: none is missed by chance", () => {
    const places = [
      ...names.map((key) => ({ in: "product", key })),
      ...inSize.map((key) => ({ in: "size", key })),
      ...attributes.map((key) => ({ in: "attributes", key }))
    ]
    for (const operation of operations) {
      for (const place of places) {
        for (const value of values) {
          const product = sampled([{ ...place, value, isRemoved: false }])
          const found = ProductShapeCheck.violationsOf(index, operation, "apparel", product)
          const says = `${place.in} ${place.key} ${JSON.stringify(value)?.slice(0, 60)} ${JSON.stringify(found)}`
          strictEqual(validators[operation](product), onlyOthers(found.map(({ code }) => code)), says)
        }
      }
    }
  })

  it("is of one category: another's product is not valid", () => {
    strictEqual(validators.create(input("A")), true)
    strictEqual(validators.create(input("A", { category: "Hats" })), false)
  })
})

describe("the form", () => {
  const fields = ProductForm.product(index, "create", "apparel", "T-Shirts")
  const named = (name: string) => fields.find((field) => field.name === name)

  it("has the fields of the rules, with their bounds", () => {
    deepStrictEqual(
      fields.map(({ name }) => name),
      Object.keys(JsonSchema.product(index, "create", "apparel", "T-Shirts").properties as object)
    )
    deepStrictEqual(named("name"), {
      name: "name",
      label: "Name",
      required: true,
      example: "Plain T-shirt",
      input: "text",
      minLength: 1,
      maxLength: 300
    })
  })

  it("offers the category's attributes, their allowed values, and the template's departments", () => {
    const attributes = named("attributes")?.fields ?? []
    deepStrictEqual(
      attributes.map(({ name }) => name),
      data.attributes.map(({ slug }) => slug)
    )
    deepStrictEqual(attributes[0]?.options, ["Black", "White"])
    deepStrictEqual(named("departments")?.item?.options, [166])
  })
})
