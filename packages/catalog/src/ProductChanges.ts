/**
 * Decides whether each well-formed product fits the stored data. Source: docs/reference/catalog.md#data-faults.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductChanges } from "@crossdock/catalog"
 * import { known, productInput, submitted } from "@crossdock/catalog/testing"
 * import * as Result from "effect/Result"
 *
 * // Both products have the item code TEE-1.
 * const twice = submitted(productInput("TEE-1"), productInput("TEE-1", { slug: "other", sizes: [] }))
 * const outcomes = ProductChanges.creations(known(), twice)
 * const codes = outcomes.map((outcome) => (Result.isFailure(outcome) ? outcome.failure.code : "CREATED"))
 * deepStrictEqual(codes, ["CREATED", "ITEM_CODE_TAKEN"])
 * ```
 */
import type { Bulk, CompanyId, Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import type { ProductKeys } from "./CatalogStore.ts"
import type { CustomFields } from "./CustomFields.ts"
import { type Product, type Size, skusOf } from "./Product.ts"
import * as ProductMapping from "./ProductMapping.ts"
import * as ProductRules from "./ProductRules.ts"
import type { BrandIndex, ReferenceIndex } from "./ReferenceIndex.ts"
import * as References from "./References.ts"

export type { OwnRule } from "./ProductRules.ts"

/** A product as it was sent, with its index in the request. */
export interface Submitted<A> {
  readonly index: number
  readonly input: A
}

/** The well-formed products of a write. */
export type Accepted = ReadonlyArray<Submitted<unknown>>

/** A product before and after its change. `before` is null for a creation, and `after` is null for a deletion. */
export interface ProductChange {
  readonly index: number
  readonly before: Product | null
  readonly after: Product | null
}

export type Outcome = Result.Result<ProductChange, Bulk.Rejection>

/** The facts for the checks. `products` are all products of the company that have one of the request's keys. */
export interface Known {
  readonly companyId: CompanyId
  readonly template: string | undefined
  readonly index: ReferenceIndex
  readonly brands: BrandIndex
  readonly products: ReadonlyArray<Product>
  readonly rules?: ReadonlyArray<ProductRules.OwnRule>
  readonly fields?: CustomFields
}

/** The company's products that have the request's keys, including the accepted changes. */
interface ProductsByKey {
  readonly byItemCode: Map<string, Product>
  readonly bySlug: Map<string, Product>
  readonly bySku: Map<string, Product>
}

const slugKey = (brand: string, slug: string): string => `${brand}\n${slug}`

const enter = (all: ProductsByKey, product: Product): void => {
  all.byItemCode.set(product.itemCode, product)
  all.bySlug.set(slugKey(product.brand, product.slug), product)
  for (const { sku } of product.sizes) all.bySku.set(sku, product)
}

const withdraw = (all: ProductsByKey, product: Product): void => {
  all.byItemCode.delete(product.itemCode)
  all.bySlug.delete(slugKey(product.brand, product.slug))
  for (const { sku } of product.sizes) all.bySku.delete(sku)
}

const byKey = (products: ReadonlyArray<Product>): ProductsByKey => {
  const all: ProductsByKey = { byItemCode: new Map(), bySlug: new Map(), bySku: new Map() }
  for (const product of products) enter(all, product)
  return all
}

const brandOf = (brands: BrandIndex, { brand, brand_uid: uid }: ProductMapping.KeysInput): string | undefined =>
  brand ?? (uid === undefined || uid === null ? undefined : brands.byUid.get(String(uid))?.name)

const slugsOf = (brands: BrandIndex, keys: ProductMapping.KeysInput): ProductKeys["slugs"] => {
  const brand = brandOf(brands, keys)
  return keys.slug === undefined || keys.slug === null || brand === undefined ? [] : [{ brand, slug: keys.slug }]
}

const findBySlug = (all: ProductsByKey, brands: BrandIndex, keys: ProductMapping.KeysInput): Product | undefined =>
  slugsOf(brands, keys).flatMap(({ brand, slug }) => all.bySlug.get(slugKey(brand, slug)) ?? [])[0]

const findByItemCode = (all: ProductsByKey, { item_code: itemCode }: ProductMapping.KeysInput): Product | undefined =>
  itemCode === undefined || itemCode === null ? undefined : all.byItemCode.get(itemCode)

const outcomeOf = (violations: ReadonlyArray<Violation>, change: () => ProductChange): Outcome => {
  const [first, ...others] = violations
  return first === undefined ? Result.succeed(change()) : Result.fail(ProductRules.rejectionOf([first, ...others]))
}

/** Reports immutable fields that were sent with another value than the product has. */
const immutable = (
  template: string | undefined,
  product: Product,
  keys: ProductMapping.KeysInput,
  path: string
): ReadonlyArray<Violation> => {
  const pairs = [
    [`${path}/item_code`, keys.item_code, product.itemCode],
    [`${path}/slug`, keys.slug, product.slug],
    [`${path}/brand`, keys.brand, product.brand],
    [`${path}/brand_uid`, keys.brand_uid, product.brandUid],
    ["/template", template, product.template]
  ] as const
  return pairs.flatMap(([where, sent, own]) =>
    sent === undefined || sent === null || String(sent) === String(own)
      ? []
      : [
          ProductRules.violation(
            where,
            "IMMUTABLE_FIELD",
            `can't be changed: it is ${JSON.stringify(own)} since the product was created. Send that, or leave the field out`
          )
        ]
  )
}

const creation =
  (known: Known, products: ProductsByKey) =>
  ({ index, input }: Submitted<ProductMapping.CreateInput>): Outcome => {
    const path = `/products/${index}`
    const { brand, item_code: itemCode, sizes, slug } = input
    const found = [
      ...References.ofProduct(known.index, input, path),
      ...References.unknown(`${path}/brand`, "UNKNOWN_BRAND", brand, known.brands.byName),
      ...ProductRules.gtins(sizes, path),
      ...ProductRules.sizeNames(sizes, [], path),
      ...ProductRules.slug(products.bySlug.has(slugKey(brand, slug)), input, path),
      ...ProductRules.itemCode(products.byItemCode.has(itemCode), input, path),
      ...ProductRules.skus(products.bySku, sizes, null, path)
    ]
    const created = () => {
      const brandUid = known.brands.byName.get(brand)?.uid ?? 0
      const { companyId, template = "" } = known
      return ProductMapping.created(input, { companyId, template, brandUid }, known.fields)
    }
    return outcomeOf([...found, ...ProductRules.ownFaults(known, path, created)], () => {
      const after = created()
      enter(products, after)
      return { index, before: null, after }
    })
  }

const update =
  (known: Known, products: ProductsByKey) =>
  ({ index, input }: Submitted<ProductMapping.UpdateInput>): Outcome => {
    const path = `/products/${index}`
    const before =
      findByItemCode(products, input) ??
      findBySlug(products, known.brands, input) ??
      input.sizes.flatMap(({ primary_identifier: sku }) => products.bySku.get(sku) ?? [])[0]
    if (before === undefined) return Result.fail(ProductRules.rejectionOf([ProductRules.notFound(path, input)]))
    const after = ProductMapping.updated(before, input, known.fields)
    const sent = new Set(input.sizes.map(({ primary_identifier: sku }) => sku))
    const kept = before.sizes.filter(({ sku }) => !sent.has(sku))
    const found = [
      ...immutable(known.template, before, input, path),
      ...References.ofProduct(known.index, input, path),
      ...ProductRules.gtins(input.sizes, path),
      ...ProductRules.sizeNames(input.sizes, kept, path),
      ...ProductRules.skus(products.bySku, input.sizes, before, path),
      ...ProductRules.keptAttributes(known.index, after, input.attributes, path)
    ]
    return outcomeOf([...found, ...ProductRules.ownFaults(known, path, () => after)], () => {
      enter(products, after)
      return { index, before, after }
    })
  }

/** The reason why a SKU can't be deleted. Source: docs/reference/catalog.md#open-shipments. */
export type Use = "OPEN_SHIPMENTS" | "RESERVED_STOCK"

const useMessages: { readonly [U in Use]: string } = {
  OPEN_SHIPMENTS: "is in a shipment that is still open. Complete or cancel the shipment first.",
  RESERVED_STOCK: "has units reserved by orders. Delete it after they are completed or cancelled."
}

/** The violations of a delete of `sizes`. `uses` are the SKUs that are in use. */
export const inUse = (
  uses: ReadonlyMap<string, Use>,
  sizes: ReadonlyArray<Pick<Size, "sku">>,
  path: string
): ReadonlyArray<Violation> =>
  sizes.flatMap(({ sku }) => {
    const use = uses.get(sku)
    return use === undefined
      ? []
      : [ProductRules.violation(path, use, `The SKU ${JSON.stringify(sku)} can't be deleted: it ${useMessages[use]}`)]
  })

const deletion =
  (known: Known, products: ProductsByKey, uses: ReadonlyMap<string, Use>) =>
  ({ index, input }: Submitted<ProductMapping.DeleteInput>): Outcome => {
    const path = `/products/${index}`
    const before = findByItemCode(products, input) ?? findBySlug(products, known.brands, input)
    if (before === undefined) return Result.fail(ProductRules.rejectionOf([ProductRules.notFound(path, input)]))
    const named = input.sizes?.map(({ primary_identifier: sku }) => sku)
    const own = new Set(skusOf([before]))
    const leaving = named === undefined ? own : new Set(named)
    const deleted = before.sizes.filter(({ sku }) => leaving.has(sku))
    const kept = before.sizes.filter(({ sku }) => !leaving.has(sku))
    const missing = (named ?? []).flatMap((sku, at) => {
      const message = `The product has no size with the SKU ${JSON.stringify(sku)}. Send the SKU of one of its sizes.`
      return own.has(sku)
        ? []
        : [ProductRules.violation(`${path}/sizes/${at}/primary_identifier`, "UNKNOWN_SKU", message)]
    })
    const found = [...immutable(known.template, before, input, path), ...missing, ...inUse(uses, deleted, path)]
    return outcomeOf(found, () => {
      withdraw(products, before)
      const after = kept.length === 0 ? null : { ...before, sizes: kept }
      if (after !== null) enter(products, after)
      return { index, before, after }
    })
  }

/**
 * The outcome of each create, in the order of the request. Of two products with the same key, the first one succeeds. The codes
 * of rejections are `UNKNOWN_DEPARTMENT`, `UNKNOWN_CATEGORY`, `UNKNOWN_BRAND`, `UNKNOWN_TAX_RULE`, `UNKNOWN_HS_CODE`,
 * `GTIN_CHECK_DIGIT`, `DUPLICATE_SIZE`, `SLUG_TAKEN`, `ITEM_CODE_TAKEN`, `SKU_TAKEN` and those of the host's rules.
 */
export const creations = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductMapping.CreateInput>>
): ReadonlyArray<Outcome> => submitted.map(creation(known, byKey(known.products)))

/**
 * The outcome of each update, in order. A second update of a product changes the result of the first one. Further codes than
 * for `creations` are `UNKNOWN_PRODUCT`, `IMMUTABLE_FIELD`, and those of attributes that don't fit a new category, such as
 * `REQUIRED`. Source: docs/reference/catalog.md#update.
 */
export const updates = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductMapping.UpdateInput>>
): ReadonlyArray<Outcome> => submitted.map(update(known, byKey(known.products)))

/**
 * The outcome of each delete, in order. The codes are `UNKNOWN_PRODUCT`, `UNKNOWN_SKU`, `IMMUTABLE_FIELD`, and for SKUs in
 * `uses` also `OPEN_SHIPMENTS` and `RESERVED_STOCK`. Source: docs/reference/catalog.md#delete.
 */
export const deletions = (
  known: Known,
  submitted: ReadonlyArray<Submitted<ProductMapping.DeleteInput>>,
  uses: ReadonlyMap<string, Use>
): ReadonlyArray<Outcome> => submitted.map(deletion(known, byKey(known.products), uses))

type AnyInput = ProductMapping.KeysInput & {
  readonly sizes?: ReadonlyArray<{ readonly primary_identifier: string }> | null
}

/** All keys of a request's products. Use them to read `Known.products`. */
export const keysOf = (brands: BrandIndex, inputs: ReadonlyArray<Submitted<AnyInput>>): ProductKeys => ({
  itemCodes: inputs.flatMap(({ input }) => input.item_code ?? []),
  slugs: inputs.flatMap(({ input }) => slugsOf(brands, input)),
  skus: inputs.flatMap(({ input }) => (input.sizes ?? []).map(({ primary_identifier: sku }) => sku))
})
