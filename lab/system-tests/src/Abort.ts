/** Requests whose caller closes the connection at a random moment. Their outcome is then unknown, as after a lost answer. */
import type { ClientRequest } from "node:http"
import type { Random } from "./Random.ts"

/** The share of the body that is sent, and how many milliseconds later the connection is closed. */
export interface Abort {
  readonly share: number
  readonly millis: number
}

export interface Aborts {
  /** Draws whether the next request is aborted, and when: between its start and some time after the usual answer. */
  readonly next: () => Abort | undefined
  /** Learns how long an answer took. */
  readonly answered: (millis: number) => void
  /** How many requests ended without an answer because of their abort. */
  count: number
}

export const make = (draw: Random, probability: number): Aborts => {
  let usual = 5
  return {
    count: 0,
    next: () => {
      const [chance, part, delay] = [draw(), draw(), draw()]
      const share = part < 0.1 ? 0 : part < 0.2 ? 0.5 : 1
      return chance < probability ? { share, millis: delay * 1.5 * usual } : undefined
    },
    answered: (millis) => {
      usual += (millis - usual) / 10
    }
  }
}

/** Sends the body and ends the request. An aborted request fails, unless it is answered before. */
export const send = (request: ClientRequest, body: string | Buffer | undefined, abort?: Abort): void => {
  if (abort === undefined || body === undefined || abort.share === 1) request.end(body)
  else {
    const bytes = Buffer.from(body)
    request.flushHeaders()
    request.write(bytes.subarray(0, bytes.length * abort.share))
  }
  if (abort === undefined) return
  const close = () => request.destroy(new Error("The caller closed the connection"))
  const timer = setTimeout(close, abort.millis)
  request.once("close", () => clearTimeout(timer))
}
