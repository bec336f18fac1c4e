/** Pages of a list. */

/** Which page to read. The first page has the `number` 1. */
export interface Page {
  readonly number: number
  readonly size: number
}

/** The items of one page, and the number of items in the whole list. */
export interface Paged<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/**
 * The number of items on the pages before this one.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { Page } from "@crossdock/kernel"
 *
 * strictEqual(Page.offset({ number: 3, size: 20 }), 40)
 * ```
 */
export const offset = (page: Page): number => (page.number - 1) * page.size
