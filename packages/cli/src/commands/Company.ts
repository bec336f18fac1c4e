/**
 * `crossdock company`: the companies that sell.
 */
import { Directory } from "@crossdock/access"
import { Accounts, Companies } from "@crossdock/host"
import { CompanyId } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { Effect, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, onDatabase } from "../Management.ts"
import * as SoldLocations from "../SoldLocations.ts"

const isCompanyId = Schema.is(CompanyId)

/** The number of a company. */
export const companyId = Argument.Int("company").pipe(
  Argument.filter(isCompanyId, () => "a company's number, a whole number from 1"),
  Argument.map((id) => CompanyId.make(id)),
  Argument.withDescription("the company's number")
)

/** `--company 1`; all companies without it. */
export const everyCompany = Flag.Int("company").pipe(
  Flag.filter(isCompanyId, () => "a company's number, a whole number from 1"),
  Flag.map((id): CompanyId | null => CompanyId.make(id)),
  Flag.withDescription("only this company"),
  Flag.withDefault(null)
)

/** The company with this number. */
export const find = (id: CompanyId) =>
  Effect.gen(function* () {
    const found = yield* (yield* Directory).company(id)
    return (
      found ??
      (yield* new CommandFailure({
        message: `There is no company ${id}. Add it with "crossdock company add ${id} --name NAME --legal-name NAME"`
      }))
    )
  })

/** The companies to work on: this one, or all. */
export const chosen = (id: CompanyId | null) =>
  Effect.gen(function* () {
    return id === null ? yield* (yield* Directory).companies : [yield* find(id)]
  })

const add = CommandLine.define({
  name: "add",
  does: "Adds a company, or renames it.",
  examples: [`company add 7 --name "Night Bakery" --legal-name "Night Bakery Private Limited"`],
  options: {
    id: companyId,
    name: Flag.String("name").pipe(Flag.withDescription("its name")),
    legalName: Flag.String("legal-name").pipe(Flag.withDescription("the name on invoices and labels"))
  },
  run: (company) =>
    onDatabase(
      Effect.gen(function* () {
        yield* (yield* Companies.Companies).register(caller, company, [])
        return Answer.sentence(`Company ${company.id} is ${company.name}.`, company)
      })
    )
})

const list = CommandLine.define({
  name: "list",
  does: "Lists all companies.",
  examples: ["company list"],
  options: {},
  run: () =>
    onDatabase(
      Effect.gen(function* () {
        return Answer.table(yield* (yield* Directory).companies, ["id", "name", "legalName"])
      })
    )
})

/** Nobody signs in for it any more, and no marketplace sells its stock. */
const disable = CommandLine.define({
  name: "disable",
  does: "Stops a company's business: its sellers and clients can no longer sign in, and no marketplace sells its stock. Open orders stay, and nothing is deleted.",
  examples: ["company disable 7"],
  options: { id: companyId },
  run: ({ id }) =>
    onDatabase(
      Effect.gen(function* () {
        yield* find(id)
        const [directory, accounts] = [yield* Directory, yield* Accounts.Accounts]
        const all = [...(yield* directory.accounts("integration")), ...(yield* directory.accounts("platform_client"))]
        const own = all.flatMap(({ principal }) =>
          principal.kind !== "marketplace" && principal.companyId === id ? [principal] : []
        )
        for (const { id: username, kind } of own)
          yield* accounts.setEnabled(caller, { kind, companyId: id, username }, false)
        const marketplaces = yield* (yield* MarketplaceStore).all
        const left = yield* SoldLocations.withdraw(marketplaces, ({ companyId }) => companyId === id)
        return Answer.sentence(
          `Company ${id} is disabled: stopped ${Answer.counted(own.length, "account")} from signing in and ${Answer.counted(left.length, "marketplace")} from selling its stock.`,
          { company: id, accounts: own.map(({ id }) => id), marketplaces: left }
        )
      })
    )
})

export const command = CommandLine.group("company", "Companies that sell.", [add, list, disable])
