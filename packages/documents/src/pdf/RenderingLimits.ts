/** Apart from `Rendering`, so that a host which draws on threads loads no PDF library itself. */
import type * as Duration from "effect/Duration"

/** The most pages of a document, and the longest time to draw it. Source: docs/reference/documents.md#limits. */
export interface Limits {
  readonly pages: number
  readonly time: Duration.Input
}

/** 1,000 pages and 20 seconds. */
export const defaultLimits: Limits = { pages: 1000, time: "20 seconds" }
