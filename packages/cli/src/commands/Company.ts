/** `crossdock company`: the companies that sell. */
import { Directory } from "@crossdock/access"
import { Companies } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { Effect, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import * as CompanyArchive from "../CompanyArchive.ts"
import { caller, define } from "../Management.ts"
import { Terminal } from "../Terminal.ts"

const isCompanyId = Schema.is(CompanyId)

export const companyId = Argument.Int("company").pipe(
  Argument.filter(isCompanyId, () => "a company's number, a whole number from 1"),
  Argument.map((id) => CompanyId.make(id)),
  Argument.withDescription("the company's number")
)

/** The option `--company 1`. */
export const companyFlag = (description: string) =>
  Flag.Int("company").pipe(
    Flag.filter(isCompanyId, () => "a company's number, a whole number from 1"),
    Flag.map((id) => CompanyId.make(id)),
    Flag.withDescription(description)
  )

/** The option `--company 1`. Without it, a command works on all companies. */
export const everyCompany = CommandLine.orNull(companyFlag("only this company"))

export const find = Effect.fnUntraced(function* (id: CompanyId) {
  const found = yield* (yield* Directory).company(id)
  return (
    found ??
    (yield* new CommandFailure(
      `There is no company ${id}. Add it with "crossdock company add ${id} --name NAME --legal-name NAME"`
    ))
  )
})

/** The company with this id, or all companies if `id` is null. */
export const chosen = Effect.fnUntraced(function* (id: CompanyId | null) {
  return id === null ? yield* (yield* Directory).companies : [yield* find(id)]
})

const closing = (isClosing: boolean) =>
  define({
    name: isClosing ? "close" : "reopen",
    does: isClosing
      ? "Closes a company: its sellers and clients can no longer sign in, no marketplace sees or orders its stock, and later periods aren't billed. Marketplaces still report on open shipments, which `shipment list` shows. Nothing is deleted: `company reopen` undoes it."
      : "Reopens a closed company: its accounts, marketplaces and billing continue as before.",
    examples: [`company ${isClosing ? "close" : "reopen"} 7`],
    options: { id: companyId },
    *run({ id }) {
      yield* find(id)
      const { close, reopen } = yield* Companies.Companies
      const { agreements, marketplaces } = yield* (isClosing ? close : reopen)(caller, id)
      const sellers = Answer.counted(marketplaces.length, "marketplace")
      const billed = Answer.counted(agreements, "agreement")
      const text = isClosing
        ? `closed: ${sellers} without its stock, ${billed} frozen`
        : `open: ${sellers} with its stock again, ${billed} active again`
      return Answer.sentence(`Company ${id} is ${text}.`, { company: id, marketplaces, agreements })
    }
  })

export const command = CommandLine.group("company", "Companies that sell.", [
  define({
    name: "add",
    does: "Adds a company, or renames it.",
    examples: [`company add 7 --name "Night Bakery" --legal-name "Night Bakery Private Limited"`],
    options: {
      id: companyId,
      name: CommandLine.text("name", "its name"),
      legalName: CommandLine.text("legal-name", "the name on invoices and labels")
    },
    *run(company) {
      yield* (yield* Companies.Companies).register(caller, company, [])
      return Answer.sentence(`Company ${company.id} is ${company.name}.`, company)
    }
  }),
  define({
    name: "list",
    does: "Lists all companies. Closed companies have the time of their closing.",
    examples: ["company list"],
    *run() {
      const shown = (yield* (yield* Directory).companies).map(({ closedAt = null, customFields: _, ...company }) => ({
        ...company,
        closedAt: Answer.time(closedAt)
      }))
      return Answer.table(shown, ["id", "name", "legalName", "closedAt"])
    }
  }),
  closing(true),
  define({
    name: "export",
    does: "Exports a company to a new file, to import it into another database. Close the company first: later changes aren't in the file. Fails if the company's stock or audit trail is broken. The file contains personal data and password hashes: keep it as safe as a backup.",
    examples: ["company export 7 company-7.jsonl.gz"],
    options: { id: companyId, file: CommandLine.argument("file", "a file that doesn't exist yet") },
    *run({ file, id }) {
      const company = yield* find(id)
      const rows = yield* CompanyArchive.write(company, file)
      if (company.closedAt === undefined)
        yield* (yield* Terminal).writeError(
          `Company ${id} is open: its later changes aren't in ${file}. Before a move, close it with "crossdock company close ${id}"\n`
        )
      return Answer.sentence(`Company ${id} is in ${file}: ${Answer.counted(rows, "row")}.`, {
        company: id,
        file,
        rows
      })
    }
  }),
  define({
    name: "import",
    does: "Imports a company from a file of `company export`, all or nothing, and checks its stock and audit trail. Both databases must be of the same release. The target must have the company's marketplaces and plans, but not its number or usernames. Webhook secrets are encrypted with SECRETS_KEY: use the exporting host's key, or set that key as SECRETS_KEY_PREVIOUS.",
    examples: ["company import company-7.jsonl.gz --database sqlite:./other.db"],
    options: { file: CommandLine.argument("file", "the file of company export") },
    *run({ file }) {
      const { isClosed, ...imported } = yield* CompanyArchive.read(file)
      const { company, levels, name, records, rows } = imported
      const counts = [
        Answer.counted(rows, "row"),
        Answer.counted(records, "audit record"),
        Answer.counted(levels, "level")
      ]
      const next = isClosed ? ` Next: "crossdock company reopen ${company}".` : ""
      return Answer.sentence(
        `Company ${company}, ${name}, is imported: ${counts.join(", ")}. Its stock and audit trail are intact.${next}`,
        imported
      )
    }
  }),
  closing(false)
])
