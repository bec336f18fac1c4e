import {
  type Account,
  type AccountKind,
  type Company,
  Directory,
  type Location,
  SignInAttempts
} from "@crossdock/access"
import { Text } from "@crossdock/kernel"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

export const companies = Table.make<Company>("companies")

/** A location with the short key that levels and prices refer to. */
export const locations = Table.make<Location & { readonly id: number }>("locations")

const accounts = Table.make<Account>("accounts")
const secrets = Table.make<string>("secrets")

const accountKey = (kind: AccountKind, username: string): string => `${kind}:${username}`

const byCompanyAndCode = Table.byNumberThenText((location: Location) => location.companyId, "code")

/** The values of the first record with any. */
const fieldsOf = (...some: ReadonlyArray<Pick<Location, "customFields"> | undefined>) => {
  const customFields = some.find((one) => one?.customFields !== undefined)?.customFields
  return customFields === undefined ? {} : { customFields }
}

const putLocation = (tables: Table.Tables, location: Location): Table.Tables => {
  const { code, companyId } = location
  const known = locations.get(tables, companyId, code)
  const [id, next] = known === undefined ? Table.nextSerial(tables) : [known.id, tables]
  return locations.put(next, companyId, [[code, { ...location, ...fieldsOf(location, known), id }]])
}

export const layer = adapter(Directory, (database) => ({
  putCompanies: (many) =>
    database.write((tables) =>
      many.reduce((_, company) => {
        const { id, legalName, name } = company
        const known = companies.get(_, id, "")
        const closing = known?.closedAt === undefined ? {} : { closedAt: known.closedAt }
        return companies.put(_, id, [["", { id, name, legalName, ...closing, ...fieldsOf(company, known) }]])
      }, tables)
    ),
  setClosed: (id, at) =>
    database.write((tables) => {
      const known = companies.get(tables, id, "")
      if (known === undefined) return tables
      const { closedAt: _, ...open } = known
      return companies.put(tables, id, [["", at === null ? open : { ...open, closedAt: at }]])
    }),
  closed: database.read((tables) =>
    companies
      .tenants(tables)
      .flatMap((id) => companies.get(tables, id, "") ?? [])
      .filter(({ closedAt }) => closedAt !== undefined)
      .map(({ id }) => id)
      .sort(Order.Number)
  ),
  putLocations: (many) => database.write((tables) => many.reduce(putLocation, tables)),
  putAccounts: (many) =>
    database.write((tables) =>
      accounts.putEach(tables, Table.noCompany, many, (one) => [accountKey(one.principal.kind, one.username), one])
    ),
  addAccount: (one) =>
    database.decide((tables) => {
      const key = accountKey(one.principal.kind, one.username)
      return accounts.get(tables, Table.noCompany, key) === undefined
        ? Result.succeed([true, accounts.put(tables, Table.noCompany, [[key, one]])])
        : Result.succeed([false, tables])
    }),
  replaceAccount: (one) =>
    database.decide((tables) => {
      const key = accountKey(one.principal.kind, one.username)
      return accounts.get(tables, Table.noCompany, key)?.generation === one.generation - 1
        ? Result.succeed([true, accounts.put(tables, Table.noCompany, [[key, one]])])
        : Result.succeed([false, tables])
    }),
  companies: database.read((tables) =>
    companies
      .tenants(tables)
      .flatMap((id) => companies.get(tables, id, "") ?? [])
      .sort((one, other) => one.id - other.id)
  ),
  company: (id) => database.read((tables) => companies.get(tables, id, "")),
  locations: (companies) =>
    database.read((tables) =>
      [...new Set(companies)]
        .flatMap((company) => locations.entries(tables, company))
        .map(([, { id: _, ...location }]) => location)
        .sort(byCompanyAndCode)
    ),
  account: (kind, username) =>
    database.read((tables) => accounts.get(tables, Table.noCompany, accountKey(kind, username))),
  accounts: (kind) =>
    database.read((tables) =>
      accounts
        .entries(tables, Table.noCompany)
        .flatMap(([, account]) => (account.principal.kind === kind ? [account] : []))
        .sort(Order.mapInput(Text.order, (account: Account) => account.username))
    ),
  hasOwnIntegrations: database.read((tables) =>
    accounts
      .entries(tables, Table.noCompany)
      .some(([, account]) => account.principal.kind === "integration" && !account.sandbox)
  ),
  secret: (name, candidate) =>
    database.decide((tables) => {
      const known = secrets.get(tables, Table.noCompany, name)
      return Result.succeed(
        known === undefined ? [candidate, secrets.put(tables, Table.noCompany, [[name, candidate]])] : [known, tables]
      )
    }),
  replaceSecret: (name, old, secret) =>
    database.decide((tables) =>
      Result.succeed(
        secrets.get(tables, Table.noCompany, name) === old
          ? [true, secrets.put(tables, Table.noCompany, [[name, secret]])]
          : [false, tables]
      )
    )
}))

const times = Table.make<ReadonlyArray<number>>("signInFailures")

export const signInAttempts = adapter(SignInAttempts.SignInAttempts, (database) => ({
  failures: (keys, since) =>
    database.read((tables) =>
      [...new Set(keys)].flatMap((key) =>
        (times.get(tables, Table.noCompany, key) ?? []).filter((at) => at > since).map((at) => ({ key, at }))
      )
    ),
  add: (keys, at, forgetBefore) =>
    database.write((tables) => {
      const old = times.entries(tables, Table.noCompany)
      const kept = new Map(old.map(([key, all]) => [key, all.filter((one) => one >= forgetBefore)]))
      for (const key of keys) kept.set(key, [...(kept.get(key) ?? []), at])
      const forgotten = old.flatMap(([key]) => (kept.get(key)?.length === 0 ? [key] : []))
      const rest = [...kept].filter(([, all]) => all.length > 0)
      return times.remove(times.put(tables, Table.noCompany, rest), Table.noCompany, forgotten)
    })
}))
