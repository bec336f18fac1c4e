/**
 * Times in answers: ISO 8601 in UTC.
 */
import * as DateTime from "effect/DateTime"

/**
 * The text of an instant in epoch milliseconds.
 */
export const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/**
 * The text of an instant in epoch milliseconds; null for null.
 */
export const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))
