import { type Brand, ProductStore, type ReferenceData, ReferenceStore, referenceKeys } from "@crossdock/catalog"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Fresh from "./Fresh.ts"
import { about, type Laws } from "./Laws.ts"

const dataOf = (uids: readonly [number, number]): ReferenceData => {
  const names = uids.map((uid) => `ref-${uid}`)
  return {
    departments: uids.map((uid) => ({ uid, name: "महिला", slug: `d-${uid}`, isActive: true })),
    categories: uids.map((uid) => ({
      uid,
      name: `Category ${uid}`,
      slug: `c-${uid}`,
      level: 3,
      departments: [...uids],
      parent: 2,
      l1: 1,
      l2: null,
      isActive: false,
      channels: { ajio: "Kurtas", "a/b": "é" }
    })),
    templates: names.map((slug) => ({ slug, name: slug, departments: ["d"], categories: [], isActive: true })),
    attributes: names.map((slug) => ({
      slug,
      name: slug,
      categories: "*",
      schema: { type: "float", mandatory: true, multi: false, allowedValues: ["a", 1.5], range: { min: 0.1 } }
    })),
    hsCodes: names.map((code) => ({ code, type: "HS", description: "Cotton “x”", countryCode: "IN" })),
    taxRules: names.map((id) => ({
      id,
      name: id,
      status: "active",
      versions: [
        {
          versionStatus: "current",
          applicableFrom: "2025-04-01",
          components: [
            { name: "GST", rate: 0.05, threshold: 250_000 },
            { name: "Cess", rate: 0 }
          ]
        }
      ]
    }))
  }
}

const freshData = Effect.gen(function* () {
  const uids = [yield* Fresh.companyId, yield* Fresh.companyId] as const
  return dataOf(uids)
})

const storedOf = Effect.fnUntraced(function* (data: ReferenceData) {
  const store = yield* ReferenceStore
  const all = yield* store.read
  const named = <K extends keyof ReferenceData>(kind: K) => {
    const keyOf = referenceKeys[kind]
    const wanted = new Set(data[kind].map((one) => keyOf(one)))
    return [kind, all[kind].filter((one) => wanted.has(keyOf(one)))]
  }
  return Object.fromEntries(Struct.keys(referenceKeys).map(named))
})

const reversed = (data: ReferenceData) =>
  Object.fromEntries(Object.entries(data).map(([kind, all]) => [kind, all.toReversed()])) as unknown as ReferenceData

export const referenceStoreLaws = (laws: Laws<ReferenceStore | ProductStore>): void => {
  const { law } = about(ReferenceStore, laws, Effect.all([freshData, freshData]))
  law("records of every kind are read back equal, once, in the order of the last import", function* (store, [data]) {
    for (const imported of [reversed(data), data, data]) {
      const before = yield* store.version
      yield* store.put(imported)
      deepStrictEqual(yield* storedOf(data), imported)
      assertTrue((yield* store.version) > before)
    }
  })

  law("a record takes the place of the one with its key, and no other changes", function* (store, [data, other]) {
    yield* store.put(other)
    yield* store.put(data)
    const changed: ReferenceData = {
      departments: data.departments.map((one) => ({ ...one, name: "Changed" })),
      categories: data.categories.map((one) => ({ ...one, channels: {} })),
      templates: data.templates.map((one) => ({ ...one, isActive: false })),
      attributes: data.attributes.map((one) => ({ ...one, categories: ["Kurtas"] })),
      hsCodes: data.hsCodes.map((one) => ({ ...one, description: "" })),
      taxRules: data.taxRules.map((one) => ({ ...one, versions: [] }))
    }
    yield* store.put(changed)
    deepStrictEqual(yield* storedOf(data), changed)
    deepStrictEqual(yield* storedOf(other), other)
  })

  law("an import of nothing is one, too", function* (store, [data]) {
    yield* store.put(data)
    yield* store.put({ departments: [], categories: [], templates: [], attributes: [], hsCodes: [], taxRules: [] })
    deepStrictEqual(yield* storedOf(data), data)
  })

  law("a company's brands are its own, by uid; a brand that is put again is renamed", function* (store) {
    const brand: Brand = { companyId: yield* Fresh.companyId, uid: 7, name: "Anvika" }
    const second = { ...brand, uid: 3, name: "कुर्ता" }
    const others = { ...brand, companyId: yield* Fresh.companyId }
    yield* store.putBrands([])
    yield* store.putBrands([brand, second, others])
    yield* store.putBrands([{ ...brand, name: "Renamed" }])
    deepStrictEqual(yield* store.brands(brand.companyId), [second, { ...brand, name: "Renamed" }])
    deepStrictEqual(yield* store.brands(others.companyId), [others])
    deepStrictEqual(yield* store.brands(yield* Fresh.companyId), [])
  })

  law("a brand is renamed in its products too, also when two brands exchange their names", function* (store) {
    const products = yield* ProductStore
    const [companyId, other] = [yield* Fresh.companyId, yield* Fresh.companyId]
    const brands = [
      { companyId, uid: 7, name: "Anvika" },
      { companyId, uid: 8, name: "Zephyr" },
      { companyId: other, uid: 7, name: "Anvika" }
    ]
    yield* store.putBrands(brands)
    // The products have the same slug but different brands.
    const own = { ...Fresh.product(companyId, "p1", ["s1"]), slug: "same" }
    const second = { ...Fresh.product(companyId, "p2", ["s2"]), slug: "same", brand: "Zephyr", brandUid: 8 }
    yield* products.put(companyId, [own, second], 1)
    yield* products.put(other, [Fresh.product(other, "p1", ["s1"])], 1)
    const named = (company: Brand["companyId"], brand: string) =>
      Effect.map(products.find(company, { itemCodes: ["p1"], skus: [], slugs: [{ brand, slug: "same" }] }), (all) =>
        all.map((one) => `${one.itemCode} ${one.brand}`)
      )
    const exchanged = [
      { companyId, uid: 7, name: "Zephyr" },
      { companyId, uid: 8, name: "Anvika" }
    ]
    yield* store.putBrands(exchanged)
    deepStrictEqual(yield* named(companyId, "Zephyr"), ["p1 Zephyr"])
    deepStrictEqual(yield* named(companyId, "Anvika"), ["p1 Zephyr", "p2 Anvika"])
    yield* store.putBrands([{ companyId, uid: 7, name: "Renamed" }])
    const { items } = yield* products.page(companyId, { itemCodes: [], sort: "created" }, { number: 1, size: 10 })
    const shown = items.map(({ modifiedAt, product }) => `${product.itemCode} ${product.brand} ${modifiedAt}`)
    deepStrictEqual(shown.toSorted(), ["p1 Renamed 1", "p2 Anvika 1"])
    // Under the brand's new name, the slug is taken. Under the old one, it is free again.
    const third = { ...Fresh.product(companyId, "p3", ["s3"]), slug: "same" }
    strictEqual((yield* Effect.flip(products.put(companyId, [{ ...third, brand: "Renamed" }], 2)))._tag, "StorageError")
    yield* products.put(companyId, [{ ...third, brand: "Zephyr", brandUid: 9 }], 2)
    deepStrictEqual(yield* named(other, "Anvika"), ["p1 Anvika"])
  })
}
