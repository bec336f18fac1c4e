/** The sandbox's time: the machine's, moved ahead by `crossdock clock advance`. Source: docs/reference/host.md#clock. */
import { Directory } from "@crossdock/access"
import { AuditStore } from "@crossdock/audit"
import { bodyOf, Failure, RequestId } from "@crossdock/http"
import { Clock, Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Answer from "./Answer.ts"

/** The milliseconds of a text such as `90s`, `10m`, `48h` or `14d`, up to a year. Undefined for any other text. */
export const millisOf = (text: string): number | undefined => {
  const [, count = "", unit = ""] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  const millis = Number(count) * ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN)
  return millis > 0 && millis <= 366 * 86_400_000 ? millis : undefined
}

/** A clock, and how far it is ahead of the machine's. It never moves back, because records follow each other in time. */
export class SandboxClock extends Context.Service<
  SandboxClock,
  { readonly clock: Clock.Clock; readonly advance: (millis: number) => number; readonly ahead: () => number }
>()("@crossdock/cli/SandboxClock") {}

/** The methods of a clock that shows this time. */
export const readings = (millis: () => number) => {
  const nanos = () => BigInt(millis()) * 1_000_000n
  const own = { currentTimeMillisUnsafe: millis, currentTimeMillis: Effect.sync(millis) }
  return { ...own, currentTimeNanosUnsafe: nanos, currentTimeNanos: Effect.sync(nanos) }
}

/** Makes the clock. Until it is advanced, it behaves exactly like the machine's clock. */
const make = Effect.map(Clock.Clock, (machine) => {
  let ahead = 0
  const millis = () => machine.currentTimeMillisUnsafe() + ahead
  const clock: Clock.Clock = Object.create(machine)
  const advance = (by: number): number => {
    ahead += Math.ceil(by)
    Object.assign(clock, readings(millis))
    return millis()
  }
  return { clock, advance, ahead: () => ahead }
})

/** The host's clock, which is the machine's until a sandbox advances it. */
export const layer = Layer.unwrap(
  Effect.map(make, (own) => Layer.merge(Layer.succeed(SandboxClock, own), Layer.succeed(Clock.Clock, own.clock)))
)

/** Moves the clock ahead to the sandbox's newest change, so that it goes on there after a restart. */
export const resume = Effect.gen(function* () {
  const { advance, clock } = yield* SandboxClock
  const audit = yield* AuditStore
  const companies = yield* Effect.flatMap(Directory, ({ companies }) => companies)
  const heads = yield* audit.heads(companies.map(({ id }) => id))
  const newest = yield* Effect.forEach(heads, ({ companyId, sequence }) => audit.read(companyId, sequence - 1, 1))
  const ahead = Math.max(0, ...newest.flat().map(({ at }) => at - clock.currentTimeMillisUnsafe()))
  if (ahead > 0) advance(ahead)
})

export const path = "/sandbox/clock"

/** The header that the route requires, since a page of another site can't send it. */
export const header = "x-crossdock-clock"

/** The most milliseconds by which a sandbox can be ahead, about a century. */
const farthest = 100 * 366 * 86_400_000

const foreign = new Failure({ code: "FORBIDDEN", message: `Send the header ${header}: 1, as crossdock clock does` })

const unknownSpan = new Failure({
  code: "VALIDATION_FAILED",
  message: "advance must be a time such as 90s, 10m, 48h or 14d, up to 366 days, and 100 years in all"
})

/** The route `POST /sandbox/clock?advance=14d` of sandboxes. Background work that becomes due runs within seconds. */
export const route = HttpRouter.add(
  "POST",
  path,
  Effect.gen(function* () {
    const { advance, ahead } = yield* SandboxClock
    const { headers, url } = yield* HttpServerRequest.HttpServerRequest
    const millis = millisOf(new URLSearchParams(url.split("?")[1]).get("advance") ?? "")
    if (headers[header] !== undefined && millis !== undefined && ahead() + millis <= farthest)
      return yield* HttpServerResponse.json({ now: Answer.time(advance(millis)) })
    const fault = headers[header] === undefined ? foreign : unknownSpan
    return yield* HttpServerResponse.json(bodyOf(fault, yield* RequestId, ""), { status: fault.status })
  })
)
