/** The events of products in a company's change feed. Source: docs/reference/events.md. */
import { CompanyEvent } from "@crossdock/audit"
import { frozen } from "@crossdock/kernel"
import * as Schema from "effect/Schema"
import * as CustomFields from "./CustomFields.ts"
import { type Product, skusOf } from "./Product.ts"
import type { ProductChange } from "./ProductChanges.ts"

const product = {
  itemCode: Schema.String,
  brand: Schema.String,
  slug: Schema.String,
  skus: Schema.Array(Schema.String).annotate({ description: "The primary identifiers of its sizes." }),
  customFields: CustomFields.inEvent
}

const example = { itemCode: "85123A", brand: "Lumen", slug: "white-hanging-heart", skus: ["85123A-S", "85123A-M"] }

export const created = CompanyEvent.define({
  type: "product.created",
  description: "A product was created.",
  data: Schema.Struct(product),
  example
})

export const updated = CompanyEvent.define({
  type: "product.updated",
  description: "A product was updated, perhaps with the same content.",
  data: Schema.Struct({
    ...product,
    deletedSkus: Schema.Array(Schema.String).annotate({
      description: "The SKUs of its deleted sizes. Their stock and prices are deleted too."
    })
  }),
  example: { ...example, deletedSkus: ["85123A-L"] }
})

export const deleted = CompanyEvent.define({
  type: "product.deleted",
  description: "A product was deleted, with the stock and prices of its sizes.",
  data: Schema.Struct(product),
  example
})

export const types = /* @__PURE__ */ frozen([created, updated, deleted] as const)

const dataOf = (one: Product) => {
  const { brand, customFields, itemCode, slug } = one
  return { itemCode, brand, slug, skus: skusOf([one]), ...(customFields === undefined ? {} : { customFields }) }
}

const draftsOf = ({
  after,
  before
}: Pick<ProductChange, "before" | "after">): ReadonlyArray<CompanyEvent.EventDraft> => {
  if (after === null) return before === null ? [] : [CompanyEvent.draft(deleted, dataOf(before))]
  if (before === null) return [CompanyEvent.draft(created, dataOf(after))]
  const data = dataOf(after)
  const kept = new Set(data.skus)
  return [CompanyEvent.draft(updated, { ...data, deletedSkus: skusOf([before]).filter((sku) => !kept.has(sku)) })]
}

/**
 * The events of a write, in the order of its products.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductFeed } from "@crossdock/catalog"
 *
 * deepStrictEqual(ProductFeed.eventsOf([{ before: null, after: null }]), [])
 * ```
 */
export const eventsOf = (
  changes: ReadonlyArray<Pick<ProductChange, "before" | "after">>
): ReadonlyArray<CompanyEvent.EventDraft> => changes.flatMap(draftsOf)
