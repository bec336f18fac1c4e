import { describeRuntime } from "../../worker/test/OtherRuntime.ts"

describeRuntime({
  runtime: "deno",
  laws: new URL("LawsDeno.ts", import.meta.url),
  main: new URL("../dist/main.js", import.meta.url)
})
