/**
 * `npm run fuzz`: random requests made from the OpenAPI documents, valid and broken, with every answer checked.
 *
 * `--requests 100000 --seed 1 --database sqlite` (or `postgres`, `memory`); `--url http://127.0.0.1:8080` sends them to a
 * running host with sandbox data instead; `--slow 5000` is the longest that an answer may take, in milliseconds.
 */
import "@crossdock/example-node-server/NodeVersion"
import * as CommandLine from "@crossdock/histories/CommandLine"
import { Effect } from "effect"
import * as Connection from "./Connection.ts"
import * as Fuzz from "./Fuzz.ts"
import * as Host from "./Host.ts"
import * as Report from "./Report.ts"

const values = CommandLine.read({
  requests: { type: "string", default: "10000" },
  seed: { type: "string", default: "1" },
  slow: { type: "string", default: "10000" },
  database: { type: "string", default: "sqlite" },
  url: { type: "string" }
})

const whole = (name: "requests" | "seed" | "slow") => CommandLine.whole(name, values[name])
const settings = { requests: whole("requests"), seed: whole("seed"), slowMillis: whole("slow") }
const database = Host.databases.find((name) => name === values.database)
if (database === undefined) {
  CommandLine.reject(`--database must be sqlite, postgres or memory, not ${JSON.stringify(values.database)}`)
}

const say = (line: string) => process.stdout.write(`${line}\n`)

const fuzz = (url: string, more: Partial<Fuzz.Settings> = {}) =>
  Effect.promise(async () => {
    const connection = Connection.make(url)
    const session = await Fuzz.run(connection, { ...settings, ...more })
    connection.close()
    say(Report.of(session))
    return session.failures.size
  })

const ownHost = Effect.gen(function* () {
  const host = yield* Host.start(database ?? "memory")
  const failures = yield* fuzz(host.url, { secret: Host.secret })
  const discrepancies = yield* host.discrepancies
  for (const one of discrepancies) say(one)
  say(`${discrepancies.length} discrepancies in the stored data`)
  return failures + discrepancies.length
})

say(`seed ${settings.seed}, ${values.url ?? database}`)
const began = performance.now()
const faults = await Effect.runPromise(Effect.scoped(values.url === undefined ? ownHost : fuzz(values.url)))
say(`${((performance.now() - began) / 1000).toFixed(0)} s`)
process.exit(faults === 0 ? 0 : 1)
