/**
 * Slugs: the part of an address that identifies a product. Source: docs/reference/catalog-rules.md#a-create.
 */

/** The pattern of a slug: words of lower-case letters and digits, joined by single hyphens. */
export const pattern = "^[a-z0-9]+(?:-[a-z0-9]+)*$"

/**
 * A slug made from a text: without accents, and with a hyphen for everything else that isn't a letter or digit.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Slug } from "@crossdock/catalog"
 *
 * strictEqual(Slug.suggest("Café, plain"), "cafe-plain")
 * ```
 */
export const suggest = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
