#!/usr/bin/env node
// There before the build, so that package managers link the command.
import "../dist/main.js"
