/** `npm run lab -- examples` records the answers of a sandbox to the examples of the OpenAPI documents. */
import "@crossdock/cli/NodeVersion"
import { writeFile } from "node:fs/promises"
import * as DocumentedExamples from "./DocumentedExamples.ts"
import * as HostProcess from "./HostProcess.ts"

const file = new URL("../../../packages/http/src/openapi/answers.json", import.meta.url)

const host = await HostProcess.start({ DATABASE_URL: "sqlite::memory:", SANDBOX: "day" })
const answers = await DocumentedExamples.run(host.url)
await host.stop()
await writeFile(file, `[\n${answers.map((answer) => JSON.stringify(answer)).join(",\n")}\n]\n`)
process.stdout.write(`${answers.length} examples were sent and recorded\n`)
