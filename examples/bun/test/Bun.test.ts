import { describeRuntime } from "../../worker/test/OtherRuntime.ts"

describeRuntime({
  runtime: "bun",
  laws: new URL("LawsBun.ts", import.meta.url),
  main: new URL("../dist/main.js", import.meta.url)
})
