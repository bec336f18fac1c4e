/** The spellings of AWB numbers and of couriers' names that count as equal. Source: docs/reference/shipments.md#awb. */
import { Text } from "@crossdock/kernel"

/**
 * An AWB number as it is stored and looked up: normalized, and with single spaces. Case matters.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { comparableCourier, storedAwb } from "@crossdock/shipments"
 *
 * deepStrictEqual([storedAwb(" s  1"), comparableCourier("Straße ")], ["s 1", "STRASSE"])
 * ```
 */
export const storedAwb = (awb: string): string => awb.normalize().replace(/\s+/gu, " ").trim()

/** A courier's name for comparison. Case, composition, width and white space don't matter, and "ß" equals "SS". */
export const comparableCourier = (name: string): string =>
  Text.folded(Text.folded(name).toUpperCase()).replace(/\s+/gu, " ").trim()
