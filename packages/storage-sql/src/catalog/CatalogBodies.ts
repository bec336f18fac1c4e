/**
 * The stored bodies of the catalog. A product's sizes are rows of their own.
 */
import type { CatalogWrite, Product, ReferenceData, Size } from "@crossdock/catalog"
import { StoredBody } from "@crossdock/kernel"

export const products = StoredBody.make<Omit<Product, "sizes">>({
  name: "product",
  fields: {
    companyId: true,
    itemCode: true,
    name: true,
    slug: true,
    brand: true,
    brandUid: true,
    category: true,
    departments: true,
    template: true,
    hsCode: true,
    taxRule: true,
    countryOfOrigin: true,
    attributes: true,
    traders: [{ type: true, name: true, address: true }],
    details: true
  }
})

export const sizes = StoredBody.make<Size>({
  name: "size",
  fields: {
    sku: true,
    name: true,
    price: true,
    priceEffective: true,
    length: true,
    width: true,
    height: true,
    weight: true,
    trackInventory: true,
    identifiers: [{ value: true, type: true, primary: true }]
  }
})

export const writes = StoredBody.make<Pick<CatalogWrite, "total" | "failures">>({
  name: "catalog write",
  fields: { total: true, failures: [{ index: true, code: true, message: true }] }
})

export const reference: {
  readonly [K in keyof ReferenceData]: ReturnType<typeof StoredBody.make<ReferenceData[K][number]>>
} = {
  departments: StoredBody.make({ name: "department", fields: { uid: true, name: true, slug: true, isActive: true } }),
  categories: StoredBody.make({
    name: "category",
    fields: {
      uid: true,
      name: true,
      slug: true,
      level: true,
      departments: true,
      parent: true,
      l1: true,
      l2: true,
      isActive: true,
      channels: true
    }
  }),
  templates: StoredBody.make({
    name: "template",
    fields: { slug: true, name: true, departments: true, categories: true, isActive: true }
  }),
  attributes: StoredBody.make({
    name: "attribute",
    fields: { slug: true, name: true, categories: true, schema: { type: true, mandatory: true, multi: true } }
  }),
  hsCodes: StoredBody.make({
    name: "HS code",
    fields: { code: true, type: true, description: true, countryCode: true }
  }),
  taxRules: StoredBody.make({
    name: "tax rule",
    fields: {
      id: true,
      name: true,
      status: true,
      versions: [{ versionStatus: true, applicableFrom: true, components: [{ name: true, rate: true }] }]
    }
  })
}
