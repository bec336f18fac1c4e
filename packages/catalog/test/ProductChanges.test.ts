import {
  Gtin,
  ProductChanges,
  ProductFeed,
  ProductMapping,
  ProductShapeCheck,
  ReferenceFile,
  ReferenceIndex,
  Shape
} from "@crossdock/catalog"
import {
  referenceIndex as index,
  productInput as input,
  known,
  referenceData,
  sizeInput as size,
  submitted
} from "@crossdock/catalog/testing"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { processorMillis } from "../../kernel/test/processorMillis.ts"

const made = (...inputs: ReadonlyArray<ReturnType<typeof input>>) =>
  ProductChanges.creations(known(), submitted(...inputs)).flatMap((outcome) =>
    Result.isSuccess(outcome) ? (outcome.success.after ?? []) : []
  )

const codesOf = (outcomes: ReadonlyArray<ProductChanges.Outcome>) =>
  outcomes.map((outcome) => (Result.isSuccess(outcome) ? "ok" : outcome.failure.code))

describe("products checked against the data", () => {
  it("of products of one request that clash the first wins, and a rejected one before does not count", () => {
    const outcomes = ProductChanges.creations(
      known(),
      submitted(input("A", { brand: "None" }), input("A"), input("A"), input("B", { slug: "tee-a" }), input("C"))
    )
    deepStrictEqual(codesOf(outcomes), ["UNKNOWN_BRAND", "ok", "SLUG_TAKEN", "SLUG_TAKEN", "ok"])
  })

  it("a rejection contains everything that is wrong, and suggests a known value without its white space", () => {
    const [outcome] = ProductChanges.creations(
      known(),
      submitted(input("A", { brand: " Acme", category: "Hats ", hs_code: "6109", departments: ["1", 166] }))
    )
    const rejection = outcome !== undefined && Result.isFailure(outcome) ? outcome.failure : undefined
    const errors = rejection?.details?.errors as ReadonlyArray<{ path: string; code: string; suggestion?: string }>
    deepStrictEqual(
      errors.map(({ code, path, suggestion }) => [path, code, suggestion]),
      [
        ["/products/0/departments/0", "UNKNOWN_DEPARTMENT", undefined],
        ["/products/0/category", "UNKNOWN_CATEGORY", "Hats"],
        ["/products/0/hs_code", "UNKNOWN_HS_CODE", undefined],
        ["/products/0/brand", "UNKNOWN_BRAND", "Acme"]
      ]
    )
    strictEqual(rejection?.code, "UNKNOWN_DEPARTMENT")
  })

  it("a misspelt brand or category suggests the one that was meant", () => {
    const [outcome] = ProductChanges.creations(known(), submitted(input("A", { brand: "Acmee", category: "Hat" })))
    const rejection = outcome !== undefined && Result.isFailure(outcome) ? outcome.failure : undefined
    const errors = rejection?.details?.errors as ReadonlyArray<{ message: string; suggestion?: string }>
    deepStrictEqual(
      errors.map(({ message, suggestion }) => [message, suggestion]),
      [
        [`The level 3 category "Hat" doesn't exist, so attributes were not checked. Did you mean Hats?`, "Hats"],
        [`The brand "Acmee" doesn't exist. Did you mean Acme?`, "Acme"]
      ]
    )
  })

  it("a product is read back in the names it was sent in", () => {
    const sent = input("A", {
      sizes: [
        size("S", {
          item_length: 1,
          track_inventory: false,
          identifiers: [{ gtin_value: "x", gtin_type: "sku", primary: true }]
        })
      ],
      tags: ["a"],
      no_of_boxes: 0,
      media: null
    })
    const { media: _, ...rest } = sent
    const [product] = made(sent)
    deepStrictEqual<unknown>(product === undefined ? undefined : ProductMapping.shown(product), rest)
  })

  it("an item code and a SKU may have 2,000 characters of any script", () => {
    const long = "😀".repeat(2000)
    deepStrictEqual(codesOf(ProductChanges.creations(known(), submitted(input(long, { sizes: [size(long)] })))), ["ok"])
  })

  it("a SKU in use keeps its product, and every other product goes", () => {
    const products = made(input("A"), input("B"))
    const uses = new Map([["A-M", "RESERVED_STOCK" as const]])
    const outcomes = ProductChanges.deletions(
      known(products, undefined),
      submitted(
        { item_code: "A" },
        { item_code: "A", sizes: [{ primary_identifier: "A-S" }] },
        { item_code: "B" },
        { item_code: "B" }
      ),
      uses
    )
    deepStrictEqual(codesOf(outcomes), ["RESERVED_STOCK", "ok", "ok", "UNKNOWN_PRODUCT"])
  })

  it("a product is valid when it is sent back as it is read, whatever category an update chose", () => {
    const hats = [
      { type: "str", allowedValues: ["Black", "Red"] },
      { type: "int", range: { min: 1, max: 9 } },
      { type: "str", format: "[A-Z]+" },
      { type: "bool" }
    ] as const
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...hats),
        FastCheck.boolean(),
        FastCheck.constantFrom("T-Shirts", "Hats"),
        FastCheck.constantFrom("Black", "White", "BLUE", undefined),
        (schema, mandatory, category, color) => {
          const data = {
            ...referenceData,
            attributes: [
              ...referenceData.attributes,
              { slug: "color", name: "Color", categories: ["Hats"], schema: { mandatory, multi: false, ...schema } }
            ]
          }
          const rules = ReferenceIndex.make(data)
          const { attributes, ...others } = input("A", { category })
          const sent = color === undefined ? others : { ...others, attributes: { ...attributes, color } }
          if (ProductShapeCheck.violationsOf(rules, "update", "apparel", sent).length > 0) return
          const world = { ...known(made(input("A"))), index: rules }
          const [first] = ProductChanges.updates(world, submitted(sent))
          const after = first !== undefined && Result.isSuccess(first) ? first.success.after : null
          if (after === null) return
          deepStrictEqual(ProductShapeCheck.violationsOf(rules, "update", "apparel", ProductMapping.shown(after)), [])
        }
      )
    )
  })

  it("the second update of one product changes what the first left", () => {
    const products = made(input("A"))
    const outcomes = ProductChanges.updates(
      known(products),
      submitted(input("A", { sizes: [size("A-L")] }), input("A", { name: "Twice", sizes: [size("A-X")] }))
    )
    const last = outcomes[1]
    const after = last !== undefined && Result.isSuccess(last) ? last.success.after : null
    deepStrictEqual([after?.name, after?.sizes.map(({ sku }) => sku)], ["Twice", ["A-S", "A-M", "A-L", "A-X"]])
  })
})

describe("check digits", () => {
  it("GS1's own examples are valid", () => {
    for (const [type, value] of [
      ["gtin", "614141000036"],
      ["upc", "614141000036"],
      ["ean", "6291041500213"],
      ["EAN", "96385074"],
      ["gtin", "10614141000415"],
      ["sku_code", "anything"]
    ] as const) {
      strictEqual(Gtin.check(type, value).isValid, true, value)
    }
  })

  it("every other last digit is wrong, and the right one is suggested", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.stringMatching(/^\d{12}$/),
        FastCheck.integer({ min: 0, max: 9 }),
        (digits, last) => {
          const right = digits + Gtin.checkDigit(digits)
          const checked = Gtin.check("ean", digits + last)
          deepStrictEqual(checked, right === digits + last ? { isValid: true } : { isValid: false, suggestion: right })
        }
      )
    )
  })

  it("a number of another length or with letters is not valid", () => {
    for (const value of ["629104150021", "62910415002135", "629104150021x", "", "６２９１０４１５"]) {
      deepStrictEqual(Gtin.check("ean", value), { isValid: false })
    }
  })
})

describe("slugs", () => {
  it("what is suggested for any text is a slug, or nothing", () => {
    const pattern = new RegExp(Shape.slug.pattern?.source ?? "")
    FastCheck.assert(
      FastCheck.property(FastCheck.fullUnicodeString(), (text) => {
        const slug = Shape.slug.suggest?.(text) ?? "none"
        assertTrue(slug === "" || pattern.test(slug), slug)
      })
    )
    strictEqual(Shape.slug.suggest?.("  Crème brûlée, 2 Pack! "), "creme-brulee-2-pack")
  })
})

describe("hostile text", () => {
  it("a million characters anywhere are checked in milliseconds", () => {
    for (const text of ["a".repeat(1e6), "a-".repeat(5e5), "-".repeat(1e6), "A ".repeat(5e5), "1".repeat(1e6)]) {
      const hostile = input("H", {
        slug: text,
        hs_code: text,
        brand: text,
        attributes: { color: text, material: text, care_code: text, launch_date: text, labels: [text], free: text },
        product_publish: { product_online_date: text },
        departments: [text],
        sizes: [size(text, { identifiers: [{ gtin_value: text, gtin_type: "ean" }] })]
      })
      const began = processorMillis()
      const found = ProductShapeCheck.violationsOf(index, "create", "apparel", hostile)
      const took = processorMillis() - began
      assertTrue(took < 50, `${took} ms`)
      assertTrue(found.length >= 12, JSON.stringify(found.map(({ path }) => path)))
    }
  })
})

describe("a product with very many sizes", () => {
  const skus = (letter: string) => Array.from({ length: 30_000 }, (_, at) => `${letter}${at}`)
  const [before] = made(input("A", { sizes: skus("S").map((sku) => size(sku)) }))
  const products = before === undefined ? [] : [before]

  it("takes no longer to delete sizes of than their number", () => {
    const named = (all: ReadonlyArray<string>) => all.map((sku) => ({ primary_identifier: sku }))
    const began = processorMillis()
    const outcomes = [skus("S"), skus("X")].flatMap((all) =>
      ProductChanges.deletions(known(products), submitted({ item_code: "A", sizes: named(all) }), new Map())
    )
    const took = processorMillis() - began
    deepStrictEqual(codesOf(outcomes), ["ok", "UNKNOWN_SKU"])
    assertTrue(took < 1000, `${took} ms`)
  })

  it("takes no longer to report than its number of sizes", () => {
    const after = before === undefined ? null : { ...before, sizes: before.sizes.slice(1) }
    const began = processorMillis()
    const events = ProductFeed.eventsOf([{ before: before ?? null, after }])
    const took = processorMillis() - began
    assertTrue(JSON.stringify(events[0]?.data).endsWith('"deletedSkus":["S0"]}'))
    assertTrue(took < 500, `${took} ms`)
  })
})

describe("a file of reference data", () => {
  const file = {
    departments: [{ uid: 1, name: "D", slug: "d", is_active: true }],
    categories: [
      { uid: 1, name: "One", slug: "one", level: 1, departments: [1], is_active: true },
      { uid: 2, name: "Two", slug: "two", level: 2, departments: [1], parent: 1, l1: 1, is_active: true },
      { uid: 3, name: "Three", slug: "three", level: 3, departments: [1], parent: 2, l1: 1, l2: 2, is_active: true }
    ],
    brands: [{ uid: 1, name: "B", company_id: 1 }],
    templates: [{ slug: "d", name: "D", departments: ["d"], categories: ["three"], is_active: true }],
    attributes: [
      {
        slug: "a",
        name: "A",
        categories: "*",
        schema: { type: "str", mandatory: false, multi: false, format: "[a-z]" }
      }
    ],
    hsCodes: [{ hs_code: "6109", type: "HS", description: "x", country_code: "IN" }],
    taxRules: [{ id: "t", name: "T", status: "ACTIVE", versions: [] }]
  }

  const faults = (document: unknown) =>
    Result.match(ReferenceFile.decode(document), {
      onSuccess: () => [],
      onFailure: (found) => found.map(({ code, path }) => `${code} ${path}`)
    })

  it("that is valid becomes data", () => {
    deepStrictEqual(faults(file), [])
  })

  it("is rejected whole, with all that is wrong", () => {
    deepStrictEqual(
      faults({ ...file, departments: [{ uid: "1", name: "", slug: "D", is_active: true }], hsCodes: undefined }),
      [
        "INVALID_TYPE /departments/0/uid",
        "REQUIRED /departments/0/name",
        "INVALID_VALUE /departments/0/slug",
        "REQUIRED /hsCodes"
      ]
    )
    deepStrictEqual(
      faults({
        ...file,
        departments: [...file.departments, ...file.departments],
        categories: file.categories.map((one) => ({ ...one, departments: [9], parent: 3 })),
        attributes: file.attributes.map((one) => ({ ...one, schema: { ...one.schema, format: "(" } }))
      }),
      [
        "DUPLICATE_RECORD /departments/1",
        "UNKNOWN_DEPARTMENT /categories/0/departments/0",
        "UNKNOWN_DEPARTMENT /categories/1/departments/0",
        "UNKNOWN_CATEGORY /categories/1/parent",
        "UNKNOWN_DEPARTMENT /categories/2/departments/0",
        "UNKNOWN_CATEGORY /categories/2/parent",
        "INVALID_VALUE /attributes/0/schema/format"
      ]
    )
    deepStrictEqual(faults([]), ["INVALID_TYPE "])
  })
})
