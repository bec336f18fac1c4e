/**
 * `npm run import-reference -- FILE`: imports reference data and brands into the database of DATABASE_URL. It can be
 * repeated. When the file has errors, all are reported and nothing is imported.
 */
import "@crossdock/cli/NodeVersion"
import { readFile } from "node:fs/promises"
import { CompanyWrite } from "@crossdock/audit"
import { CatalogImport, ReferenceFile, References } from "@crossdock/catalog"
import * as Settings from "@crossdock/cli/Settings"
import { StartFailure } from "@crossdock/cli/StartFailure"
import * as Storage from "@crossdock/cli/Storage"
import { DigestNode } from "@crossdock/crypto"
import { Ids } from "@crossdock/kernel"
import { Effect, Layer, Result } from "effect"
import { Argument } from "effect/cli"
import * as CommandLine from "./CommandLine.ts"

const services = (databaseUrl: string) =>
  CatalogImport.layer.pipe(
    Layer.provide(Layer.merge(References.layer, CompanyWrite.layer)),
    Layer.provide(Layer.mergeAll(Storage.layer(databaseUrl), DigestNode.layer, Ids.layer))
  )

const parsed = (text: string): Result.Result<unknown, StartFailure> =>
  Result.try({
    try: () => JSON.parse(text),
    catch: () => new StartFailure({ message: "The file is not valid JSON" })
  })

const read = (name: string) =>
  Effect.tryPromise({
    try: () => readFile(name, "utf8"),
    catch: () => new StartFailure({ message: `The file ${JSON.stringify(name)} can't be read. Check its path` })
  })

const importFile = (name: string) =>
  Effect.gen(function* () {
    const document = yield* Effect.fromResult(parsed(yield* read(name)))
    const decoded = ReferenceFile.decode(document)
    if (Result.isFailure(decoded)) {
      const lines = decoded.failure.map(({ code, message, path }) => `${path} ${code}: ${message}`)
      const head = `The file has ${lines.length} errors, so nothing was imported. Correct them and import it again:`
      return yield* new StartFailure({ message: [head, ...lines].join("\n") })
    }
    const [data, brands] = decoded.success
    const { databaseUrl } = yield* Settings.read(process.env)
    yield* Effect.flatMap(CatalogImport.CatalogImport, (imports) => imports.reference(data, brands)).pipe(
      Storage.patiently,
      Effect.provide(services(databaseUrl))
    )
    const counts = Object.entries({ ...data, brands }).map(([kind, items]) => `${kind} ${items.length}`)
    process.stdout.write(`${counts.join(", ")}\n`)
  })

CommandLine.main({
  name: "import-reference",
  does:
    "Imports reference data and brands into the database of DATABASE_URL. It can be repeated. When the file has errors, all " +
    "are reported and nothing is imported.",
  options: {
    file: Argument.String("file").pipe(Argument.withDescription("JSON, as data/reference.json of the example"))
  },
  run: ({ file }) => importFile(file)
})
