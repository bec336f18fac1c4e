/**
 * The command line of a program: options, `--help`, and the end by a verdict, a signal or an error.
 *
 * The exit code is 0 for success, 1 for a fault, 2 for unusable options, and 130 after an interruption.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, type FileSystem, type Path, type Scope } from "effect"
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import * as Verdict from "./Verdict.ts"

export interface Program<Options extends Command.Command.Config> {
  /** The name of the program in `npm run lab`. */
  readonly name: string
  /** Sentences for `--help`: what the program does, and what a pass proves. */
  readonly does: string
  readonly options: Options
  /** Runs the program and returns its findings. A command without a test returns nothing. */
  readonly run: (
    options: Command.Command.Config.Infer<Options>
  ) => Effect.Effect<Verdict.Verdict | undefined, unknown, Scope.Scope | FileSystem.FileSystem | Path.Path>
}

const largest = Number.MAX_SAFE_INTEGER
const within = (most: number) => (value: number) => value >= 1 && value <= most
const wholeNumber = (most: number) => () =>
  most === largest ? "a whole number from 1 on" : `a whole number from 1 to ${most}`

/** An argument without a name: a whole number from 1. */
export const count = (name: string, fallback: number, description: string) =>
  Argument.Int(name).pipe(
    Argument.filter(within(largest), wholeNumber(largest)),
    Argument.withDescription(`${description} (default: ${fallback})`),
    Argument.withDefault(fallback)
  )

/** An argument without a name: any text. */
export const words = (name: string, fallback: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`${description} (default: ${fallback})`),
    Argument.withDefault(fallback)
  )

/** `--name 17`: a whole number from 1, or up to `most`. */
export const whole = (name: string, fallback: number, description: string, most = largest) =>
  Flag.Int(name).pipe(
    Flag.filter(within(most), wholeNumber(most)),
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

/** `--name 0`: a whole number from 0. */
export const wholeOrNone = (name: string, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= 0 && value <= largest,
      () => "a whole number from 0 on"
    ),
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

/** `--name 0.5`: a number above 0. */
export const positive = (name: string, fallback: number, description: string) =>
  Flag.Finite(name).pipe(
    Flag.filter(
      (value) => value > 0,
      () => "a number above 0"
    ),
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

/** `--name one`: one of several words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  fallback: NoInfer<Words[number]>,
  description: string
) =>
  Flag.Literals(name, words).pipe(
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

/** `--name text`: any text. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withDefault(""))

/** `--name`: turns something on. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** The option `database`, which most programs have. */
export const database = choice("database", ["sqlite", "postgres"], "sqlite", "the database of the hosts")
export const hosts = (fallback: number) => whole("hosts", fallback, "hosts on one database", 99)

/** The option `database` of programs that need only its address. */
export const distributable = choice(
  "database",
  ["sqlite", "postgres", "citus"],
  "sqlite",
  "the database of the hosts; citus is a PostgreSQL of three servers, where it is installed"
)

const exitCodes =
  "Exit codes: 0 passed or done, 1 found a fault or could not run, 2 an option can't be used, 130 interrupted. " +
  "Options follow the name: npm run lab -- NAME --option."

/** Breaks a text into lines of at most 100 characters, indented like the help. */
const wrapped = (text: string): string => text.replaceAll(/(.{1,100})(?: |$)/g, "$1\n  ").trimEnd()

/** Prints one sentence to standard error for an option that can't be used. It doesn't print the help. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(`${event.errors.map(({ message }) => message).join("\n")}\n--help shows all options`)
      : CliOutput.defaultPresenter.present(event)
}

class Unusable extends Error {}

/** The reason of a failure. A bug has its stack, and an expected failure has its message. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  return failure._tag === "Some" && failure.value instanceof Error ? failure.value.message : Cause.pretty(cause)
}

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return typeof exit.value === "number" ? exit.value : 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  if (Cause.squash(exit.cause) instanceof Unusable) return 2
  process.stderr.write(`${reasonOf(exit.cause)}\n`)
  return 1
}

/** Runs a program with the arguments of this process, and ends the process. */
export const main = <const Options extends Command.Command.Config>(program: Program<Options>): void => {
  let code = 0
  const command = Command.make(program.name, program.options, (options) =>
    Effect.scoped(program.run(options)).pipe(
      Effect.tap((verdict) =>
        Effect.sync(() => {
          if (verdict !== undefined) code = Verdict.print(verdict)
        })
      )
    )
  ).pipe(Command.withDescription(`${wrapped(program.does)}\n\n  ${wrapped(exitCodes)}`))
  const run = Command.runWith(command, { version: "" })
  run(process.argv.slice(2)).pipe(
    Effect.mapError((error) => (CliError.isCliError(error) ? new Unusable() : error)),
    Effect.map(() => code),
    Effect.provide(NodeServices.layer),
    Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
    Effect.provideService(CliOutput.Presenter, presenter),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown: (exit) => process.exit(codeOf(exit)) })
  )
}

/** The options of a program that ends its process itself. `--help` and unusable options end the process here. */
export const optionsOf = <const Options extends Command.Command.Config>(
  program: Omit<Program<Options>, "run">
): Promise<Command.Command.Config.Infer<Options>> =>
  new Promise((resolve) =>
    main({
      ...program,
      run: (options) =>
        Effect.andThen(
          Effect.sync(() => resolve(options)),
          Effect.never
        )
    })
  )
