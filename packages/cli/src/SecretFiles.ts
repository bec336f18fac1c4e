/** Reads secrets from files, as orchestrators provide them: `NAME_FILE` is the path of a file with the value of `NAME`. */
import { readFileSync } from "node:fs"
import { Effect, Result } from "effect"
import { StartFailure } from "./CommandFailure.ts"
import * as FileFailure from "./FileFailure.ts"
import type { Environment } from "./Terminal.ts"

/** The variables whose value is a secret, may contain a secret, or is usually in a file. */
export const names = [
  "DATABASE_URL",
  "DATABASE_POOLER_URL",
  "TOKEN_SECRET",
  "TOKEN_SECRET_PREVIOUS",
  "SECRETS_KEY",
  "SECRETS_KEY_PREVIOUS",
  "PAYMENTS_SECRET",
  "SANDBOX_WEBHOOK_SECRET",
  "AUDIT_SIGNING_KEY",
  "AUDIT_PUBLIC_KEYS"
] as const

const contentOf = (name: string, environment: Environment): Result.Result<string | undefined, string> => {
  const [value, path] = [environment[name], environment[`${name}_FILE`]]
  if (!path) return Result.succeed(value)
  if (value) return Result.fail(`${name} and ${name}_FILE are both set: unset one of them`)
  return Result.try({
    try: () => readFileSync(path, "utf8").trim(),
    catch: (error) =>
      `The file ${path} of ${name}_FILE can't be read (${FileFailure.codeOf(error)}): correct its path or permissions`
  }).pipe(
    Result.flatMap((text) =>
      text === ""
        ? Result.fail(`The file ${path} of ${name}_FILE is empty: write the value of ${name} into it`)
        : Result.succeed(text)
    )
  )
}

/** The environment with the trimmed content of these files. If it fails, it reports all faults. */
export const read = (environment: Environment): Effect.Effect<Environment, StartFailure> => {
  const found = names.map((name) => [name, contentOf(name, environment)] as const)
  const faults = found.flatMap(([, result]) => (Result.isFailure(result) ? [result.failure] : []))
  const values = found.flatMap(([name, result]) => (Result.isSuccess(result) ? [[name, result.success] as const] : []))
  return faults.length > 0
    ? Effect.fail(new StartFailure({ message: faults.join("\n") }))
    : Effect.succeed({ ...environment, ...Object.fromEntries(values) })
}
