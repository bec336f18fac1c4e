/**
 * Pages of a list.
 */

/**
 * `number` counts from 1.
 */
export interface Page {
  readonly number: number
  readonly size: number
}

/**
 * One page of a list and how many records the whole list has.
 */
export interface Paged<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/**
 * How many records come before the page.
 */
export const offset = (page: Page): number => (page.number - 1) * page.size
