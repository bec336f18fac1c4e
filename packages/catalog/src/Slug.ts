/**
 * The part of a product's address that names it (document 1, Product input).
 */

/** Lower-case letters and digits in words that single hyphens join. */
export const pattern = "^[a-z0-9]+(?:-[a-z0-9]+)*$"

/**
 * The slug that a text comes to: accents taken off, everything else that is no letter or digit a hyphen.
 */
export const suggest = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
