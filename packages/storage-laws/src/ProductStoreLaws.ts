import type { KeptProduct, Product, ProductFilter, ProductKeys } from "@crossdock/catalog"
import { filterText, ProductStore } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import type { CompanyId, Transaction } from "@crossdock/kernel"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import { about, column, inTransaction, type Laws, sortedBy } from "./Laws.ts"
import { type Seed, seller } from "./Seed.ts"
import { stock } from "./StockMovementLaws.ts"

const found = (company: CompanyId, skus: ReadonlyArray<string>) =>
  Effect.flatMap(ProductStore, (store) => store.find(company, { itemCodes: [], skus, slugs: [] })).pipe(
    Effect.map((products) => sortedBy(products, "itemCode"))
  )

const stockOf = (company: CompanyId, sku: string) =>
  Effect.flatMap(StockLevels, (levels) => levels.load(company, [{ sku, location: "L1" }])).pipe(
    Effect.map(([level]) => (typeof level === "object" ? level.onHand : level))
  )

export const productStoreLaws = (laws: Laws<ProductStore | StockLevels | Seed | Transaction.Transaction>): void => {
  const { concurrent, law } = about(ProductStore, laws, Effect.all([Fresh.companyId, Fresh.companyId]))

  law("products are read back equal, their sizes in order; an empty list writes nothing", function* (store, [id]) {
    const products = [Fresh.product(id, "p1", Fresh.shuffled), Fresh.product(id, "p2", ["only"])]
    for (const written of [products, []]) yield* store.put(id, written, 1)
    deepStrictEqual(yield* found(id, ["only", "a"]), products)
  })

  law("a SKU is found as it is sold, once, of its own company, if it is known", function* (store, [id, other]) {
    const { sizes, ...rest } = Fresh.product(id, "p1", ["s1", "s2"])
    const weighed = {
      ...rest,
      hsCode: "11112222",
      sizes: sizes.map((size, at) => ({ ...size, weight: at === 0 ? null : 7.5 }))
    }
    yield* store.put(id, [weighed, Fresh.product(id, "p2", ["s3"])], 1)
    yield* store.put(other, [Fresh.product(other, "p9", ["s1"])], 1)
    const sold = sortedBy(yield* store.sold(id, ["s2", "nowhere", "s1", "s1"]), "sku")
    deepStrictEqual(sold, [
      { sku: "s1", name: rest.name, hsCode: "11112222", weight: null },
      { sku: "s2", name: rest.name, hsCode: "11112222", weight: 7.5 }
    ])
    deepStrictEqual(yield* store.sold(id, []), [])
    yield* store.put(id, [{ ...weighed, name: "Other", hsCode: "33334444" }], 2)
    deepStrictEqual(yield* store.sold(id, ["s1"]), [{ sku: "s1", name: "Other", hsCode: "33334444", weight: null }])
  })

  law("SKUs that can't be returned are found by their company's current products", function* (store, [id, other]) {
    const of = (company: typeof id, code: string, returnable: unknown): Product => {
      const product = Fresh.product(company, code, [`${code}1`, `${code}2`])
      const lookalikes = { description: '"returnable":"No"', highlights: ['{"return_config":{"returnable":"No"}}'] }
      return {
        ...product,
        attributes: { returnable: "No", return_config: { returnable: false } },
        details: { ...product.details, ...lookalikes, return_config: { time: 7, returnable } }
      }
    }
    const values = { n: "No", f: false, y: "Yes", t: true, z: null, l: "Nothing" }
    const products = Object.entries(values).map(([code, value]) => of(id, code, value))
    yield* store.put(id, products, 1)
    yield* store.put(other, [of(other, "y", "No"), Fresh.product(other, "p", ["p1"])], 1)
    const skus = ["n2", "n1", "n1", "f1", "y1", "t1", "z1", "l1", "p1", "nowhere"]
    const returnless = Effect.map(store.returnless(id, skus), (found) => [...found].toSorted())
    deepStrictEqual(yield* returnless, ["f1", "n1", "n2"])
    deepStrictEqual(yield* store.returnless(id, []), new Set())
    yield* store.put(id, [of(id, "n", "Yes"), of(id, "y", "No")], 2)
    deepStrictEqual(yield* returnless, ["f1", "y1"])
  })

  law("SKUs that any of several companies has are found, those of no other", function* (store) {
    const [one, two, other] = [yield* Fresh.companyId, yield* Fresh.companyId, yield* Fresh.companyId]
    yield* store.put(one, [Fresh.product(one, "p1", ["s1", "s2"])], 1)
    yield* store.put(two, [Fresh.product(two, "p1", ["s2", "s3"])], 1)
    yield* store.put(other, [Fresh.product(other, "p1", ["s4"])], 1)
    const any = yield* store.skusOfAny([one, two], ["s1", "s2", "s3", "s3", "s4", "nowhere"])
    deepStrictEqual([...any].sort(), ["s1", "s2", "s3"])
    deepStrictEqual(yield* store.skusOfAny([], ["s1"]), new Set())
    deepStrictEqual(yield* store.skusOfAny([one], []), new Set())
  })

  law("keys of 2,000 characters that differ in the last are two products, found by each key", function* (store, [id]) {
    const [text, other] = yield* Fresh.longTexts
    const product = (key: string, slug: string, brand: string): Product => ({
      ...Fresh.product(id, key, [key, `${key.slice(1)}!`]),
      slug,
      brand
    })
    const all = [product(text, text, text), product(other, other, text), product("third", text, other)]
    yield* store.put(id, all, 1)
    for (const one of all) {
      const { brand, itemCode, sizes, slug } = one
      const skus = sizes.map(({ sku }) => sku)
      deepStrictEqual(yield* found(id, skus.slice(1)), [one])
      deepStrictEqual(yield* store.find(id, { itemCodes: [itemCode], skus: [], slugs: [] }), [one])
      deepStrictEqual(yield* store.find(id, { itemCodes: [], skus: [], slugs: [{ brand, slug }] }), [one])
      deepStrictEqual((yield* store.sold(id, skus)).map(({ sku }) => sku).toSorted(), skus.toSorted())
      const filter = { sort: "created", itemCodes: [itemCode] } as const
      strictEqual((yield* store.page(id, filter, { number: 1, size: 10 })).total, 1)
    }
    const changed = { ...product(text, other, other), name: "Changed" }
    yield* store.put(id, [changed], 2)
    deepStrictEqual(yield* found(id, [text, other]), sortedBy([changed, ...all.slice(1, 2)], "itemCode"))
    yield* store.remove(id, [text])
    deepStrictEqual(yield* found(id, [text, other]), [all[1]])
  })

  law("a product that is put again is replaced by its item code, and no other", function* (store, [id]) {
    const other = Fresh.product(id, "p2", ["s3"])
    yield* store.put(id, [Fresh.product(id, "p1", ["s1", "s2"]), other], 1)
    const { sizes, ...rest } = Fresh.product(id, "p1", ["s2", "s4", "s1"])
    const changed: Product = {
      ...rest,
      name: "Changed",
      slug: "changed",
      attributes: { batch_tracked: true },
      sizes: sizes.map((size) => ({ ...size, price: "1" }))
    }
    yield* store.put(id, [changed], 2)
    deepStrictEqual(yield* found(id, ["s1", "s2", "s3", "s4"]), [changed, other])
  })

  law("a size that the product no longer has is deleted; others keep their stock", function* (store) {
    const id = yield* seller(["L1"], ["s1", "s2", "s3"])
    yield* stock(id, "s1", 5)
    yield* stock(id, "s3", 7)
    const fewer = Fresh.product(id, "item", ["s3", "s1"])
    yield* store.put(id, [fewer], 2)
    deepStrictEqual(yield* found(id, ["s1"]), [fewer])
    deepStrictEqual(yield* found(id, ["s2"]), [])
    deepStrictEqual(yield* Effect.forEach(["s1", "s2", "s3"], (sku) => stockOf(id, sku)), [5, "UNKNOWN_SKU", 7])
  })

  law("a size that comes back, and one after it, begin without the former stock", function* (store) {
    const id = yield* seller(["L1"], ["s1"])
    yield* stock(id, "s1", 5)
    yield* store.put(id, [Fresh.product(id, "item", [])], 2)
    yield* store.put(id, [Fresh.product(id, "item", ["s2", "s1"])], 3)
    strictEqual(yield* stockOf(id, "s1"), 0)
    strictEqual(yield* stockOf(id, "s2"), 0)
  })

  law("a SKU belongs to the product that named it last, with its stock", function* (store) {
    const id = yield* seller(["L1"], ["s1", "s2"])
    yield* stock(id, "s1", 5)
    yield* store.put(id, [Fresh.product(id, "second", ["s1"])], 2)
    deepStrictEqual(yield* found(id, ["s1"]), [Fresh.product(id, "second", ["s1"])])
    deepStrictEqual(yield* found(id, ["s2"]), [Fresh.product(id, "item", ["s2"])])
    strictEqual(yield* stockOf(id, "s1"), 5)
  })

  law("products may exchange SKUs, which keep their stock, and slugs in one put", function* (store) {
    const id = yield* seller(["L1"], [])
    const [one, other] = [Fresh.product(id, "p1", ["s1", "s2"]), Fresh.product(id, "p2", ["s3"])]
    yield* store.put(id, [one, other], 1)
    for (const [at, sku] of ["s1", "s2", "s3"].entries()) yield* stock(id, sku, at + 1)
    const exchanged = [
      { ...Fresh.product(id, "p1", ["s3", "s2"]), slug: other.slug },
      { ...Fresh.product(id, "p2", ["s1"]), slug: one.slug }
    ]
    yield* store.put(id, exchanged, 2)
    deepStrictEqual(yield* found(id, ["s1", "s2", "s3"]), exchanged)
    deepStrictEqual(yield* Effect.forEach(["s1", "s2", "s3"], (sku) => stockOf(id, sku)), [1, 2, 3])
    const bySlug = yield* store.find(id, { itemCodes: [], skus: [], slugs: [{ brand: one.brand, slug: one.slug }] })
    deepStrictEqual(bySlug, exchanged.slice(1))
  })

  law("two products of a brand never share a slug: such a put writes nothing", function* (store, [id, other]) {
    const [one, two] = [Fresh.product(id, "p1", ["s1"]), Fresh.product(id, "p2", ["s2"])]
    yield* store.put(id, [one, two], 1)
    const [renamed, third] = [{ ...two, slug: one.slug }, Fresh.product(id, "p3", ["s3"])]
    const twins = [third, { ...Fresh.product(id, "p4", ["s4"]), slug: third.slug }]
    for (const many of [[third, renamed], twins])
      strictEqual((yield* Effect.flip(store.put(id, many, 2)))._tag, "StorageError")
    deepStrictEqual(yield* found(id, ["s1", "s2", "s3"]), [one, two])
    yield* store.put(other, [Fresh.product(other, "p1", ["s1"])], 1)
    yield* store.put(id, [{ ...renamed, brand: "Another" }], 3)
    yield* store.remove(id, ["p1"])
    yield* store.put(id, [{ ...third, slug: one.slug }], 4)
    deepStrictEqual(yield* found(id, ["s3"]), [{ ...third, slug: one.slug }])
  })

  law("another company's products are never seen and never changed", function* (store, [one, other]) {
    const [own, same] = [Fresh.product(one, "p1", ["s1", "s2"]), Fresh.product(other, "p1", ["s1"])]
    yield* store.put(one, [own], 1)
    deepStrictEqual(yield* found(other, ["s1"]), [])
    yield* store.put(other, [same], 2)
    deepStrictEqual(yield* found(one, ["s1", "s2"]), [own])
    deepStrictEqual(yield* found(other, ["s1", "s2"]), [same])
    yield* store.put(other, [{ ...same, sizes: [] }], 3)
    deepStrictEqual(yield* found(one, ["s1"]), [own])
  })

  law("nothing remains of products whose transaction failed", function* (store, [id]) {
    const put = store.put(id, [Fresh.product(id, "p1", ["s1"])], 1)
    yield* Effect.flip(inTransaction(Effect.andThen(put, Effect.fail("rejected"))))
    deepStrictEqual(yield* found(id, ["s1"]), [])
  })

  law("products are found by item code, by brand and slug, or by SKU, each once", function* (store, [id, other]) {
    const products = ["p1", "p2", "p3", "p4"].map((code) => Fresh.product(id, code, [`${code}-a`, `${code}-b`]))
    yield* store.put(id, products, 1)
    yield* store.put(other, [Fresh.product(other, "p1", ["p1-a"])], 1)
    const find = (keys: Partial<ProductKeys>) =>
      Effect.map(store.find(id, { itemCodes: [], slugs: [], skus: [], ...keys }), (all) =>
        all.map(({ itemCode }) => itemCode).sort()
      )
    deepStrictEqual(yield* find({}), [])
    deepStrictEqual(yield* find({ itemCodes: ["p1", "nowhere", "P2"] }), ["p1"])
    deepStrictEqual(yield* find({ slugs: [{ brand: "Anvika", slug: "slug-p2" }] }), ["p2"])
    deepStrictEqual(yield* find({ slugs: [{ brand: "Other", slug: "slug-p2" }] }), [])
    deepStrictEqual(yield* find({ skus: ["p3-b", "nowhere", "p3-a", "p3-a", "P1-A"] }), ["p3"])
    const all = { itemCodes: ["p1"], slugs: [{ brand: "Anvika", slug: "slug-p1" }], skus: ["p1-a", "p2-a"] }
    deepStrictEqual(yield* find(all), ["p1", "p2"])
    deepStrictEqual(yield* store.find(id, { itemCodes: ["p4"], slugs: [], skus: [] }), products.slice(3))
  })

  law("a product is removed with its sizes, and no other is", function* (store, [id, other]) {
    const stays = Fresh.product(id, "p2", ["s2"])
    yield* store.put(id, [Fresh.product(id, "p1", ["s1"]), stays], 1)
    yield* store.put(other, [Fresh.product(other, "p1", ["s1"])], 1)
    yield* store.remove(id, ["p1", "nowhere"])
    deepStrictEqual(yield* found(id, ["s1", "s2"]), [stays])
    strictEqual((yield* found(other, ["s1"])).length, 1)
    const again = Fresh.product(id, "p3", ["s1"])
    yield* store.put(id, [again], 2)
    deepStrictEqual(yield* found(id, ["s1"]), [again])
  })

  law("pages are newest first by creation or change, and keep a product's uid and creation", function* (store, [id]) {
    const put = (code: string, at: number) => store.put(id, [Fresh.product(id, code, [code])], at)
    yield* put("p1", 10)
    yield* put("p2", 20)
    yield* put("p3", 20)
    const page = (sort: "created" | "modified_on", number = 1, size = 10) =>
      store.page(id, { itemCodes: [], sort }, { number, size })
    const codes = (all: { readonly items: ReadonlyArray<KeptProduct> }) =>
      all.items.map(({ product }) => product.itemCode)
    const [before] = (yield* page("created", 3, 1)).items
    yield* put("p1", 30)
    deepStrictEqual(codes(yield* page("modified_on")), ["p1", "p3", "p2"])
    deepStrictEqual(codes(yield* page("created")), ["p3", "p2", "p1"])
    deepStrictEqual(codes(yield* page("created", 2, 2)), ["p1"])
    deepStrictEqual(codes(yield* page("created", 3, 2)), [])
    strictEqual((yield* page("created", 3, 2)).total, 3)
    const [after] = (yield* page("modified_on")).items
    deepStrictEqual(after, {
      uid: before?.uid,
      createdAt: 10,
      modifiedAt: 30,
      product: Fresh.product(id, "p1", ["p1"])
    })
  })

  law("a page is filtered by part of the name in any case, by slug and by item codes", function* (store, [id, other]) {
    const named = (code: string, name: string) => ({ ...Fresh.product(id, code, [code]), name })
    yield* store.put(id, [named("p1", "Blue ÉTÉ Shirt"), named("p2", "été_%"), named("p3", "Hat")], 1)
    yield* store.put(other, [Fresh.product(other, "p9", ["p9"])], 1)
    const page = (filter: Partial<ProductFilter>) =>
      Effect.map(
        store.page(id, { itemCodes: [], sort: "created", ...filter }, { number: 1, size: 10 }),
        ({ items, total }) => [total, items.map(({ product }) => product.itemCode).sort()]
      )
    deepStrictEqual(yield* page({}), [3, ["p1", "p2", "p3"]])
    for (const name of ["Été", "e\u0301te\u0301", "ÉＴÉ"])
      deepStrictEqual([name, ...(yield* page({ name }))], [name, 2, ["p1", "p2"]])
    deepStrictEqual(yield* page({ name: "_%" }), [1, ["p2"]])
    deepStrictEqual(yield* page({ name: "" }), [3, ["p1", "p2", "p3"]])
    deepStrictEqual(yield* page({ slug: "slug-p3" }), [1, ["p3"]])
    deepStrictEqual(yield* page({ slug: "slug" }), [0, []])
    deepStrictEqual(yield* page({ itemCodes: ["p1", "p3", "p9"] }), [2, ["p1", "p3"]])
    deepStrictEqual(yield* page({ itemCodes: ["p1", "p3"], name: "hat" }), [1, ["p3"]])
  })

  law("a page is filtered by the texts of custom fields, and by no other text of a product", function* (store, [id]) {
    const field = 'product.care="30°\\"'
    const own = { customFields: { care: '"30°\\"' }, filters: [filterText(field)] }
    const like = { ...Fresh.product(id, "p2", ["p2"]), name: field, attributes: { note: `"\\u0001${field}"` } }
    yield* store.put(id, [{ ...Fresh.product(id, "p1", ["p1"]), ...own }, like], 1)
    const page = (fields: ReadonlyArray<string>) =>
      store.page(id, { itemCodes: [], sort: "created", fields }, { number: 1, size: 10 })
    const { items, total } = yield* page([field])
    deepStrictEqual([total, items.map(({ product }) => product)], [1, [{ ...Fresh.product(id, "p1", ["p1"]), ...own }]])
    strictEqual((yield* page([field, "product.other=1"])).total, 0)
    yield* store.put(id, [Fresh.product(id, "p1", ["p1"])], 2)
    strictEqual((yield* page([field])).total, 0)
  })

  law("a page has the same products in the same order for any filters and repeated codes", function* (store, [id]) {
    const names = ["Blue", "Red", "Blue"]
    const all = Array.from(
      { length: 12 },
      (_, i): Product => ({
        ...Fresh.product(id, `p${i}`, [`s${i}`]),
        name: names[i % 3] ?? "",
        brand: `brand ${i}`,
        slug: i % 2 === 0 ? "shared" : "other"
      })
    )
    // The products are changed in another order than they were created, some at the same time.
    for (const [i, one] of all.entries()) yield* store.put(id, [one], Math.floor(i / 2))
    for (const i of [7, 2, 8]) yield* store.put(id, all.slice(i, i + 1), 100 + (i % 2))
    const every = { number: 1, size: 50 }
    const codesOf = ({ items }: { readonly items: ReadonlyArray<KeptProduct> }) =>
      items.map(({ product }) => product.itemCode)
    const itemCodes = ["p8", "p2", "p2", "p9", "p7", "none", "p0", "p8"]
    for (const sort of ["created", "modified_on"] as const) {
      const order = (yield* store.page(id, { itemCodes: [], sort }, every)).items
      for (const filter of [
        { itemCodes },
        { itemCodes: [], slug: "shared" },
        { itemCodes, slug: "shared" },
        { itemCodes, slug: "shared", name: "blue" },
        { itemCodes, name: "blue" },
        { itemCodes: [], slug: "other", name: "red" }
      ]) {
        const expected = order
          .map(({ product }) => product)
          .filter(
            (one) =>
              (filter.itemCodes.length === 0 || filter.itemCodes.includes(one.itemCode)) &&
              (filter.slug === undefined || one.slug === filter.slug) &&
              one.name.toLowerCase().includes(filter.name ?? "")
          )
          .map(({ itemCode }) => itemCode)
        const whole = yield* store.page(id, { ...filter, sort }, every)
        deepStrictEqual([codesOf(whole), whole.total], [expected, expected.length])
        const paged = yield* Effect.forEach([1, 2, 3, 4, 5], (number) =>
          store.page(id, { ...filter, sort }, { number, size: 2 })
        )
        deepStrictEqual(paged.flatMap(codesOf), expected.slice(0, 10))
        deepStrictEqual(new Set(column(paged, "total")), new Set([expected.length]))
      }
    }
  })

  concurrent("imports of the same products in another order do not block each other", function* (store, [id]) {
    const products = Array.from({ length: 20 }, (_, i) => Fresh.product(id, `p${i}`, [`s${i}`, `t${i}`]))
    yield* times(8, (i) => inTransaction(store.put(id, i % 2 === 0 ? products : products.toReversed(), 1)))
    const skus = products.map((product) => `s${product.itemCode.slice(1)}`)
    strictEqual((yield* found(id, skus)).length, 20)
  })
}
