/** Runs commands of `crossdock` in this process, on the clock of the caller. */
import * as Crossdock from "@crossdock/cli/Crossdock"
import { Terminal } from "@crossdock/cli/Terminal"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Effect } from "effect"

/** Runs a command, which must succeed, and returns its output. It shares only the clock with the caller. */
export const crossdock = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const said = { write: "", writeError: "" }
  const to = (name: keyof typeof said) => (text: string) =>
    Effect.sync(() => {
      said[name] += text
    })
  const work = Crossdock.run(args).pipe(
    Effect.updateService(Terminal, (own) => ({
      ...own,
      write: to("write"),
      writeError: to("writeError"),
      environment: {},
      isWatched: false
    })),
    Effect.provideService(Console.Console, Object.assign(Object.create(console), { log: () => {}, error: () => {} })),
    Effect.provide(NodeServices.layer),
    Effect.provideService(Clock.Clock, yield* Clock.Clock)
  )
  const code = yield* Effect.promise(() => Effect.runPromise(work))
  return code === 0
    ? said.write
    : yield* Effect.die(new Error(`crossdock ${args.join(" ")}: ${code} ${said.write}${said.writeError}`))
})
