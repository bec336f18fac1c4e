/** `npm create crossdock [name] -- [--template NAME] [--yes]`. It asks for a missing name or template. */
import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"
import * as Project from "./Project.ts"

const usage = `Usage: npm create crossdock [name] -- [--template NAME] [--yes]

Templates:
${Project.templateNames.map((name) => `  ${name.padEnd(10)}${Project.templates[name]}`).join("\n")}

--yes asks nothing: the name is my-crossdock and the template server, unless given.
`

const registry = "https://github.com/crossdock/crossdock#install"

const stop = (reason: string, code = 2): never => {
  process.stderr.write(`${reason}\n`)
  process.exit(code)
}

const parsed = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        yes: { type: "boolean", short: "y", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    return stop(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}

/** The user's answer. If it is empty, or there is no terminal, it is the default. */
const answered = async (question: string, otherwise: string): Promise<string> => {
  if (!process.stdin.isTTY) return otherwise
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`${question} (${otherwise}): `)
  lines.close()
  return answer.trim() || otherwise
}

/** Creates the project that the arguments describe. If it can't, it ends the process with a message. */
export const run = (args: ReadonlyArray<string>): Promise<void> =>
  created(args).catch((error: Error) =>
    error.name === "AbortError" ? stop("Nothing was created.", 130) : stop(error.message, 1)
  )

const created = async (args: ReadonlyArray<string>): Promise<void> => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  if (major < 22 || (major === 22 && minor < 19))
    process.stderr.write(`The project needs Node 22.19 or later; this is ${process.versions.node}.\n`)
  const { positionals, values } = parsed(args)
  if (values.help) {
    process.stdout.write(usage)
    return
  }
  const ask = (question: string, otherwise: string) => (values.yes ? otherwise : answered(question, otherwise))
  if (positionals.length > 1) return stop(`There is one name, not ${positionals.length}: ${positionals.join(" ")}`)
  const name = positionals[0] ?? (await ask("Project name", "my-crossdock"))
  if (!Project.isName(name))
    return stop(`"${name}" can't be a package's name. Use lower-case letters, digits, ".", "_" and "-".`)
  if (!Project.isFree(name))
    return stop(`${name} isn't an empty folder. Choose another name, or run "npx crossdock init" in it.`)
  const template = values.template ?? (await ask(`Template: ${Project.templateNames.join(", ")}`, "server"))
  if (!Project.isTemplate(template))
    return stop(`There is no template "${template}". Use one of: ${Project.templateNames.join(", ")}.`)
  Project.write(name, template)
  process.stdout.write(
    `Created ${name} from the template ${template}. Next:\n\n  cd ${name}\n  npm install\n  npm test\n\nREADME.md has the rest. Until the packages are published, npm finds them in a local registry: ${registry}\n`
  )
}
