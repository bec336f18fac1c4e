/**
 * An agreement as it is read: with its status at the present time.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Agreement, statusAt } from "../Agreement.ts"

export const withPresentStatus = (agreement: Agreement): Effect.Effect<Agreement> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ ...agreement, status: statusAt(agreement, now) }))
