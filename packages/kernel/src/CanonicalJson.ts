/**
 * JSON text that is the same for equal values: the keys of every object are in order.
 */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)])
  )
}

export const stringify = (value: unknown): string => JSON.stringify(sorted(value))
