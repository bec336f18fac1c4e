import { describeRuntime } from "../../worker/test/OtherRuntime.ts"

describeRuntime({
  name: "Deno",
  binary: "@deno/linux-x64-glibc/deno",
  args: ["run", "--allow-all", "--quiet"],
  laws: new URL("LawsDeno.ts", import.meta.url),
  main: new URL("../dist/main.js", import.meta.url),
  port: 18_082
})
