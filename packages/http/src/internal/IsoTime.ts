/**
 * Times in answers: ISO 8601 in UTC.
 */

/**
 * The text of an instant in epoch milliseconds.
 */
export const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * The text of an instant in epoch milliseconds; null for null.
 */
export const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))
