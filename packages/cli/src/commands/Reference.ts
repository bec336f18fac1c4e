/** `crossdock reference`: the categories, tax rules and brands that products refer to. */
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import { Effect, Result } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as RecordFile from "../RecordFile.ts"
import * as TextFile from "../TextFile.ts"

export const command = CommandLine.group("reference", "The data that products refer to.", [
  define({
    name: "import",
    does: "Imports reference data, such as departments, categories, brands, HS codes and tax rules. Safe to repeat. If the file has errors, all are reported and nothing is imported.",
    examples: ["reference import reference.json"],
    options: {
      file: CommandLine.argument(
        "file",
        "JSON with the lists `departments`, `categories`, `brands`, `templates`, `attributes`, `hsCodes` and `taxRules`, whose fields are as in data/reference.json of @crossdock/cli; - is standard input"
      )
    },
    *run({ file }) {
      const text = yield* TextFile.read(file)
      const document: unknown = yield* Effect.try({
        try: () => JSON.parse(text),
        catch: () => new CommandFailure("The file is not valid JSON")
      })
      const decoded = Result.mapError(ReferenceFile.decode(document), (found) =>
        RecordFile.faulty(found.map(({ code, message, path }) => `${path} ${code}: ${message}`))
      )
      const [data, brands] = yield* Effect.fromResult(decoded)
      yield* (yield* CatalogImport.CatalogImport).reference(data, brands)
      const counts = Object.fromEntries(Object.entries({ ...data, brands }).map(([kind, all]) => [kind, all.length]))
      const words = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
      return Answer.sentence(words.join(", "), counts)
    }
  })
])
