/** `crossdock company`: the companies that sell. */
import { Directory } from "@crossdock/access"
import { Companies } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { Effect, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"

const isCompanyId = Schema.is(CompanyId)

export const companyId = Argument.Int("company").pipe(
  Argument.filter(isCompanyId, () => "a company's number, a whole number from 1"),
  Argument.map((id) => CompanyId.make(id)),
  Argument.withDescription("the company's number")
)

/** `--company 1`. */
export const companyFlag = (description: string) =>
  Flag.Int("company").pipe(
    Flag.filter(isCompanyId, () => "a company's number, a whole number from 1"),
    Flag.map((id) => CompanyId.make(id)),
    Flag.withDescription(description)
  )

/** `--company 1`; all companies without it. */
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

/** The companies to work on: this one, or all. */
export const chosen = Effect.fnUntraced(function* (id: CompanyId | null) {
  return id === null ? yield* (yield* Directory).companies : [yield* find(id)]
})

const add = define({
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
})

const list = define({
  name: "list",
  does: "Lists all companies; closed ones with the time of their closing.",
  examples: ["company list"],
  options: {},
  *run() {
    const shown = (yield* (yield* Directory).companies).map(({ closedAt = null, customFields: _, ...company }) => ({
      ...company,
      closedAt: Answer.time(closedAt)
    }))
    return Answer.table(shown, ["id", "name", "legalName", "closedAt"])
  }
})

const closing = (isClosing: boolean) =>
  define({
    name: isClosing ? "close" : "reopen",
    does: isClosing
      ? "Closes a company: its sellers and clients can no longer sign in, no marketplace sees or orders its stock, and no later period is billed. Marketplaces still report on open shipments; `shipment list` shows them. Nothing is deleted: `company reopen` undoes it."
      : "Reopens a closed company: its accounts, marketplaces and billing continue as before.",
    examples: [`company ${isClosing ? "close" : "reopen"} 7`],
    options: { id: companyId },
    *run({ id }) {
      yield* find(id)
      const { close, reopen } = yield* Companies.Companies
      const { agreements, marketplaces } = yield* (isClosing ? close : reopen)(caller, id)
      const [sellers, billed] = [
        Answer.counted(marketplaces.length, "marketplace"),
        Answer.counted(agreements, "agreement")
      ]
      const text = isClosing
        ? `closed: ${sellers} without its stock, ${billed} frozen`
        : `open: ${sellers} with its stock again, ${billed} active again`
      return Answer.sentence(`Company ${id} is ${text}.`, { company: id, marketplaces, agreements })
    }
  })

export const command = CommandLine.group("company", "Companies that sell.", [add, list, closing(true), closing(false)])
