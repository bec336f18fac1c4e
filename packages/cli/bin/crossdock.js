#!/usr/bin/env node
// There before the build, so that package managers link the command.
import * as module from "node:module"
import { fileURLToPath } from "node:url"

// Node keeps the compiled program beside it, which takes a third off the start of the next process. An old one can't, and is told
// by the program that it is too old.
module.enableCompileCache?.(fileURLToPath(new URL("../.cache", import.meta.url)))
await import("../dist/command.js")
