/** Sends requests, checks and counts every answer, and collects ids and faults. */
import * as Abort from "@crossdock/system-tests/Abort"
import * as Random from "@crossdock/system-tests/Random"
import * as Checks from "./Checks.ts"
import type { Answer, Connection } from "./Connection.ts"
import { isObject } from "./JsonText.ts"
import * as Knowledge from "./Knowledge.ts"
import * as Request from "./Request.ts"
import * as Shrink from "./Shrink.ts"
import * as SignedIn from "./SignedIn.ts"

export interface Failure {
  readonly operation: string
  readonly broken: string
  readonly fault: string
  /** The previous request on the connection. */
  readonly after: string
  /** The smallest request with this fault, as a curl command. */
  curl: string
  readonly answer: string
  times: number
}

export interface FuzzRun {
  readonly draw: Random.Random
  readonly known: Knowledge.Knowledge
  readonly callers: ReadonlyArray<SignedIn.SignedIn>
  readonly caller: (name: string) => SignedIn.SignedIn
  /** Sends a request and checks the answer. */
  readonly send: (request: Request.Request) => Promise<Answer>
  /** Like `send`, but doesn't learn ids from the answer. */
  readonly sendUnlearned: (request: Request.Request) => Promise<Answer>
  readonly fail: (request: Request.Request, answer: Answer, fault: string) => void
  /** Advances the sandbox's clock. It returns the new time, or NaN if the request was rejected. */
  readonly advance: (by: string) => Promise<number>
  readonly requests: () => number
  /** How many requests were aborted before their answer. */
  readonly aborted: () => number
  readonly failures: ReadonlyMap<string, Failure>
  /** How often each operation had each status. */
  readonly statuses: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** The kind of a fault. Faults of one kind may differ in numbers and quotations. */
const kindOf = (fault: string): string =>
  fault
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\d+/g, "#")
    .slice(0, 120)

interface Limits {
  readonly seed: number
  readonly secret?: string
  readonly slowMillis: number
}

export const make = async (
  connection: Connection,
  draw: Random.Random,
  { secret, seed, slowMillis }: Limits
): Promise<FuzzRun> => {
  const known = Knowledge.make(draw, seed, secret !== undefined)
  const callers = await SignedIn.all(connection)
  const failures = new Map<string, Failure>()
  const statuses = new Map<string, Map<number, number>>()
  const aborts = Abort.make(Random.make(seed + 1), 0.05)
  let sent = 0
  let [before, last] = ["", ""]

  /** Notes a failure. It returns the failure only if it is the first of its kind. */
  const note = (request: Request.Request, answer: Answer, fault: string): Failure | undefined => {
    const { broken, operation } = request
    const key = `${operation.id} ${kindOf(fault)}`
    const known = failures.get(key)
    if (known !== undefined) {
      known.times++
      return undefined
    }
    const shown = `${answer.status} ${answer.text.slice(0, 600)}`
    const curl = Request.curlOf(request, connection.url)
    const failure = { operation: operation.id, broken, fault, after: before, curl, answer: shown, times: 1 }
    failures.set(key, failure)
    return failure
  }

  const isRunning = ({ json, status }: Answer) =>
    status === 409 && isObject(json) && json.code === "IDEMPOTENCY_IN_FLIGHT"

  /** Aborts some reads and writes, and sends them again with the same key. An order needs no key: its external id is one. */
  const exchange = async (request: Request.Request): Promise<Answer> => {
    const abort = aborts.next()
    if (abort === undefined || !(Request.isWrite(request) || request.method === "GET")) return connection.send(request)
    const key =
      request.operation.id === "marketplace orders.create" ? {} : { "idempotency-key": `abort-${seed}-${sent}` }
    const keyed = { ...request, headers: { ...key, ...request.headers } }
    if ((await connection.send(keyed, abort)).status === 0) aborts.count++
    for (let tries = 0; ; tries++) {
      const answer = await connection.send(keyed)
      if (tries === 500 || !isRunning(answer)) return answer
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const sendUnlearned = async (request: Request.Request): Promise<Answer> => {
    const answer = await exchange(request)
    aborts.answered(answer.millis)
    sent++
    before = last
    last = `${request.operation.id}, ${request.broken}: ${answer.status}`
    const counts = statuses.get(request.operation.id) ?? new Map<number, number>()
    statuses.set(request.operation.id, counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1))
    for (const fault of Checks.faults(request, answer, slowMillis)) {
      const failure = note(request, answer, fault)
      if (failure === undefined) continue
      const isSame = async (smaller: Request.Request) => {
        const again = await connection.send(smaller)
        return Checks.faults(smaller, again, slowMillis).some((one) => kindOf(one) === kindOf(fault))
      }
      failure.curl = Request.curlOf(await Shrink.smallest(request, isSame), connection.url)
    }
    return answer
  }

  const send = async (request: Request.Request): Promise<Answer> => {
    const answer = await sendUnlearned(request)
    if (answer.status < 300) known.learn(answer.json)
    return answer
  }

  return {
    draw,
    known,
    callers,
    caller: (name) => {
      const found = callers.find((one) => one.name === name)
      if (found === undefined) throw new Error(`${name} is not signed in`)
      return found
    },
    send,
    sendUnlearned,
    fail: (request, answer, fault) => void note(request, answer, fault),
    advance: async (by) => {
      const headers = { "x-crossdock-clock": "1" }
      const answer = await fetch(`${connection.url}/sandbox/clock?advance=${by}`, { method: "POST", headers })
      return Date.parse(((await answer.json()) as { readonly now?: string }).now ?? "")
    },
    requests: () => sent,
    aborted: () => aborts.count,
    failures,
    statuses
  }
}
