/** A run of the fuzzer. The same seed gives the same run, except for ids, times and tokens. */

import * as Choice from "@crossdock/histories/Choice"
import * as Random from "@crossdock/system-tests/Random"
import * as BrokenRequest from "./BrokenRequest.ts"
import * as BrokenValue from "./BrokenValue.ts"
import type { Answer, Connection } from "./Connection.ts"
import * as FuzzRun from "./FuzzRun.ts"
import * as JsonText from "./JsonText.ts"
import * as Operation from "./Operation.ts"
import * as Place from "./Place.ts"
import * as Request from "./Request.ts"
import * as Sample from "./Sample.ts"
import * as Shipping from "./Shipping.ts"
import * as SignedIn from "./SignedIn.ts"
import * as Stories from "./Stories.ts"

export interface Settings {
  readonly seed: number
  readonly requests: number
  /** The maximum time of an answer. */
  readonly slowMillis: number
  /** The host's key for signing tokens. Without it, no token is forged. */
  readonly secret?: string
}

/** Makes one broken request. The result is undefined if that isn't possible. */
type Mutant = () => Request.Request | undefined

/** The companies of the callers. */
const companies: ReadonlyArray<number> = SignedIn.accounts.map(({ company }) => company)

const shuffled = <A>(draw: Random.Random, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => [draw(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

/** All ways to break an operation's requests: each field and parameter in each way, and the whole request. */
const mutantsOf = (
  run: FuzzRun.FuzzRun,
  means: BrokenRequest.Means,
  operation: Operation.Operation
): ReadonlyArray<Mutant> => {
  const { draw, known } = run
  const caller = Operation.needsToken(operation) ? SignedIn.fullOf(run.callers, operation) : undefined
  const sample = () => Sample.make(operation, caller, draw, known, true)
  const fields = Place.all(sample().body).flatMap((place): ReadonlyArray<Mutant> => {
    const where = `/${place.join("/")}`
    const inEachWay = BrokenValue.names.map(
      (name): Mutant =>
        () => {
          const request = sample()
          const schema = Place.schemaAt(operation.body?.schema ?? {}, place)
          const [...changed] = BrokenValue.broken(name, Place.valueAt(request.body, place), schema)
          return changed.length === 0
            ? undefined
            : { ...request, body: Place.set(request.body, place, changed[0]), broken: `${where} is ${name}` }
        }
    )
    const twice: Mutant = () => {
      const request = sample()
      const body = Place.twice(request.body, place, JsonText.of)
      return body === undefined ? undefined : { ...request, body, broken: `${where} appears twice` }
    }
    return [...inEachWay, twice]
  })
  const parameters = operation.parameters.flatMap(({ in: where, name }): ReadonlyArray<Mutant> => {
    const missing: Mutant = () => {
      const request = sample()
      return where === "query"
        ? { ...request, query: request.query.filter(([key]) => key !== name), broken: `${name} is missing` }
        : undefined
    }
    const texts = BrokenValue.texts.map(
      ([label, text]): Mutant =>
        () => {
          const request = sample()
          const broken = `${name} is ${label}`
          if (request.target !== undefined) return undefined
          // The host reads 01 as company 1, which an operator must not close here.
          if (operation.interface === "operator" && where === "path" && companies.includes(Number(text)))
            return undefined
          if (where === "path") return { ...request, path: { ...request.path, [name]: text }, broken }
          if (where === "query")
            return { ...request, query: [...request.query.filter(([key]) => key !== name), [name, text]], broken }
          return /^[\t\x20-\x7e]{1,400}$/.test(text)
            ? { ...request, headers: { ...request.headers, [name]: text }, broken }
            : undefined
        }
    )
    return [missing, ...texts]
  })
  const whole = BrokenRequest.names.map(
    (name): Mutant =>
      () =>
        BrokenRequest.broken(name, sample(), means)
  )
  return shuffled(draw, [...fields, ...parameters, ...whole])
}

/** Reports a rejected write that left a record in the audit trail. Only a change may leave a record. */
const checkUnchanged = async (run: FuzzRun.FuzzRun, request: Request.Request, answer: Answer) => {
  const logs = Request.make(Operation.named("platform audit.logs"), run.caller("ops"), {
    path: { company_id: "1" },
    query: [
      ["qs", "{}"],
      ["limit", "5"]
    ],
    expected: [200]
  })
  const { json } = await run.send(logs)
  const records = JsonText.isObject(json) && Array.isArray(json.docs) ? json.docs : []
  const isOwn = records.some((one) => JsonText.isObject(one) && one.request_id === answer.headers["x-request-id"])
  if (isOwn) run.fail(request, answer, "the write was rejected and is in the audit trail")
}

/** The stock, prices and shipments that broken requests could change. */
const stateOf = async ({ caller, send }: FuzzRun.FuzzRun): Promise<string> => {
  const skus = "22752,21730,22633,22632,84879,22745,22748,22749,22310,22639"
  const seller = caller("acme")
  const listings = await send(
    Request.make(Operation.named("seller listings.page"), seller, { query: [["skus", skus]], expected: [200] })
  )
  const created = await send(
    Request.make(Operation.named("seller shipments.info"), seller, {
      query: [
        ["orderStatus", "CREATED"],
        ["pageSize", "100"]
      ],
      expected: [200]
    })
  )
  const data = JsonText.isObject(listings.json) ? listings.json.data : undefined
  return JSON.stringify([data, created.text.replace(/https?:[^"]*/g, "")])
}

const isRejected = ({ json, status }: Answer): boolean => {
  if (status >= 400) return true
  const data = JsonText.isObject(json) && JsonText.isObject(json.data) ? json.data : json
  return JsonText.isObject(data) && (data.success_count === 0 || data.successCount === 0 || data.success === 0)
}

export interface Outcome extends FuzzRun.FuzzRun {
  /** How many of the `ways` to break a request were tried. */
  readonly tried: number
  readonly ways: number
}

export const run = async (connection: Connection, settings: Settings): Promise<Outcome> => {
  const { requests, secret, seed } = settings
  const draw = Random.make(seed)
  const run = await FuzzRun.make(connection, draw, settings)
  const shipping = Shipping.make(run)
  const stories = Stories.make(run, shipping)
  const means = { callers: run.callers, secret }
  for (const story of stories) await story()
  const queues = Operation.all.map((operation) => ({ mutants: mutantsOf(run, means, operation), next: 0 }))

  /** Takes each operation in turn. Operations with more broken requests left are taken more often. */
  const queueOf = (turn: number) => {
    const most = Choice.weighted(
      draw,
      queues.map((queue) => [Math.max(queue.mutants.length - queue.next, 1), queue] as const)
    )
    return turn % 2 === 0 ? (queues[(turn / 2) % queues.length] ?? most) : most
  }

  const valid = async () => {
    const operation = Choice.oneOf(draw, Operation.all)
    const own = run.callers.filter((one) => one.interface === operation.interface)
    const caller = Choice.isChance(draw, 0.6) ? SignedIn.fullOf(own, operation) : Choice.oneOf(draw, own)
    await run.send(
      Sample.make(
        operation,
        Operation.needsToken(operation) ? caller : undefined,
        draw,
        run.known,
        Choice.isChance(draw, 0.3)
      )
    )
  }

  const broken = async (queue: (typeof queues)[number]) => {
    const { mutants } = queue
    for (let tries = 0; tries < 50; tries++) {
      const request = mutants[queue.next++ % mutants.length]?.()
      if (request === undefined) continue
      const before = Request.isWrite(request) && Choice.isChance(draw, 0.02) ? await stateOf(run) : undefined
      const answer = await run.send(request)
      // This chance is always drawn, so that answers don't affect later choices.
      const isChecked = Choice.isChance(draw, 0.05)
      if (!Request.isWrite(request) || !isRejected(answer)) return
      if (isChecked) await checkUnchanged(run, request, answer)
      if (before !== undefined && before !== (await stateOf(run)))
        run.fail(request, answer, "the write was rejected and changed something")
      return
    }
  }

  for (let turn = 0; run.requests() < requests; turn++) {
    const kind = draw()
    if (kind < 0.6) await broken(queueOf(turn))
    else if (kind < 0.75) await valid()
    else if (kind < 0.96) await shipping.step()
    else await Choice.oneOf(draw, stories)()
  }
  return {
    ...run,
    tried: queues.reduce((sum, { mutants, next }) => sum + Math.min(next, mutants.length), 0),
    ways: queues.reduce((sum, { mutants }) => sum + mutants.length, 0)
  }
}
