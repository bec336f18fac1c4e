/**
 * Pages of a list.
 */

/**
 * Which page to read. `number` counts from 1.
 */
export interface Page {
  readonly number: number
  readonly size: number
}

/**
 * The items of one page, and the number of items in the whole list.
 */
export interface Paged<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/**
 * The number of items before the page.
 */
export const offset = (page: Page): number => (page.number - 1) * page.size
