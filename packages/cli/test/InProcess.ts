/**
 * `crossdock` in this process, which costs a hundredth of a process of its own.
 */
import * as Crossdock from "@crossdock/cli/Crossdock"
import { Terminal } from "@crossdock/cli/Terminal"
import { CheckpointKey } from "@crossdock/crypto"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, ConfigProvider, Console, Effect, Redacted } from "effect"
import * as SandboxClock from "../src/SandboxClock.ts"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** The machine's time, unless it is now. */
  readonly at?: number
}

export const run = (
  args: ReadonlyArray<string>,
  { at, environment = {}, input = "" }: Surroundings = {}
): Promise<Ended> => {
  const out = { stdout: "", stderr: "" }
  const to = (name: keyof typeof out) => (text: string) => {
    out[name] += text
  }
  const write = (text: string) => Effect.sync(() => to("stdout")(text))
  const writeError = (text: string) => Effect.sync(() => to("stderr")(text))
  const quiet: Console.Console = Object.assign(Object.create(console), {
    log: (...texts: ReadonlyArray<unknown>) => to("stdout")(`${texts.join(" ")}\n`),
    error: (...texts: ReadonlyArray<unknown>) => to("stderr")(`${texts.join(" ")}\n`)
  })
  const process = {
    environment,
    write,
    writeError,
    input: Effect.succeed(input),
    isInteractive: false,
    isWatched: false
  }
  const clocked = Effect.updateService(
    Clock.Clock,
    (machine): Clock.Clock =>
      at === undefined
        ? machine
        : Object.assign(
            Object.create(machine),
            SandboxClock.readings(() => at)
          )
  )
  return Crossdock.run(args).pipe(
    clocked,
    Effect.map((code) => ({ code, ...out })),
    Effect.provide(NodeServices.layer),
    Effect.provideService(Terminal, process),
    Effect.provideService(Console.Console, quiet),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment)),
    Effect.runPromise
  )
}

/** The words of a line as a shell reads it: blanks separate, double quotes keep together. */
export const words = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")

/** The variables of a new key pair for checkpoints. */
export const auditKeys = () => {
  const { privateKey, publicKey } = CheckpointKey.generate()
  return { AUDIT_SIGNING_KEY: Redacted.value(privateKey), AUDIT_PUBLIC_KEYS: JSON.stringify({ keys: [publicKey] }) }
}
