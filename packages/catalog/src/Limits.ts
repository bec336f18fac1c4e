/**
 * Limits of products and of the requests that write them. Texts without a limit of their own follow `Text` of the kernel.
 * Source: docs/reference/catalog.md#shape-faults.
 */
export const Limits = {
  /** Products in one create, update or delete. Source: docs/reference/bulk.md#limits. */
  productsPerRequest: 100,
  /** Faults after which the lists and free-form values of a product are not searched for more. */
  faults: 1_000,
  /** The largest measure or price: 15 digits. Source: docs/reference/requests.md#money. */
  amount: 999_999_999_999_999,
  /** Characters of a product's or brand's name. */
  name: 300,
  /** Characters of a product's short description. */
  shortDescription: 50,
  /** Characters of a product's description. */
  description: 5000
} as const
