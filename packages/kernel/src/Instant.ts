const pattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * An instant from ISO 8601 text with its offset, in epoch milliseconds. Undefined for text of another form, and for a day
 * or a time that does not exist: `Date.parse` alone would carry 30 February into March and 24:00 into the next day.
 */
export const parseInstant = (text: string): number | undefined => {
  const [, day, time, seconds = "00"] = pattern.exec(text) ?? []
  const written = `${day}T${time}:${seconds}`
  const [asUtc, millis] = [Date.parse(`${written}Z`), Date.parse(text)]
  if (Number.isNaN(asUtc) || Number.isNaN(millis)) return undefined
  return new Date(asUtc).toISOString().startsWith(written) ? millis : undefined
}
