import type { Account, AccountHolder, AccountKind, Company, Location, LocationAddress } from "@crossdock/access"
import { Directory, SignInAttempts } from "@crossdock/access"
import { CompanyId, required, StoredBody } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { each, first, rowsOf, texts } from "../Dialect.ts"
import { named } from "../TransactionSql.ts"

export const principals = StoredBody.make<AccountHolder>({ name: "principal of", fields: { kind: true, id: true } })

export const addresses = StoredBody.make<LocationAddress>({
  name: "address of location",
  fields: StoredBody.present("address1 address2 city state pincode country phone gstin")
})

const values = StoredBody.makeList<readonly [name: string, value: unknown]>({ name: "custom fields of" })

const valuesOf = (text: string | null, name: string) =>
  text === null ? {} : { customFields: Object.fromEntries(values.read(text, name)) }

const textOf = ({ customFields }: Pick<Company, "customFields">) =>
  customFields === undefined ? null : values.write(Object.entries(customFields))

interface CompanyRow extends Pick<Company, "id" | "name" | "legalName"> {
  readonly closedAt: number | null
  readonly customFields: string | null
}

interface LocationRow extends Omit<Location, "address" | "customFields"> {
  readonly address: string | null
  readonly customFields: string | null
}

interface AccountRow extends Pick<Account, "username" | "passwordHash" | "generation"> {
  readonly enabled: number
  readonly sandbox: number
  readonly principal: string
}

const locationOf = ({ address, customFields, ...row }: LocationRow): Location => ({
  ...row,
  address: address === null ? null : addresses.read(address, `${row.code} of company ${row.companyId}`),
  ...valuesOf(customFields, `location ${row.code} of company ${row.companyId}`)
})

const companyOf = ({ closedAt, customFields, ...row }: CompanyRow): Company => ({
  ...row,
  ...(closedAt === null ? {} : { closedAt }),
  ...valuesOf(customFields, `company ${row.id}`)
})

const accountOf =
  (kind: AccountKind) =>
  ({ enabled, principal, sandbox, ...row }: AccountRow): Account => ({
    ...row,
    enabled: enabled === 1,
    sandbox: sandbox === 1,
    principal: principals.read(principal, `${kind} ${row.username}`)
  })

const companyColumns = Dialect.columns("id integer, name text, legal_name text, custom_fields text")
const locationColumns = Dialect.columns(`
  company_id integer, code text, name text, currency text, handling_hours integer, address text,
  custom_fields text`)
const accountColumns = Dialect.columns(`
  kind text, username text, password_hash text, enabled integer, generation integer, sandbox integer,
  principal text`)

/** An account's values, in the order of `accountColumns`. */
const accountRow = (one: Account) => [
  one.principal.kind,
  one.username,
  one.passwordHash,
  one.enabled ? 1 : 0,
  one.generation,
  one.sandbox ? 1 : 0,
  principals.write(one.principal)
]

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const companies = sql`
    SELECT id, name, legal_name AS "legalName", closed_at AS "closedAt", custom_fields AS "customFields"
    FROM crossdock_companies`
  const accounts = sql`
    SELECT username, password_hash AS "passwordHash", enabled, generation, sandbox, principal FROM crossdock_accounts`

  /** Inserts accounts in key order, so that two writers never deadlock. */
  const insertAccounts = (accounts: ReadonlyArray<Account>) =>
    sql`INSERT INTO crossdock_accounts (kind, username, password_hash, enabled, generation, sandbox, principal)
        SELECT r.kind, r.username, r.password_hash, r.enabled, r.generation, r.sandbox, r.principal
        FROM ${rowsOf(sql, accountColumns, accounts, accountRow)} r WHERE true ORDER BY r.kind, r.username`

  return Directory.of({
    putCompanies: (companies) =>
      sql`INSERT INTO crossdock_companies (id, name, legal_name, custom_fields)
          SELECT r.id, r.name, r.legal_name, r.custom_fields
          FROM ${rowsOf(sql, companyColumns, companies, (_) => [_.id, _.name, _.legalName, textOf(_)])} r
          WHERE true ORDER BY r.id
          ON CONFLICT (id) DO UPDATE SET name = excluded.name, legal_name = excluded.legal_name,
            custom_fields = COALESCE(excluded.custom_fields, crossdock_companies.custom_fields)`.pipe(
        Effect.asVoid,
        named("Directory.putCompanies")
      ),
    putLocations: (locations) =>
      sql`INSERT INTO crossdock_locations (company_id, code, name, currency, handling_hours, address, custom_fields)
          SELECT r.company_id, r.code, r.name, r.currency, r.handling_hours, r.address, r.custom_fields
          FROM ${rowsOf(sql, locationColumns, locations, (_) => [
            _.companyId,
            _.code,
            _.name,
            _.currency,
            _.handlingHours,
            _.address === null ? null : addresses.write(_.address),
            textOf(_)
          ])} r WHERE true ORDER BY r.company_id, r.code
          ON CONFLICT (company_id, code) DO UPDATE SET
            name = excluded.name, currency = excluded.currency, handling_hours = excluded.handling_hours,
            address = excluded.address,
            custom_fields = COALESCE(excluded.custom_fields, crossdock_locations.custom_fields)`.pipe(
        Effect.asVoid,
        named("Directory.putLocations")
      ),
    putAccounts: (accounts) =>
      sql`${insertAccounts(accounts)}
          ON CONFLICT (kind, ${Dialect.indexed(sql, "username")}) DO UPDATE SET password_hash = excluded.password_hash, enabled = excluded.enabled,
            generation = excluded.generation, sandbox = excluded.sandbox, principal = excluded.principal`.pipe(
        Effect.asVoid,
        named("Directory.putAccounts")
      ),
    addAccount: (account) =>
      sql`${insertAccounts([account])} ON CONFLICT DO NOTHING RETURNING username`.pipe(
        Effect.map((added) => added.length === 1),
        named("Directory.addAccount")
      ),
    replaceAccount: (one) =>
      sql`UPDATE crossdock_accounts SET password_hash = ${one.passwordHash}, enabled = ${one.enabled ? 1 : 0},
            generation = ${one.generation}, sandbox = ${one.sandbox ? 1 : 0}, principal = ${principals.write(one.principal)}
          WHERE kind = ${one.principal.kind} AND ${Dialect.isText(sql, "username", sql`${one.username}`)}
            AND generation = ${one.generation - 1} RETURNING username`.pipe(
        Effect.map((replaced) => replaced.length === 1),
        named("Directory.replaceAccount")
      ),
    companies: sql<CompanyRow>`
      ${companies} ORDER BY id`.pipe(each(companyOf), named("Directory.companies")),
    setClosed: (id, at) =>
      sql`
        UPDATE crossdock_companies SET closed_at = ${at}
        WHERE id = ${id}`.pipe(Effect.asVoid, named("Directory.setClosed")),
    closed: sql<{ id: number }>`SELECT id FROM crossdock_companies WHERE closed_at IS NOT NULL ORDER BY id`.pipe(
      each(({ id }) => CompanyId.make(id)),
      named("Directory.closed")
    ),
    company: (id) =>
      sql<CompanyRow>`
        ${companies} WHERE id = ${id}`.pipe(first(companyOf), named("Directory.company")),
    locations: (companies) =>
      sql<LocationRow>`
        SELECT company_id AS "companyId", code, name, currency, handling_hours AS "handlingHours", address,
          custom_fields AS "customFields"
        FROM crossdock_locations WHERE ${Dialect.isOneOf(sql, "company_id", companies)}
        ORDER BY company_id, code`.pipe(each(locationOf), named("Directory.locations")),
    account: (kind, username) =>
      sql<AccountRow>`
        ${accounts} WHERE kind = ${kind} AND ${Dialect.isText(sql, "username", sql`${username}`)}`.pipe(
        first(accountOf(kind)),
        named("Directory.account")
      ),
    accounts: (kind) =>
      sql<AccountRow>`
        ${accounts} WHERE kind = ${kind} ORDER BY username`.pipe(each(accountOf(kind)), named("Directory.accounts")),
    hasOwnIntegrations: sql`
      SELECT 1 AS one FROM crossdock_accounts WHERE kind = 'integration' AND sandbox = 0 LIMIT 1`.pipe(
      Effect.map((found) => found.length > 0),
      named("Directory.hasOwnIntegrations")
    ),
    secret: (name, candidate) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO crossdock_secrets ${sql.insert({ name, value: candidate })} ON CONFLICT (name) DO NOTHING`
        const [row] = yield* sql<{ value: string }>`SELECT value FROM crossdock_secrets WHERE name = ${name}`
        return required(row, `the secret ${name}`).value
      }).pipe(named("Directory.secret")),
    replaceSecret: (name, old, secret) =>
      sql`UPDATE crossdock_secrets SET value = ${secret} WHERE name = ${name} AND value = ${old} RETURNING name`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("Directory.replaceSecret")
      )
  })
})

export const layer = Layer.effect(Directory, make)

const failureColumns = Dialect.columns("subject text, at integer")

const makeSignInAttempts = Effect.gen(function* () {
  const sql = yield* SqlClient
  return SignInAttempts.SignInAttempts.of({
    failures: (keys, since) =>
      sql<{ key: string; at: number }>`
        SELECT subject AS key, at FROM crossdock_sign_in_failures
        WHERE ${Dialect.isTextOf(sql, "subject", texts(sql, keys))}
          AND at > ${since}`.pipe(named("SignInAttempts.failures")),
    add: (keys, at, forgetBefore) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM crossdock_sign_in_failures WHERE at < ${forgetBefore}`
        yield* sql`INSERT INTO crossdock_sign_in_failures (subject, at)
                   SELECT r.subject, r.at FROM ${rowsOf(sql, failureColumns, keys, (key) => [key, at])} r`
      }).pipe(named("SignInAttempts.add"))
  })
})

export const signInAttempts = Layer.effect(SignInAttempts.SignInAttempts, makeSignInAttempts)
