/**
 * How a receiver's answer is judged, when a rejected notification is sent again, and when no more.
 */

/**
 * What came of one try. `reason` is for operators and names no address, secret or body.
 */
export type Answer =
  | { readonly _tag: "Answered"; readonly status: number }
  | { readonly _tag: "Unanswered"; readonly reason: string }

/**
 * Any 2xx is taken as accepted; everything else, a redirect too, is tried again (contract, Inventory webhook).
 */
export const isAccepted = (answer: Answer): boolean =>
  answer._tag === "Answered" && answer.status >= 200 && answer.status <= 299

export const reasonOf = (answer: Answer): string =>
  answer._tag === "Answered" ? `answered with status ${answer.status}` : answer.reason

/**
 * How long a receiver may be silent, in milliseconds (contract, Inventory webhook).
 */
export const silence = 10_000

const shortest = 1000

/**
 * The longest wait between two tries, in milliseconds.
 */
export const longest = 3_600_000

/**
 * Milliseconds until the next try after so many failures in a row (1 or more): it doubles from 1 s to 1 h. `random`, from
 * 0 to 1, spreads the tries over the upper half, so that receivers that failed together are not called together.
 */
export const delay = (failures: number, random: number): number => {
  const ceiling = Math.min(longest, shortest * 2 ** Math.min(failures, 30))
  return Math.round(ceiling / 2 + (random * ceiling) / 2)
}

/**
 * How long an event is tried before it is set aside, in milliseconds (contract, Inventory webhook).
 */
export const triedFor = 3 * 86_400_000

/**
 * How many of a rejected body's events, from the first on, are dead letters at `now`: those whose change is three days
 * old, once the receiver has rejected for three days. What changed later has its three days still before it; a change that
 * is more than three days ahead was made by a clock that was wrong, and could wait for ever.
 */
export const deadOf = (
  events: ReadonlyArray<{ readonly occurredAt: number }>,
  rejectedSince: number,
  now: number
): number => {
  if (now - rejectedSince < triedFor) return 0
  const young = events.findIndex((event) => Math.abs(now - event.occurredAt) < triedFor)
  return young === -1 ? events.length : young
}
