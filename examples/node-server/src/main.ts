/**
 * `npm start`: reads the environment, serves, and stops in order.
 */
import "./NodeVersion.ts"
import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import * as Host from "./Host.ts"
import * as Server from "./Server.ts"
import * as Settings from "./Settings.ts"
import { StartRejected } from "./StartRejected.ts"

const longestDrain = 10_000

const stopSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
})

const logging = ({ logFormat, logLevel }: Settings.Settings) =>
  Layer.mergeAll(
    Logger.layer([
      logFormat === "json"
        ? Logger.withConsoleError(Logger.formatJson)
        : Logger.consolePretty({ colors: process.stderr.isTTY, mode: "tty" })
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )

const serve = (settings: Settings.Settings) =>
  Effect.gen(function* () {
    // Heard from the first moment on: whoever reads the line may stop the host at once.
    const stopping = yield* Effect.forkChild(stopSignal, { startImmediately: true })
    const { drain, server } = yield* Server.make
    const context = yield* Layer.build(Host.layer(settings, server))
    const address = yield* Effect.provide(Host.address(settings), context)
    process.stdout.write(`listening on ${address}\n`)
    yield* Fiber.join(stopping)
    yield* drain(longestDrain)
  }).pipe(Effect.scoped, Effect.provide(logging(settings)))

/**
 * A `StartRejected` as its message, anything else with its stack.
 */
const told = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.squash(cause)
  return failure instanceof StartRejected ? failure.message : Cause.pretty(cause)
}

const exit = await Effect.runPromiseExit(Effect.flatMap(Settings.read(process.env), serve))
if (Exit.isFailure(exit)) process.stderr.write(`${told(exit.cause)}\n`)
process.exit(Exit.isSuccess(exit) ? 0 : 1)
