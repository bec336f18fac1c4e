import { exitCodes, markRequired } from "@crossdock/cli/CommandLine"
import * as Crossdock from "@crossdock/cli/Crossdock"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option } from "effect"
import { CliOutput, Command } from "effect/cli"

const helpOf = async (path) => {
  const found = []
  const present = ({ helpDoc }) => Effect.sync(() => void found.push(markRequired(helpDoc)))
  await Command.runWith(Crossdock.command, { version: "" })([...path, "--help"]).pipe(
    Effect.provideService(CliOutput.Presenter, { present }),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
  return found[0]
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

const table = (head, rows) =>
  rows.length === 0
    ? []
    : [[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")]

const text = (description) => cell(Option.getOrElse(description, () => ""))

const page = async (path) => {
  const { args = [], description, examples = [], flags } = await helpOf(path)
  const rows = [
    ...args.map((one) => [`\`${one.name.toUpperCase()}${one.variadic ? "…" : ""}\``, text(one.description)]),
    ...flags.map((one) => [
      `\`--${one.name}${one.type === "boolean" ? "" : ` ${one.name.toUpperCase().replaceAll("-", "_")}`}\``,
      text(one.description)
    ])
  ]
  return [
    `### ${path.join(" ")}`,
    description,
    ...table(["Argument", "Meaning"], rows),
    `\`\`\`sh\n${examples.map(({ command }) => command).join("\n")}\n\`\`\``
  ].join("\n\n")
}

const pagesOf = async (command, path) =>
  command.subcommands.length === 0
    ? [await page(path)]
    : (
        await Promise.all(
          command.subcommands.flatMap(({ commands }) => commands.map((one) => pagesOf(one, [...path, one.name])))
        )
      ).flat()

const groups = await Promise.all(
  Crossdock.command.subcommands.map(async ({ commands, group }) => {
    const pages = await Promise.all(commands.map((one) => pagesOf(one, [one.name])))
    return [`## ${group}`, ...pages.flat()].join("\n\n")
  })
)

const head = `# Command line

\`crossdock\` starts a host and manages its data. In this repository, run \`npx crossdock\` after \`npm run build\`. Commands can run while hosts use the database. \`crossdock COMMAND --help\` shows the texts of this page. \`crossdock --completions bash\` prints completions for a shell.

- **The database** is given by \`DATABASE_URL\` ([settings](host.md#settings)) or \`--database URL\`. Only \`start\`, \`migrate\` and \`restore\` accept an empty database or, on SQLite, a missing file. Only \`start\` and \`migrate\` accept a database of an earlier release.
- **Answers** are printed to standard output as text. With \`--json\`, they are one JSON value with stable fields. \`start\`, \`listen\` and exports print lines. Errors, and progress on a terminal, are printed to standard error.
- **Passwords and secrets** are never arguments, because every user of a machine can see a command's arguments. If a database URL has a password, set it as \`DATABASE_URL\`. Commands prompt for an account's password, or read it from standard input. With \`--generate\`, they generate a password and print it once.
- **Every change** of a company's data is recorded in its audit trail, as made by the account that the command names (\`--as\`, \`--seller\`, \`--marketplace\`) or else by the command line (kind \`system\`, id \`cli\`). Changes of plans and coupons aren't recorded.

## Exit codes

${table(
  ["Code", "Meaning"],
  Object.entries(exitCodes).map(([code, meaning]) => [code, meaning])
)}
`

const written = `${[head, ...groups].join("\n\n").replaceAll(/\n{3,}/g, "\n\n")}\n`
export const documents = { "docs/reference/command-line.md": written }
