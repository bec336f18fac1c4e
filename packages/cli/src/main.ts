#!/usr/bin/env node
/**
 * `npm start`: reads the settings, serves, and shuts down gracefully.
 */
import "./NodeVersion.ts"
import { SetupError } from "@crossdock/host"
import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import * as Host from "./Host.ts"
import * as LogFormat from "./LogFormat.ts"
import * as Server from "./Server.ts"
import * as Settings from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"
import * as Telemetry from "./Telemetry.ts"

const longestDrainMillis = 10_000

const stopSignal = Effect.callback<void>((resume) => {
  const stop = () => resume(Effect.void)
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
})

const logging = ({ logFormat, logLevel }: Settings.Settings) =>
  Layer.mergeAll(
    Logger.layer([LogFormat.logger(logFormat)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )

const serve = (settings: Settings.Settings) =>
  Effect.gen(function* () {
    // Signals are handled before the line is printed: a script that reads it may stop the host at once.
    const stopping = yield* Effect.forkChild(stopSignal, { startImmediately: true })
    const { drain, server } = yield* Server.make({
      connections: settings.maxConnections,
      connectionsOfAddress: settings.trustProxy ? Infinity : settings.addressConnections,
      docsUrlAt: (port) => Host.docsUrlAt(settings, port)
    })
    const context = yield* Layer.build(
      Host.layer(settings, server, settings.telemetry.traces ? { tracer: Layer.empty } : {})
    )
    const address = yield* Effect.provide(Host.address(settings), context)
    process.stdout.write(`listening on ${address}\n`)
    yield* Fiber.join(stopping)
    yield* drain(longestDrainMillis)
    yield* Effect.logInfo("The host stops")
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Telemetry.layer(settings, process.env), logging(settings))))

/**
 * The message of a failure that says what to change; anything else with its stack.
 */
const describe = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.squash(cause)
  return failure instanceof StartFailure || failure instanceof SetupError ? failure.message : Cause.pretty(cause)
}

const exit = await Effect.runPromiseExit(Effect.flatMap(Settings.read(process.env), serve))
if (Exit.isFailure(exit)) process.stderr.write(`${describe(exit.cause)}\n`)
process.exit(Exit.isSuccess(exit) ? 0 : 1)
