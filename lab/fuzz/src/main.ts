/** `npm run lab -- fuzz` sends random requests made from the OpenAPI documents, and checks every answer. See `--help`. */
import "@crossdock/cli/NodeVersion"
import * as CommandLine from "@crossdock/system-tests/CommandLine"
import * as Verdict from "@crossdock/system-tests/Verdict"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as Fuzz from "./Fuzz.ts"
import * as Host from "./Host.ts"
import * as Report from "./Report.ts"

/** Sends the requests and returns the report. */
const fuzz = (url: string, settings: Fuzz.Settings) =>
  Effect.gen(function* () {
    const connection = yield* Effect.acquireRelease(
      Effect.sync(() => Connection.make(url)),
      ({ close }) => Effect.sync(close)
    )
    const session = yield* Effect.promise(() => Fuzz.run(connection, settings))
    return Report.of(session)
  }).pipe(Effect.scoped)

const ownHost = (database: (typeof Host.databases)[number], settings: Fuzz.Settings) =>
  Effect.gen(function* () {
    const host = yield* Host.start(database)
    const { faults, figures } = yield* fuzz(host.url, { ...settings, secret: Host.secret })
    return { figures, faults: [...faults, ...(yield* host.discrepancies)] }
  })

CommandLine.main({
  name: "fuzz",
  does:
    "Sends random requests made from the OpenAPI documents, valid and broken. One of twenty is aborted at a random moment, and " +
    "sent again with its Idempotency-Key. When it passes, no answer was a server error, " +
    "every answer fits its document, and what is stored is consistent.",
  options: {
    requests: CommandLine.whole("requests", 10_000, "requests sent"),
    seed: CommandLine.whole("seed", 1, "of the random requests"),
    slow: CommandLine.whole("slow", 10_000, "the longest that an answer may take, in milliseconds"),
    database: CommandLine.choice("database", Host.databases, "sqlite", "the database of the host that it starts"),
    url: Flag.String("url").pipe(
      Flag.withDescription("a running host with sandbox data, to use instead of one of its own"),
      Flag.optional
    )
  },
  run: ({ database, requests, seed, slow, url }) =>
    Effect.gen(function* () {
      const began = performance.now()
      const settings = { requests, seed, slowMillis: slow }
      const { faults, figures } = yield* Option.match(url, {
        onNone: () => ownHost(database, settings),
        onSome: (one) => fuzz(one, settings)
      })
      return {
        claim: "no request got a server error or an answer that its document does not allow",
        figures: { seed, host: Option.getOrElse(url, () => database), took: Verdict.secondsSince(began), ...figures },
        faults
      }
    })
})
