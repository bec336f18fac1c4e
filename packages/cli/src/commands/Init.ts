/** `crossdock init`: adds a template's files to a project. */
import * as Project from "@crossdock/create"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"

const described = Project.templateNames.map((name) => `${name}: ${Project.templates[name]}`).join("; ")

export const command = CommandLine.define({
  name: "init",
  does: "Adds the files of a template to a project. Existing files stay; missing scripts and dependencies are added to package.json. Then run npm install and npm test.",
  examples: ["init receiver --folder ./receiver"],
  options: {
    template: Argument.Literals("template", Project.templateNames).pipe(Argument.withDescription(described)),
    folder: CommandLine.text("folder", "the project's folder (default: this one)", ".")
  },
  *run({ folder, template }) {
    const { kept, written } = yield* Effect.try({
      try: () => Project.write(folder, template),
      catch: (cause) => new CommandFailure(`Nothing was added: ${cause instanceof Error ? cause.message : cause}`)
    })
    return Answer.record({ written, kept })
  }
})
