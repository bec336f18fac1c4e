import type { Account, AccountKind, Company, Location } from "@crossdock/access"
import { Directory, SignInAttempts } from "@crossdock/access"
import * as Order from "effect/Order"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

export const companies = Table.keyed<Company>("companies", ({ id }) => id)

/** Locations, each with the short key that levels and prices refer to. */
export const locations = Table.ofCompanies<Location & { readonly id: number }>("locations", ({ code }) => code)

const accountKey = (kind: AccountKind, username: string): string => `${kind}:${username}`

const accounts = Table.keyed<Account>("accounts", (one) => accountKey(one.principal.kind, one.username))
const secrets = Table.make<string>("secrets")

const byCompanyAndCode = Table.byNumberThenText((location: Location) => location.companyId, "code")

const fieldsOf = (...some: ReadonlyArray<Pick<Location, "customFields"> | undefined>) => {
  const customFields = some.find((one) => one?.customFields !== undefined)?.customFields
  return customFields === undefined ? {} : { customFields }
}

const putLocation = (tables: Table.Tables, location: Location): Table.Tables => {
  const { code, companyId } = location
  const known = locations.get(tables, code, companyId)
  const [id, next] = known === undefined ? Table.nextSerial(tables) : [known.id, tables]
  return locations.save(next, [{ ...location, ...fieldsOf(location, known), id }])
}

const putCompany = (tables: Table.Tables, company: Company): Table.Tables => {
  const { id, legalName, name } = company
  const known = companies.get(tables, id)
  const closing = known?.closedAt === undefined ? {} : { closedAt: known.closedAt }
  return companies.save(tables, [{ id, name, legalName, ...closing, ...fieldsOf(company, known) }])
}

export const layer = adapter(Directory, (database) => ({
  putCompanies: (many) => database.write((tables) => many.reduce(putCompany, tables)),
  setClosed: (id, at) =>
    database.write((tables) => {
      const known = companies.get(tables, id)
      if (known === undefined) return tables
      const { closedAt: _, ...open } = known
      return companies.save(tables, [at === null ? open : { ...open, closedAt: at }])
    }),
  closed: database.read((tables) =>
    companies
      .rows(tables)
      .flatMap(({ closedAt, id }) => (closedAt === undefined ? [] : [id]))
      .sort(Order.Number)
  ),
  putLocations: (many) => database.write((tables) => many.reduce(putLocation, tables)),
  putAccounts: (many) => database.write((tables) => accounts.save(tables, many)),
  addAccount: (one) =>
    database.update((tables) =>
      accounts.find(tables, one) === undefined ? [true, accounts.save(tables, [one])] : [false, tables]
    ),
  replaceAccount: (one) =>
    database.update((tables) =>
      accounts.find(tables, one)?.generation === one.generation - 1
        ? [true, accounts.save(tables, [one])]
        : [false, tables]
    ),
  companies: database.read((tables) => companies.rows(tables).sort((one, other) => one.id - other.id)),
  company: (id) => database.read((tables) => companies.get(tables, id)),
  locations: (companies) =>
    database.read((tables) =>
      [...new Set(companies)]
        .flatMap((company) => locations.rows(tables, company))
        .map(({ id: _, ...location }) => location)
        .sort(byCompanyAndCode)
    ),
  account: (kind, username) => database.read((tables) => accounts.get(tables, accountKey(kind, username))),
  accounts: (kind) =>
    database.read((tables) =>
      accounts
        .rows(tables)
        .filter(({ principal }) => principal.kind === kind)
        .sort(Table.byText("username"))
    ),
  hasOwnIntegrations: database.read((tables) =>
    accounts.rows(tables).some(({ principal, sandbox }) => principal.kind === "integration" && !sandbox)
  ),
  secret: (name, candidate) =>
    database.update((tables) => {
      const known = secrets.get(tables, name)
      return known === undefined ? [candidate, secrets.put(tables, [[name, candidate]])] : [known, tables]
    }),
  replaceSecret: (name, old, secret) =>
    database.update((tables) =>
      secrets.get(tables, name) === old ? [true, secrets.put(tables, [[name, secret]])] : [false, tables]
    )
}))

interface Failures {
  readonly key: string
  readonly times: ReadonlyArray<number>
}

const failures = Table.keyed<Failures>("signInFailures", ({ key }) => key)

export const signInAttempts = adapter(SignInAttempts.SignInAttempts, (database) => ({
  failures: (keys, since) =>
    database.read((tables) =>
      [...new Set(keys)].flatMap((key) =>
        (failures.get(tables, key)?.times ?? []).filter((at) => at > since).map((at) => ({ key, at }))
      )
    ),
  add: (keys, at, forgetBefore) =>
    database.write((tables) => {
      const old = failures.rows(tables)
      const recent = old.map(({ key, times }) => ({ key, times: times.filter((one) => one >= forgetBefore) }))
      const present = recent.filter(({ times }) => times.length > 0)
      const kept = failures.save(failures.discard(tables, old), present)
      return keys.reduce(
        (_, key) => failures.save(_, [{ key, times: [...(failures.get(_, key)?.times ?? []), at] }]),
        kept
      )
    })
}))
