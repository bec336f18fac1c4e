/** The process of a command: its environment and standard streams. Tests replace them. */
import { Context, Effect, Stream } from "effect"

/** The variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>

export interface Process {
  readonly environment: Environment
  /** Writes a text, and resolves once the stream has accepted it. So a slow reader slows the writer down. */
  readonly write: (text: string) => Effect.Effect<void>
  readonly writeError: (text: string) => Effect.Effect<void>
  /** All text on standard input. */
  readonly input: Effect.Effect<string>
  /** Whether the input comes from a terminal, and whether errors go to one. */
  readonly isInteractive: boolean
  readonly isWatched: boolean
}

const writing = (stream: NodeJS.WriteStream) => (text: string) =>
  Effect.callback<void>((resume) => void stream.write(text, () => resume(Effect.void)))

const ofNode: Process = {
  environment: process.env,
  write: writing(process.stdout),
  writeError: writing(process.stderr),
  input: Stream.fromAsyncIterable(process.stdin, (cause) => cause).pipe(
    Stream.orDie,
    Stream.decodeText,
    Stream.mkString
  ),
  isInteractive: process.stdin.isTTY === true,
  isWatched: process.stderr.isTTY === true
}

export const Terminal = Context.Reference<Process>("@crossdock/cli/Terminal", { defaultValue: () => ofNode })

/** Waits for the signal that ends the process. */
export const stopSignal = Effect.callback<NodeJS.Signals>((resume) => {
  const stop = (signal: NodeJS.Signals) => resume(Effect.succeed(signal))
  process.once("SIGTERM", stop).once("SIGINT", stop)
})

/** Prints the progress of long work on standard error if that is a terminal. */
export const progress = (text: string) =>
  Effect.flatMap(Terminal, ({ isWatched, writeError }) => (isWatched ? writeError(`${text}\n`) : Effect.void))
