/**
 * `npm run import-reference -- FILE`: imports reference data and brands into the database of DATABASE_URL. It can be
 * repeated. When the file has errors, all are reported and nothing is imported.
 */
import "./NodeVersion.ts"
import { readFile } from "node:fs/promises"
import { CompanyWrite } from "@crossdock/audit"
import { CatalogImport, ReferenceFile, References } from "@crossdock/catalog"
import { DigestNode } from "@crossdock/crypto"
import { Ids } from "@crossdock/kernel"
import { Effect, Layer, Result } from "effect"
import * as Settings from "./Settings.ts"
import * as Storage from "./Storage.ts"

const services = (databaseUrl: string) =>
  CatalogImport.layer.pipe(
    Layer.provide(Layer.merge(References.layer, CompanyWrite.layer)),
    Layer.provide(Layer.mergeAll(Storage.layer(databaseUrl), DigestNode.layer, Ids.layer))
  )

const parsed = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: () => JSON.parse(text), catch: () => "The file is not valid JSON" })

const print = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const run = Effect.gen(function* () {
  const [, , name] = process.argv
  if (name === undefined) return yield* Effect.fail("Name the file to import: npm run import-reference -- FILE")
  const document = yield* Effect.fromResult(parsed(yield* Effect.promise(() => readFile(name, "utf8"))))
  const decoded = ReferenceFile.decode(document)
  if (Result.isFailure(decoded)) {
    const lines = decoded.failure.map(({ code, message, path }) => `${path} ${code}: ${message}`)
    return yield* Effect.fail(
      [
        `The file has ${lines.length} errors, so nothing was imported. Correct them and import it again:`,
        ...lines
      ].join("\n")
    )
  }
  const [data, brands] = decoded.success
  const { databaseUrl } = yield* Settings.read(process.env)
  yield* Effect.flatMap(CatalogImport.CatalogImport, (imports) => imports.reference(data, brands)).pipe(
    Effect.provide(services(databaseUrl))
  )
  const counts = { ...data, brands }
  yield* print(
    Object.entries(counts)
      .map(([kind, items]) => `${kind} ${items.length}`)
      .join(", ")
  )
}).pipe(
  Effect.catch((error) =>
    Effect.andThen(print(error instanceof Error ? error.message : String(error)), Effect.succeed(1))
  )
)

process.exit((await Effect.runPromise(run)) ?? 0)
