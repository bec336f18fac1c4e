/**
 * Paper sizes, in points.
 */
import type { PrintSize } from "../../DocumentRenderer.ts"

export interface PageSize {
  readonly width: number
  readonly height: number
}

/** The sizes of ISO 216. */
export const pageSizes: { readonly [Size in PrintSize]: PageSize } = {
  a4: { width: 595.28, height: 841.89 },
  a6: { width: 297.64, height: 419.53 }
}
