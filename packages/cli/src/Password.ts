/**
 * Passwords that a command sets. They never come from arguments, which every user of the machine can see.
 */
import { randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import { Prompt } from "effect/cli"
import * as CommandLine from "./CommandLine.ts"
import { Terminal } from "./Terminal.ts"

/** `--generate`: a random password, printed once. */
export const generate = CommandLine.toggle(
  "generate",
  "generates a random password and prints it once; without it, the password is prompted for or read from standard input"
)

/** A random text of 192 bits that is easy to paste. */
export const random: Effect.Effect<string> = Effect.sync(() => randomBytes(24).toString("base64url"))

export interface Chosen {
  readonly password: string
  /** What to print: the password only if it was made here. */
  readonly shown: { readonly password?: string }
}

const typed = Effect.gen(function* () {
  const { input, isInteractive } = yield* Terminal
  if (isInteractive) return Redacted.value(yield* Prompt.run(Prompt.Password({ message: "Password" })))
  return (yield* input).replace(/\r?\n$/, "")
})

/** The password of a command. */
export const choose = (generated: boolean) =>
  generated
    ? Effect.map(random, (password): Chosen => ({ password, shown: { password } }))
    : Effect.map(typed, (password): Chosen => ({ password, shown: {} }))
