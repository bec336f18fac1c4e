import { describeRuntime } from "../../worker/test/OtherRuntime.ts"

describeRuntime({
  name: "Bun",
  binary: "@oven/bun-linux-x64/bin/bun",
  args: [],
  laws: new URL("LawsBun.ts", import.meta.url),
  main: new URL("../dist/main.js", import.meta.url),
  port: 18_081
})
