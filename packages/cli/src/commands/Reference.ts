/** `crossdock reference`: the categories, tax rules and brands that products refer to. */
import { CatalogImport, ReferenceFile } from "@crossdock/catalog"
import { Effect, Result } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import * as TextFile from "../TextFile.ts"

const parsed = (text: string): Result.Result<unknown, CommandFailure> =>
  Result.try({ try: () => JSON.parse(text), catch: () => new CommandFailure("The file is not valid JSON") })

const decoded = (document: unknown) =>
  Result.mapError(ReferenceFile.decode(document), (found) => {
    const lines = found.map(({ code, message, path }) => `${path} ${code}: ${message}`)
    const head = `The file has ${Answer.counted(lines.length, "error")}, so nothing was imported. Correct and import it again:`
    return new CommandFailure([head, ...lines].join("\n"))
  })

export const command = CommandLine.group("reference", "The data that products refer to.", [
  define({
    name: "import",
    does: "Imports reference data and brands: departments, categories, templates, HS codes, tax rules. Safe to repeat. If the file has errors, all of them are reported and nothing is imported.",
    examples: ["reference import reference.json"],
    options: {
      file: CommandLine.argument(
        "file",
        "JSON with the lists `departments`, `categories`, `brands`, `templates`, `attributes`, `hsCodes` and `taxRules`; their fields are as in data/reference.json of the package @crossdock/cli. - is standard input"
      )
    },
    *run({ file }) {
      const document = yield* Effect.fromResult(parsed(yield* TextFile.read(file)))
      const [data, brands] = yield* Effect.fromResult(decoded(document))
      yield* (yield* CatalogImport.CatalogImport).reference(data, brands)
      const counts = Object.fromEntries(Object.entries({ ...data, brands }).map(([kind, all]) => [kind, all.length]))
      return Answer.sentence(
        Object.entries(counts)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(", "),
        counts
      )
    }
  })
])
