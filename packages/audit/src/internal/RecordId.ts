/**
 * The ids of audit records, which sort in the order of commits.
 */

const sequenceDigits = 12

/**
 * The id of the record with this sequence; `random` is 24 hex characters.
 */
export const idOf = (sequence: number, random: string): string =>
  sequence.toString(16).padStart(sequenceDigits, "0") + random.slice(sequenceDigits)

/**
 * The sequence that is encoded in a record's id; undefined when the text isn't an id.
 */
export const sequenceOf = (id: string): number | undefined =>
  /^[0-9a-f]{24}$/.test(id) ? Number.parseInt(id.slice(0, sequenceDigits), 16) : undefined
