/** The command `crossdock`. */
import "./NodeVersion.ts"
// Compiles schemas from here on. That decodes a bulk of 500 records in a third of the time.
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Fiber } from "effect"
import * as Crossdock from "./Crossdock.ts"

// The reader of an answer may close the pipe early. Then the command ends as if a signal had ended it, not with 0.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.stderr.write(`Standard output can't be written (${message})\n`)
  process.exit(code === "EPIPE" ? 141 : 1)
})
// A host continues if the reader of its log ends.
process.stderr.on("error", () => {})

// A command that listens to the signal ends on its own, such as a host that first answers its requests. Any other
// command is interrupted, which means that this is the signal's only listener.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) fiber.interruptUnsafe()
  })

const fiber = Effect.runFork(Effect.provide(Crossdock.run(process.argv.slice(2)), NodeServices.layer))
const exit = await Effect.runPromise(Fiber.await(fiber))
process.exit(Exit.isSuccess(exit) ? exit.value : 130)
