/** Plays a retailer's day in a new sandbox, with the ids of the documented examples. Source: docs/reference/host.md#day. */
import { readFile } from "node:fs/promises"
import { Directory } from "@crossdock/access"
import { BillingRun, PaymentProviderTest } from "@crossdock/billing"
import { Host, type Services } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { Ids } from "@crossdock/kernel"
import { type NotificationChannel, NotificationStore } from "@crossdock/notifications"
import { Clock, Context, Effect, Layer, References } from "effect"
import { StartFailure } from "./CommandFailure.ts"
import * as Sandbox from "./Sandbox.ts"
import * as SandboxClock from "./SandboxClock.ts"

interface Step {
  /** The method and the path, such as `PUT /ims/v3/inventory`. */
  readonly send: string
  readonly body: unknown
  /** The ids that the step creates are numbered from `ids` + 1. */
  readonly ids?: number
  /** Whether to accept and bill the subscription that the step creates. */
  readonly accepts?: boolean
}

/** The time at which catalog and stock are set up, and with which all ids begin. The day itself ends when the host starts. */
const since = Date.UTC(2026, 0, 31, 12)
/** Milliseconds between two steps of the day, and milliseconds for which the dead letter was tried. */
const [pause, tries] = [180_000, 3 * 86_400_000]
const url = "http://127.0.0.1"

const data = Effect.promise(
  async (): Promise<{
    readonly before: ReadonlyArray<Step>
    readonly day: ReadonlyArray<Step>
    readonly deadLetter: Omit<NotificationChannel.DeadLetter, "companyId" | "since" | "at">
  }> => JSON.parse(await readFile(new URL("../data/day.json", import.meta.url), "utf8"))
)

/** Makes ids that are the same in every sandbox. After `starting(n)` the next ids have the numbers after n. */
const numbered = () => {
  let last = 0
  const next = (length: number) => String(++last).padStart(length, "0")
  const ids = Ids.Ids.of({
    decimals: (count) => Effect.sync(() => Array.from({ length: count }, () => `${since}${next(7)}`)),
    hex: Effect.sync(() => since.toString(16).padStart(11, "0") + next(13))
  })
  return { ids, starting: (number: number) => (last = number) }
}

/** The failure if the database has companies already: another host plays the day, or a start was killed in the middle. */
const unplayable = (cause?: unknown) =>
  new StartFailure({
    message:
      "SANDBOX=day needs a database without companies. If another host plays the day now, start again when it listens; otherwise use an empty database, or SANDBOX=1.",
    cause
  })

/** Loads a sandbox with a day. `load` decides when the day is played. */
export const load = (load: Sandbox.Load): ReturnType<Sandbox.Load> =>
  Effect.gen(function* () {
    const directory = yield* Directory
    if ((yield* directory.companies).length > 0) return yield* unplayable()
    const machine = yield* Clock.Clock
    let now = since
    const clock: Clock.Clock = Object.assign(
      Object.create(machine),
      SandboxClock.readings(() => now)
    )
    const { ids, starting } = numbered()
    const day = Effect.gen(function* () {
      const steps = yield* data
      const quiet = Context.add(yield* Effect.context<Services.Services>(), References.MinimumLogLevel, "None")
      const storage = Context.add(quiet, Clock.Clock, clock)
      const host = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Host.make({
            storage: Layer.succeedContext(storage),
            runtime: Node.runtime(),
            payments: PaymentProviderTest.layer,
            ids: Layer.succeed(Ids.Ids, ids),
            publicUrl: url,
            addressOf: () => "sandbox",
            workers: false,
            signIn: Sandbox.senders
          })
        ),
        ({ dispose }) => Effect.promise(dispose)
      )
      const play = ({ accepts, body, ids, send }: Step) =>
        Effect.tryPromise({
          catch: unplayable,
          try: async () => {
            if (ids !== undefined) starting(ids)
            const [method = "", path] = send.split(" ")
            const headers = { "content-type": "application/json" }
            const json = JSON.stringify(body)
            const answer = await host.handler(new Request(`${url}${path}`, { method, headers, body: json }))
            const text = await answer.text()
            if (!answer.ok || /"failed_?count":[1-9]/i.test(text)) throw new Error(`${send}: ${text}`)
            if (!accepts) return
            const form = new URLSearchParams({ decision: "accept" })
            await host.handler(new Request(JSON.parse(text).confirm_url, { method: "POST", body: form }))
            await host.run(Effect.flatMap(BillingRun.BillingRun, ({ bill, collect }) => Effect.andThen(bill, collect)))
          }
        })
      for (const step of steps.before) yield* play(step)
      const began = machine.currentTimeMillisUnsafe() - steps.day.length * pause
      for (const [nth, step] of steps.day.entries()) {
        now = began + nth * pause
        yield* play(step)
      }
      const letter = { ...steps.deadLetter, companyId: Sandbox.acme, since: now - tries, at: now }
      yield* (yield* NotificationStore).addDeadLetter(letter)
    }).pipe(Effect.scoped)
    return yield* Effect.provideService(load(day), Clock.Clock, clock)
  })
