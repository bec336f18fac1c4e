/** The parts that all commands share: options, examples, answer and exit code. Source: docs/reference/command-line.md. */
import { StorageError } from "@crossdock/kernel"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Logger, Option, PlatformError, Schema, type Scope } from "effect"
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag, type HelpDoc } from "effect/cli"
import { isSqlError } from "effect/sql/SqlError"
import * as Answer from "./Answer.ts"
import * as FileFailure from "./FileFailure.ts"
import * as Storage from "./Storage.ts"
import { Terminal } from "./Terminal.ts"

export const exitCodes = {
  0: "done",
  1: "the command failed or found a fault; standard error or the answer has the reason",
  2: "the command, an option or an argument is invalid",
  130: "interrupted"
} as const

/** The option `--json`, with which the answer is one JSON value on standard output. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("prints the answer as one JSON value"),
    Flag.withDefault(false)
  )
})

/** The option `--database URL`, which replaces DATABASE_URL. */
export const Database = GlobalFlag.Setting("database")({
  flag: Flag.String("database").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      "the database, instead of DATABASE_URL. Other users of this machine can see it: set DATABASE_URL if the URL contains a password"
    ),
    Flag.optional
  )
})

/** Ends a command that did its work and found a fault. The answer says which fault. */
class FaultFound extends Schema.TaggedError<FaultFound>("@crossdock/cli/FaultFound")("FaultFound", {}) {}

const print = Effect.fnUntraced(function* (answer: Answer.Answer) {
  const { write } = yield* Terminal
  yield* write(Answer.printed(answer, yield* Json))
  if (answer.fault) return yield* new FaultFound()
})

/** The services that every command may use. */
export type Surroundings = NodeServices.NodeServices | GlobalFlag.Setting.Identifier<"json" | "database"> | Scope.Scope

/** A command or a group of commands. It can fail with errors of any type. */
export type Tool = Command.Command<string, never, object, unknown, Exclude<Surroundings, Scope.Scope>>

export interface Definition<Options extends Command.Command.Config, Needs> {
  readonly name: string
  /** The description for `--help`. The list of commands shows its first sentence. */
  readonly does: string
  /** Examples, without the leading `crossdock`. A test runs each of them. */
  readonly examples: ReadonlyArray<string>
  /** By default, there are no options. */
  readonly options?: Options
  /** Does the work and returns the answer to print, or undefined if the command has already printed it. */
  readonly run: (
    options: Command.Command.Config.Infer<Options>
  ) => Generator<Effect.Effect<unknown, unknown, Needs>, Answer.Answer | undefined, never>
}

const firstSentence = (text: string): string => text.split(/(?<=[.:]) /)[0]?.replace(/[.:]$/, "") ?? text

/** Defines a command whose work needs these services. */
export type Define<Needs> = <const Options extends Command.Command.Config>(
  definition: Definition<Options, Needs>
) => Tool

/** Makes the function that defines commands. `provide` provides the services that their work needs. */
export const definer =
  <Needs>(
    provide: <A>(work: Effect.Effect<A, unknown, Needs>) => Effect.Effect<A, unknown, Surroundings>
  ): Define<Needs> =>
  ({ does, examples, name, options = {} as never, run }) =>
    Command.make(name, options, (given) =>
      provide(Effect.gen(() => run(given))).pipe(
        Effect.flatMap((answer) => (answer === undefined ? Effect.void : print(answer))),
        Effect.scoped
      )
    ).pipe(
      Command.withDescription(does),
      Command.withShortDescription(firstSentence(does)),
      Command.withExamples(examples.map((command) => ({ command: `crossdock ${command}` })))
    )

export const define = definer<Surroundings>((work) => work)

/** A command that has only subcommands. */
export const group = (name: string, does: string, tools: readonly [Tool, ...ReadonlyArray<Tool>]): Tool =>
  Command.make(name).pipe(
    Command.withDescription(does),
    Command.withShortDescription(firstSentence(does)),
    Command.withSubcommands(tools)
  )

export const argument = (name: string, says: string) => Argument.String(name).pipe(Argument.withDescription(says))

/** The option `--name text`. It is required if it has no default. */
export const text = (name: string, description: string, byDefault?: string) => {
  const flag = Flag.String(name).pipe(Flag.withDescription(description))
  return byDefault === undefined ? flag : Flag.withDefault(flag, byDefault)
}

export const orNull = <A>(flag: Flag.Flag<A>): Flag.Flag<A | null> =>
  flag.pipe(
    Flag.map((value): A | null => value),
    Flag.withDefault(null)
  )

/** The option `--name text`. Its value is null if it is absent. */
export const optional = (name: string, description: string): Flag.Flag<string | null> => orNull(text(name, description))

/** The option `--name a,b`: texts separated by commas. Its value is null if it is absent. */
export const list = (name: string, description: string) =>
  Flag.map(optional(name, description), (text) => text?.split(",").flatMap((one) => one.trim() || []) ?? null)

/** The option `--name 7`: a whole number from `least` to `most`. */
export const whole = (name: string, description: string, least: number, most = Number.MAX_SAFE_INTEGER) => {
  const expected = `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}`
  const isWithin = (value: number) => value >= least && value <= most
  return Flag.Int(name).pipe(
    Flag.filter(isWithin, () => expected),
    Flag.withDescription(description)
  )
}

/** The flag `--name`. Its value is false if it is absent. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** Marks required flags in the help. The descriptions of other flags name their default. */
export const markRequired = (doc: HelpDoc.HelpDoc): HelpDoc.HelpDoc => ({
  ...doc,
  flags: doc.flags.map((flag) => ({
    ...flag,
    description: Option.map(flag.description, (text) => (flag.required ? `${text} (required)` : text))
  }))
})

/** Shows an invalid call as one sentence on standard error, without the whole help. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "Help"
      ? CliOutput.defaultPresenter.present({ ...event, helpDoc: markRequired(event.helpDoc) })
      : event._tag === "InvalidInvocation"
        ? Console.error(
            `${event.errors.map(({ message }) => message).join("\n")}\nRun "${event.commandPath.join(" ")} --help" for usage`
          )
        : CliOutput.defaultPresenter.present(event)
}

/** The text for a failed command: a defect with its stack, or the message of an expected failure. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure) || !(failure.value instanceof Error)) return Cause.pretty(cause)
  if (failure.value instanceof StorageError || isSqlError(failure.value)) return Storage.sentenceOf(failure.value)
  return failure.value instanceof PlatformError.PlatformError
    ? FileFailure.ownSentenceOf(failure.value)
    : failure.value.message
}

/** Runs a command with these arguments, and returns its exit code. It releases all resources before it returns. */
export const run = <Name extends string, Input, E, R, ContextInput>(
  tree: Command.Command<Name, Input, ContextInput, E, R>,
  version: string,
  args: ReadonlyArray<string>
) =>
  Command.runWith(tree, { version })(args).pipe(
    Effect.provideService(CliConfig.CliConfig, {
      builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    // Standard output has only the answer, so that scripts can read it.
    Effect.provideService(Logger.LogToStderr, true),
    Effect.exit,
    Effect.flatMap((exit) =>
      Effect.gen(function* () {
        if (Exit.isSuccess(exit)) return 0
        if (Cause.hasInterruptsOnly(exit.cause)) return 130
        const failure = Cause.squash(exit.cause)
        if (failure instanceof FaultFound) return 1
        if (CliError.isCliError(failure)) return failure._tag === "ShowHelp" && failure.errors.length === 0 ? 0 : 2
        yield* (yield* Terminal).writeError(`${Answer.shown(reasonOf(exit.cause))}\n`)
        return 1
      })
    )
  )
