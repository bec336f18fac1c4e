#!/usr/bin/env node
/**
 * The program `crossdock`.
 */
import "./NodeVersion.ts"
// Compiles schemas from here on, which decodes a bulk of 500 records in a third of the time.
import "effect/schema/SchemaJITCompiler/enable"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Exit } from "effect"
import * as Crossdock from "./Crossdock.ts"

// The reader of an export may close the pipe early.
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE") process.stderr.write(`${message}\n`)
  process.exit(code === "EPIPE" ? 0 : 1)
})

Crossdock.run(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit) => process.exit(Exit.isSuccess(exit) ? Number(exit.value) : 130)
  })
)
