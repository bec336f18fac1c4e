/**
 * Judges products of sound shape by the data: what makes one product fail and leaves its neighbours alone (contract,
 * Catalog).
 */
import type { Bulk, CompanyId, Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as Gtin from "./Gtin.ts"
import type { Product, Size } from "./Product.ts"
import * as ProductInput from "./ProductInput.ts"
import type { BrandIndex, ReferenceIndex } from "./ReferenceIndex.ts"

/**
 * What was sent, and its place in the request.
 */
export interface Submitted<A> {
  readonly index: number
  readonly input: A
}

/**
 * One product before and after; null where there is none.
 */
export interface ProductChange {
  readonly index: number
  readonly before: Product | null
  readonly after: Product | null
}

export type Verdict = Result.Result<ProductChange, Bulk.Rejection>

/**
 * What the judgement needs to know: `products` are all of the company's that have one of the request's keys.
 */
export interface Known {
  readonly companyId: CompanyId
  readonly template: string | undefined
  readonly index: ReferenceIndex
  readonly brands: BrandIndex
  readonly products: ReadonlyArray<Product>
}

/**
 * Products by what they are found by. It changes as the products of a request are judged one after the other: the first
 * wins.
 */
interface Shelf {
  readonly byItemCode: Map<string, Product>
  readonly bySlug: Map<string, Product>
  readonly bySku: Map<string, Product>
}

const slugKey = (brand: string, slug: string): string => `${brand}\n${slug}`

const shelve = (shelf: Shelf, product: Product): void => {
  shelf.byItemCode.set(product.itemCode, product)
  shelf.bySlug.set(slugKey(product.brand, product.slug), product)
  for (const { sku } of product.sizes) shelf.bySku.set(sku, product)
}

const unshelve = (shelf: Shelf, product: Product): void => {
  shelf.byItemCode.delete(product.itemCode)
  shelf.bySlug.delete(slugKey(product.brand, product.slug))
  for (const { sku } of product.sizes) shelf.bySku.delete(sku)
}

const shelfOf = (products: ReadonlyArray<Product>): Shelf => {
  const shelf: Shelf = { byItemCode: new Map(), bySlug: new Map(), bySku: new Map() }
  for (const product of products) shelve(shelf, product)
  return shelf
}

/**
 * The first violation gives the rejection its code, and all of them stand beside it.
 */
const rejectionOf = (violations: readonly [Violation, ...ReadonlyArray<Violation>]): Bulk.Rejection => {
  const [{ code, message, path, suggestion }, ...others] = violations
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return {
    code,
    message: `${message}${more}`,
    path,
    details: {
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(others.length === 0 ? {} : { errors: violations })
    }
  }
}

const verdictOf = (violations: ReadonlyArray<Violation>, change: () => ProductChange): Verdict => {
  const [first, ...others] = violations
  return first === undefined ? Result.succeed(change()) : Result.fail(rejectionOf([first, ...others]))
}

const violation = (path: string, code: string, message: string, suggestion?: string): Violation => ({
  path,
  code,
  message,
  ...(suggestion === undefined ? {} : { suggestion })
})

/**
 * A value that is unknown; when it only has white space around it, the known one is suggested.
 */
const unknown = (
  path: string,
  code: string,
  what: string,
  value: string,
  isKnown: (value: string) => boolean
): ReadonlyArray<Violation> => {
  if (isKnown(value)) return []
  const trimmed = value.trim()
  return [violation(path, code, `There is no ${what} ${JSON.stringify(value)}`, isKnown(trimmed) ? trimmed : undefined)]
}

type Facts = Pick<ProductInput.CreateInput, "departments" | "category" | "tax_identifier" | "hs_code" | "sizes">

const references = ({ index }: Known, input: Facts, path: string): ReadonlyArray<Violation> => [
  ...input.departments.flatMap((uid, at) =>
    unknown(`${path}/departments/${at}`, "UNKNOWN_DEPARTMENT", "department", String(uid), (_) =>
      index.departments.has(Number(_))
    )
  ),
  ...unknown(`${path}/category`, "UNKNOWN_CATEGORY", "level 3 category", input.category, (_) =>
    index.categories.has(_)
  ),
  ...unknown(
    `${path}/tax_identifier/tax_rule_id`,
    "UNKNOWN_TAX_RULE",
    "tax rule",
    input.tax_identifier.tax_rule_id,
    (_) => index.taxRules.has(_)
  ),
  ...unknown(`${path}/hs_code`, "UNKNOWN_HS_CODE", "HS or SAC code", input.hs_code, (_) => index.hsCodes.has(_))
]

const gtins = (sizes: Facts["sizes"], path: string): ReadonlyArray<Violation> =>
  sizes.flatMap((size, at) =>
    (size.identifiers ?? []).flatMap(({ gtin_type, gtin_value }, place) => {
      const { sound, suggestion } = Gtin.judge(gtin_type, gtin_value)
      const where = `${path}/sizes/${at}/identifiers/${place}/gtin_value`
      return sound
        ? []
        : [violation(where, "GTIN_CHECK_DIGIT", `is no ${gtin_type} number, or its check digit is wrong`, suggestion)]
    })
  )

/** What a database's index of keys takes. */
const longestKey = 2000

const bytesOf = (text: string): number =>
  [...text].reduce((sum, character) => {
    const point = character.codePointAt(0) ?? 0
    return sum + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_00_00 ? 3 : 4)
  }, 0)

/** A character of a text is three bytes at most, so a short one need not be counted. */
const keyLength = (path: string, value: string): ReadonlyArray<Violation> =>
  value.length * 3 <= longestKey || bytesOf(value) <= longestKey
    ? []
    : [violation(path, "TOO_LONG", `may have ${longestKey} bytes in UTF-8, being a key`)]

const sizeKeys = (sizes: Facts["sizes"], path: string): ReadonlyArray<Violation> =>
  sizes.flatMap((size, at) => keyLength(`${path}/sizes/${at}/primary_identifier`, size.primary_identifier))

/**
 * The sizes that were sent and those that stay: no two have one name.
 */
const sizeNames = (
  sent: Facts["sizes"],
  kept: ReadonlyArray<Pick<Size, "name">>,
  path: string
): ReadonlyArray<Violation> => {
  const names = new Set(kept.map(({ name }) => name))
  return sent.flatMap(({ size }, at) => {
    if (!names.has(size)) {
      names.add(size)
      return []
    }
    return [violation(`${path}/sizes/${at}/size`, "DUPLICATE_SIZE", `Another size is named ${JSON.stringify(size)}`)]
  })
}

/**
 * Every SKU is of one product, and stands in it once.
 */
const skus = (shelf: Shelf, sent: Facts["sizes"], own: Product | null, path: string): ReadonlyArray<Violation> => {
  const seen = new Set<string>()
  return sent.flatMap(({ primary_identifier: sku }, at) => {
    const owner = shelf.bySku.get(sku)
    const taken = seen.has(sku) || (owner !== undefined && owner !== own)
    seen.add(sku)
    return taken
      ? [violation(`${path}/sizes/${at}/primary_identifier`, "SKU_TAKEN", `${JSON.stringify(sku)} is taken`)]
      : []
  })
}

const judgeCreate =
  (known: Known, shelf: Shelf) =>
  ({ index, input }: Submitted<ProductInput.CreateInput>): Verdict => {
    const path = `/products/${index}`
    const { brand, item_code: itemCode, sizes, slug } = input
    const found = [
      ...references(known, input, path),
      ...unknown(`${path}/brand`, "UNKNOWN_BRAND", "brand", brand, (_) => known.brands.byName.has(_)),
      ...gtins(sizes, path),
      ...sizeNames(sizes, [], path),
      ...keyLength(`${path}/item_code`, itemCode),
      ...sizeKeys(sizes, path),
      ...(shelf.bySlug.has(slugKey(brand, slug))
        ? [violation(`${path}/slug`, "SLUG_TAKEN", `${brand} has a product with the slug ${slug}`)]
        : []),
      ...(shelf.byItemCode.has(itemCode)
        ? [violation(`${path}/item_code`, "ITEM_CODE_TAKEN", `${JSON.stringify(itemCode)} is taken`)]
        : []),
      ...skus(shelf, sizes, null, path)
    ]
    return verdictOf(found, () => {
      const brandUid = known.brands.byName.get(brand)?.uid ?? 0
      const after = ProductInput.created(input, {
        companyId: known.companyId,
        template: known.template ?? "",
        brandUid
      })
      shelve(shelf, after)
      return { index, before: null, after }
    })
  }

/**
 * The brand's name that keys say, by name or by uid.
 */
const brandOf = (
  { brands }: Pick<Known, "brands">,
  { brand, brand_uid: uid }: ProductInput.KeysInput
): string | undefined => brand ?? (uid === undefined || uid === null ? undefined : brands.byUid.get(String(uid))?.name)

const bySlug = (known: Known, shelf: Shelf, keys: ProductInput.KeysInput): Product | undefined => {
  const brand = brandOf(known, keys)
  return keys.slug === undefined || keys.slug === null || brand === undefined
    ? undefined
    : shelf.bySlug.get(slugKey(brand, keys.slug))
}

const byItemCode = (shelf: Shelf, { item_code: itemCode }: ProductInput.KeysInput): Product | undefined =>
  itemCode === undefined || itemCode === null ? undefined : shelf.byItemCode.get(itemCode)

/**
 * Keys that were sent and are not the product's.
 */
const immutable = (
  known: Known,
  product: Product,
  keys: ProductInput.KeysInput,
  path: string
): ReadonlyArray<Violation> => {
  const pairs = [
    [`${path}/item_code`, keys.item_code, product.itemCode],
    [`${path}/slug`, keys.slug, product.slug],
    [`${path}/brand`, keys.brand, product.brand],
    [`${path}/brand_uid`, keys.brand_uid, product.brandUid],
    ["/template", known.template, product.template]
  ] as const
  return pairs.flatMap(([where, sent, own]) =>
    sent === undefined || sent === null || String(sent) === String(own)
      ? []
      : [violation(where, "IMMUTABLE_FIELD", `can't be changed: the product's is ${JSON.stringify(own)}`)]
  )
}

const notFound = (path: string, { item_code, slug }: ProductInput.KeysInput): Violation =>
  violation(
    item_code === undefined || item_code === null ? (slug === undefined ? path : `${path}/slug`) : `${path}/item_code`,
    "UNKNOWN_PRODUCT",
    "There is no such product"
  )

/**
 * Attributes that stay are judged by the category that the product will have.
 */
const keptAttributes = (known: Known, after: Product, sent: unknown, path: string): ReadonlyArray<Violation> => {
  if (sent !== undefined && sent !== null) return []
  const { attributes } = known.index.rulesOf(after.category)
  return attributes.flatMap(({ schema, slug }) =>
    schema.mandatory && (after.attributes[slug] === undefined || after.attributes[slug] === null)
      ? [violation(`${path}/attributes/${slug}`, "REQUIRED", `is required in the category ${after.category}`)]
      : []
  )
}

const judgeUpdate =
  (known: Known, shelf: Shelf) =>
  ({ index, input }: Submitted<ProductInput.UpdateInput>): Verdict => {
    const path = `/products/${index}`
    const bySize = input.sizes.flatMap(({ primary_identifier: sku }) => shelf.bySku.get(sku) ?? [])
    const before = byItemCode(shelf, input) ?? bySlug(known, shelf, input) ?? bySize[0]
    if (before === undefined) return Result.fail(rejectionOf([notFound(path, input)]))
    const after = ProductInput.updated(before, input)
    const sent = new Set(input.sizes.map(({ primary_identifier: sku }) => sku))
    const found = [
      ...immutable(known, before, input, path),
      ...references(known, input, path),
      ...gtins(input.sizes, path),
      ...sizeNames(
        input.sizes,
        before.sizes.filter(({ sku }) => !sent.has(sku)),
        path
      ),
      ...sizeKeys(input.sizes, path),
      ...skus(shelf, input.sizes, before, path),
      ...keptAttributes(known, after, input.attributes, path)
    ]
    return verdictOf(found, () => {
      shelve(shelf, after)
      return { index, before, after }
    })
  }

/**
 * Why a SKU can't go.
 */
export type Use = "OPEN_SHIPMENTS" | "RESERVED_STOCK"

const useMessages: { readonly [U in Use]: string } = {
  OPEN_SHIPMENTS: "is in a shipment that is still open",
  RESERVED_STOCK: "has stock that is reserved"
}

/**
 * What of `gone` can't go.
 */
export const inUse = (
  uses: ReadonlyMap<string, Use>,
  gone: ReadonlyArray<Pick<Size, "sku">>,
  path: string
): ReadonlyArray<Violation> =>
  gone.flatMap(({ sku }) => {
    const use = uses.get(sku)
    return use === undefined ? [] : [violation(path, use, `${JSON.stringify(sku)} ${useMessages[use]}`)]
  })

const judgeDelete =
  (known: Known, shelf: Shelf, uses: ReadonlyMap<string, Use>) =>
  ({ index, input }: Submitted<ProductInput.DeleteInput>): Verdict => {
    const path = `/products/${index}`
    const before = byItemCode(shelf, input) ?? bySlug(known, shelf, input)
    if (before === undefined) return Result.fail(rejectionOf([notFound(path, input)]))
    const named = input.sizes?.map(({ primary_identifier: sku }) => sku)
    const gone = before.sizes.filter(({ sku }) => named?.includes(sku) ?? true)
    const left = before.sizes.filter(({ sku }) => !gone.some((size) => size.sku === sku))
    const missing = (named ?? []).flatMap((sku, at) =>
      before.sizes.some((size) => size.sku === sku)
        ? []
        : [
            violation(
              `${path}/sizes/${at}/primary_identifier`,
              "UNKNOWN_SKU",
              `The product has no ${JSON.stringify(sku)}`
            )
          ]
    )
    const found = [...immutable(known, before, input, path), ...missing, ...inUse(uses, gone, path)]
    return verdictOf(found, () => {
      unshelve(shelf, before)
      const after = left.length === 0 ? null : { ...before, sizes: left }
      if (after !== null) shelve(shelf, after)
      return { index, before, after }
    })
  }

/**
 * Judges creates in order; the verdicts have the same order.
 */
export const create = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductInput.CreateInput>>
): ReadonlyArray<Verdict> => submitted.map(judgeCreate(known, shelfOf(known.products)))

/**
 * Judges updates in order; the second of one product changes what the first left.
 */
export const update = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductInput.UpdateInput>>
): ReadonlyArray<Verdict> => submitted.map(judgeUpdate(known, shelfOf(known.products)))

/**
 * Judges deletes in order; `uses` says which SKUs can't go.
 */
export const remove = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductInput.DeleteInput>>,
  uses: ReadonlyMap<string, Use>
): ReadonlyArray<Verdict> => submitted.map(judgeDelete(known, shelfOf(known.products), uses))

/**
 * The keys by which the products that a request may mean or clash with are read.
 */
export interface ProductKeys {
  readonly itemCodes: ReadonlyArray<string>
  readonly slugs: ReadonlyArray<{ readonly brand: string; readonly slug: string }>
  readonly skus: ReadonlyArray<string>
}

type AnyInput = ProductInput.KeysInput & {
  readonly sizes?: ReadonlyArray<{ readonly primary_identifier: string }> | null
}

export const keysOf = (known: Pick<Known, "brands">, inputs: ReadonlyArray<Submitted<AnyInput>>): ProductKeys => ({
  itemCodes: inputs.flatMap(({ input }) => input.item_code ?? []),
  slugs: inputs.flatMap(({ input }) => {
    const brand = brandOf(known, input)
    return input.slug === undefined || input.slug === null || brand === undefined ? [] : [{ brand, slug: input.slug }]
  }),
  skus: inputs.flatMap(({ input }) => (input.sizes ?? []).map(({ primary_identifier: sku }) => sku))
})
