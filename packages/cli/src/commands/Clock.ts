/** `crossdock clock`: moves the time of a sandbox ahead. So trials, retries and expiries can be watched without waiting. */
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { HttpClient } from "effect/http"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as RunningHost from "../RunningHost.ts"
import * as SandboxClock from "../SandboxClock.ts"

export const command = CommandLine.group("clock", "Moves the time of a sandbox.", [
  RunningHost.define({
    name: "advance",
    does: "Moves the clock of a running sandbox ahead. Background work that is then due runs within seconds. Tokens can expire. Other hosts reject the command.",
    examples: ["clock advance 14d", "clock advance 90s"],
    options: {
      url: RunningHost.url,
      by: Argument.String("by").pipe(
        Argument.filter(
          (text) => SandboxClock.millisOf(text) !== undefined,
          () => "a time such as 90s, 10m, 48h or 14d, up to 366 days"
        ),
        Argument.withDescription("the time to skip: 90s, 10m, 48h, 14d")
      )
    },
    *run({ by, url }) {
      const sent = HttpClient.post(`${url}${SandboxClock.path}?advance=${by}`, {
        headers: { [SandboxClock.header]: "1" }
      })
      const { json, status } = yield* Effect.mapError(
        sent,
        () => new CommandFailure(`There is no host at ${url}. Start one with crossdock start.`)
      )
      if (status === 404)
        return yield* new CommandFailure(`The host at ${url} has no sandbox of its own: its clock is the machine's.`)
      const { message = "", now } = (yield* json) as { readonly message?: string; readonly now?: string }
      return now === undefined
        ? yield* new CommandFailure(message)
        : Answer.sentence(`It is ${now} in the sandbox.`, { now })
    }
  })
])
