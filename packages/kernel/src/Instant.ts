const pattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * An instant from ISO 8601 text with its offset, in epoch milliseconds. Undefined for text of another form and for a day or
 * a time that doesn't exist, which `Date.parse` alone would accept: 30 February as a day in March, 24:00 as the next day.
 * Source: docs/reference/requests.md#times.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { parseInstant } from "@crossdock/kernel"
 *
 * strictEqual(parseInstant("1970-01-01T00:00:01Z"), 1000)
 * strictEqual(parseInstant("2026-02-30T00:00:00Z"), undefined)
 * ```
 */
export const parseInstant = (text: string): number | undefined => {
  const [, day, time, seconds = "00"] = pattern.exec(text) ?? []
  const written = `${day}T${time}:${seconds}`
  const [asUtc, millis] = [Date.parse(`${written}Z`), Date.parse(text)]
  if (Number.isNaN(asUtc) || Number.isNaN(millis)) return undefined
  return new Date(asUtc).toISOString().startsWith(written) ? millis : undefined
}
