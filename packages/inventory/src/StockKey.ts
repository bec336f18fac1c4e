/**
 * The name of a stock level within a company.
 */
export interface StockKey {
  readonly sku: string
  readonly location: string
}

/**
 * A text for maps and sets. SKUs and locations may contain any character, so a separator could not keep ("A B", "C") and
 * ("A", "B C") apart.
 */
export const stockKeyText = ({ location, sku }: StockKey): string => JSON.stringify([location, sku])
