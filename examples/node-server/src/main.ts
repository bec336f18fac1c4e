/**
 * `npm start`: reads the environment, serves, and stops in order.
 */
import { Cause, Effect, Exit, Fiber, Layer, Logger, RuntimeFlags, RuntimeFlagsPatch } from "effect"
import * as Host from "./Host.ts"
import * as Server from "./Server.ts"
import * as Settings from "./Settings.ts"

const longestDrain = 10_000

const stopSignal = Effect.async<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
})

const logging = ({ logFormat, logLevel }: Settings.Settings) =>
  Layer.merge(
    Logger.replace(
      Logger.defaultLogger,
      logFormat === "json"
        ? Logger.withConsoleError(Logger.jsonLogger)
        : Logger.prettyLogger({ stderr: true, colors: process.stderr.isTTY })
    ),
    Logger.minimumLogLevel(logLevel)
  )

/**
 * Counting and timing every fiber costs more than counting requests, and says less.
 */
const uncounted = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

const serve = (settings: Settings.Settings) =>
  Effect.gen(function* () {
    // Heard from the first moment on: whoever reads the line may stop the host at once.
    const stopping = yield* Effect.fork(stopSignal)
    const { drain, server } = yield* Server.make
    const context = yield* Layer.build(Host.layer(settings, server))
    const address = yield* Effect.provide(Host.address(settings), context)
    process.stdout.write(`listening on ${address}\n`)
    yield* Fiber.join(stopping)
    yield* drain(longestDrain)
  }).pipe(Effect.scoped, Effect.provide(logging(settings)), Effect.withRuntimeFlagsPatch(uncounted))

const exit = await Effect.runPromiseExit(Effect.flatMap(Settings.read(process.env), serve))
if (Exit.isFailure(exit)) process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
process.exit(Exit.isSuccess(exit) ? 0 : 1)
