/** New names and records, with which laws can run concurrently, and on a database with data. */
import type { Company, Location } from "@crossdock/access"
import type { Product, Size } from "@crossdock/catalog"
import { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

const last = Ref.makeUnsafe(2 ** 40 + Math.floor(Math.random() * 2 ** 50))

const number = Ref.updateAndGet(last, (before) => before + 1)

/** A company id that no other law uses. */
export const companyId: Effect.Effect<CompanyId> = Effect.map(number, (id) => CompanyId.make(id))

/** A text that no other law uses. It begins with `kind`. */
export const text = (kind: string): Effect.Effect<string> => Effect.map(number, (id) => `${kind}-${id}`)

/** Two texts of 2,000 random characters that differ only at the end. Even compressed, they are too long for an index entry. */
export const longTexts: Effect.Effect<readonly [string, string]> = Effect.map(text(""), (unique) => {
  const between = (from: number, to: number) => String.fromCodePoint(from + Math.floor(Math.random() * (to + 1 - from)))
  const random = Array.from({ length: 1996 - unique.length }, (_, i) =>
    i % 2 === 0 ? between(0x4e_00, 0x9f_ff) : between(0x2_00_00, 0x2_a6_df)
  )
  const start = `${unique}\\x\\${random.join("")}`
  return [`${start}一`, `${start}😀`]
})

/** Texts in the order of code points. Languages and UTF-16 order some of them differently. Two look alike. */
export const inOrder =
  " |-|10|9|A|Z|_|a|a b|ab|e\u0301|z|É|é|İ|Ω|ж|\u05d0|\u0645|क|日本|\ufb01|\uff21|\u{1d49c}|😀".split("|")

/** The texts of `inOrder` in another order. */
export const shuffled: ReadonlyArray<string> = [...inOrder.slice(7), ...inOrder.slice(0, 7)].reverse()

/** A company with this id. */
export const company = (id: CompanyId): Company => ({ id, name: "Kaveri Traders", legalName: "Kaveri Traders “LLP”" })

/** A location with this code. */
export const location = (companyId: CompanyId, code: string): Location => ({
  companyId,
  code,
  name: `Store ${code}`,
  currency: "INR",
  handlingHours: 24,
  address: null
})

/** A size with this SKU. */
export const size = (sku: string): Size => ({
  sku,
  name: `Size of ${sku}`,
  price: "499.50",
  priceEffective: "449",
  length: 30.5,
  width: 20,
  height: null,
  weight: 250,
  trackInventory: true,
  identifiers: [{ value: "8901234567894", type: "ean", primary: true }]
})

/** A product with this item code, and a size for each SKU. */
export const product = (companyId: CompanyId, itemCode: string, skus: ReadonlyArray<string>): Product => ({
  companyId,
  itemCode,
  name: `कुर्ता ${itemCode} 😀`,
  slug: `slug-${itemCode}`,
  brand: "Anvika",
  brandUid: 7,
  category: "Kurtas",
  departments: [1, 2],
  template: "apparel",
  hsCode: "62064000",
  taxRule: "GST 5",
  countryOfOrigin: "India",
  attributes: { fabric: "cotton", sizes: [1, 2.5], nested: { "a/b": null, ok: true } },
  traders: [{ type: "Manufacturer", name: "Mills", address: ["1 Road", "Surat"] }],
  sizes: skus.map(size),
  details: { item_type: "standard", tags: ["“x”"], is_dependent: false }
})

/** More numbers than a statement in a Durable Object can have parameters. */
export const many: ReadonlyArray<number> = Array.from({ length: 120 }, (_, n) => n + 1)
