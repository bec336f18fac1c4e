/** `crossdock start`: serves the interfaces, and shuts down gracefully. */
import { Cause, Context, Effect, Fiber, Layer, Logger, References } from "effect"
import * as CommandLine from "../CommandLine.ts"
import * as Host from "../Host.ts"
import { settings } from "../Management.ts"
import * as RunningHost from "../RunningHost.ts"
import * as Server from "../Server.ts"
import type { Settings } from "../Settings.ts"
import { isInMemory, nameOf } from "../Storage.ts"
import * as Telemetry from "../Telemetry.ts"
import { stopSignal, Terminal } from "../Terminal.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Logs lines such as `10:41:05.224 INFO GET /health/live 200 1 ms status=200 …`. The stack of a cause is on further lines. */
const pretty = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const words = (Array.isArray(message) ? message : [message]).map((one) =>
    Cause.isCause(one) ? Cause.pretty(one) : one instanceof Error ? (one.stack ?? one.message) : text(one)
  )
  const fields = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
    ([name, value]) => `${name}=${text(value)}`
  )
  const trace = cause.reasons.length === 0 ? [] : [`\n${Cause.pretty(cause)}`]
  return [date.toISOString().slice(11, 23), logLevel.toUpperCase(), ...words, ...fields, ...trace].join(" ")
})

export const logger = (format: "pretty" | "json") =>
  Logger.withConsoleError(format === "json" ? Logger.formatJson : pretty)

const bounds = (seconds: number): Server.DrainBounds => ({ idle: Math.min(seconds, 2) * 1_000, running: 10_000 })

const logging = ({ logFormat, logLevel }: Settings) =>
  Layer.mergeAll(Logger.layer([logger(logFormat)]), Layer.succeed(References.MinimumLogLevel, logLevel))

/** A host that listens. */
export interface Started {
  readonly address: string
  /** The address of the documentation. Empty if the host doesn't serve it, or not at a known address. */
  readonly docsUrl: string
  /** The address of the console. Empty if the host has no console. */
  readonly consoleUrl: string
  readonly databaseUrl: string
  readonly sandbox: boolean
}

/** The greeting: at most ten aligned lines, between two empty lines. */
export const greeting = ({ address, consoleUrl, databaseUrl, docsUrl, sandbox }: Started): string => {
  const pages = [["Console", consoleUrl] as const, ["Docs", docsUrl] as const].filter(([, url]) => url !== "")
  const there = address === RunningHost.defaultUrl ? "" : ` --url ${address}`
  const logins = { Seller: "acme", Marketplace: "bazaar", Platform: "ops" }
  const next = sandbox ? `npx crossdock trigger stock${there}` : "npx crossdock doctor"
  const lines = [
    ["Crossdock", address],
    ...pages,
    ["Database", isInMemory(databaseUrl) ? "in memory, ends with this process" : nameOf(databaseUrl)],
    ...(sandbox ? Object.entries(logins).map(([kind, name]) => [kind, `${name} / ${name}-secret`] as const) : []),
    ["Next", next],
    ["Stop", "Ctrl-C"]
  ] as const
  return ["", ...lines.map(([name, value]) => `  ${name.padEnd(13)}${value}`), "", ""].join("\n")
}

const started = (settings: Settings, address: string, context: Context.Context<Host.HasSandbox>): Started => {
  const [port, sandbox] = [Number(new URL(address).port), Context.get(context, Host.HasSandbox)]
  const { databaseUrl } = settings
  const [docsUrl, consoleUrl] = [Host.docsUrlAt(settings, port), Host.consoleUrl(settings, sandbox, port)]
  return { address, consoleUrl, docsUrl, databaseUrl, sandbox }
}

const serve = (settings: Settings) =>
  Effect.gen(function* () {
    // Signals are handled before the line is printed, because a script that reads the line may stop the host
    // immediately.
    const stopping = yield* Effect.forkChild(stopSignal, { startImmediately: true })
    const makeServer = Server.make({
      connections: settings.maxConnections,
      connectionsOfAddress: settings.trustedProxies > 0 ? Infinity : settings.addressConnections,
      docsUrlAt: (port) => Host.docsUrlAt(settings, port)
    })
    const [main, admin] = [yield* makeServer, yield* makeServer]
    const context = yield* Layer.build(
      Host.layer(
        settings,
        { main: main.server, admin: admin.server },
        { environment: process.env, ...(settings.telemetry.traces ? { tracer: Layer.empty } : {}) }
      )
    )
    const address = yield* Effect.provide(Host.address(settings), context)
    const { isWatched, write, writeError } = yield* Terminal
    yield* write(`listening on ${address}\n`)
    // Standard output has only the line above, so that scripts can read it.
    if (isWatched && settings.logFormat === "pretty") yield* writeError(greeting(started(settings, address, context)))
    // After Ctrl-C, the process ends at once.
    const seconds = (yield* Fiber.join(stopping)) === "SIGINT" ? 0 : settings.drainSeconds
    yield* main.unready
    yield* Effect.sleep(seconds * 1_000)
    yield* Effect.all([main.drain(bounds(seconds)), admin.drain(bounds(0))], { concurrency: 2 })
    yield* Effect.logInfo("The host stops")
  }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(Telemetry.layer(settings, process.env), logging(settings))))

export const command = CommandLine.define({
  name: "start",
  does: "Serves the interfaces until SIGTERM or SIGINT. Creates a missing SQLite file and the tables of an empty database, or brings the schema up to date. All settings come from environment variables; crossdock doctor checks them.",
  examples: ["start"],
  *run() {
    yield* serve(yield* settings)
    return undefined
  }
})
