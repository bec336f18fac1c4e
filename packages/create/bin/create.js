#!/usr/bin/env node
// There before the build, so that package managers link the command.
import { run } from "../dist/main.js"

await run(process.argv.slice(2))
