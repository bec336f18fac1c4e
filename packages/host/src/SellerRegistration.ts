/** Use case: registers many sellers, each with a company, locations and an account. Existing accounts don't change. */
import { type Caller, Directory } from "@crossdock/access"
import type { OperatorRecords } from "@crossdock/http"
import { required, type Violation } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Accounts from "./Accounts.ts"
import * as Companies from "./Companies.ts"

/** A seller to add or change. The password is used only for a new account. */
export type Seller = typeof OperatorRecords.SellerRecord.Type

/** The violations of a record at the index `at` of a list. Their paths begin with it, and end with `field` if given. */
export const under = (at: number, violations: ReadonlyArray<Violation>, field = "") =>
  violations.map((one) => ({ ...one, path: `/${at}${field || one.path}` }))

/** A violation for each record whose value of `field` appears earlier in the list. */
export const repeated = <K extends string>(
  field: K,
  records: ReadonlyArray<Readonly<Record<K, string | number>>>
): ReadonlyArray<Violation> => {
  const first = new Map(records.map((record, at) => [record[field], at] as const).toReversed())
  return records.flatMap(({ [field]: key }, at) => {
    const message = `${JSON.stringify(key)} appears earlier too`
    return first.get(key) === at ? [] : [{ path: `/${at}/${field}`, code: "DUPLICATE_RECORD", message }]
  })
}

/** Checks sellers. Paths of violations begin with the seller's index. `each` seller has a `save`, which can be repeated. */
export const judged = Effect.fnUntraced(function* (
  accounts: typeof Accounts.Accounts.Service,
  caller: Caller,
  sellers: ReadonlyArray<Seller>
) {
  const directory = yield* Directory
  const { register } = yield* Companies.Companies
  const ids = sellers.map(({ id }) => id)
  const stored = Map.groupBy(ids.length === 0 ? [] : yield* directory.locations(ids), ({ companyId }) => companyId)
  const holders = new Map((yield* directory.accounts("integration")).map((one) => [one.username, one]))
  const each = sellers.map(
    ({ generated, locations: given, password, policy: stockPolicy, username, ...company }, at) => {
      const [companyId, holder, known] = [company.id, holders.get(username), stored.get(company.id) ?? []]
      const locations = given.map((one) => Companies.located(one, known))
      const [kind, integrationId] = ["integration", username] as const
      const principal = { kind, id: username, integrationId, companyId, locations: null, stockPolicy }
      const owned = [...Accounts.violationsOf(principal, []), ...Accounts.takenBy(holder, companyId)]
      const saved = register(caller, company, locations)
      return {
        violations: [
          ...under(at, Companies.violationsOf(company, locations, known)),
          ...under(at, owned, "/username"),
          ...(holder === undefined ? under(at, Registration.passwordViolations(password), "/password") : [])
        ],
        isNew: holder === undefined,
        save:
          holder === undefined
            ? Effect.andThen(saved, accounts.register(caller, principal, password, generated))
            : saved
      }
    }
  )
  return {
    violations: [
      ...repeated("id", sellers),
      ...repeated("username", sellers),
      ...each.flatMap((one) => one.violations)
    ],
    each
  }
})

/** Saves the sellers without violations. The result of each other seller is its first violation. */
export const save = Effect.fnUntraced(function* (
  accounts: typeof Accounts.Accounts.Service,
  caller: Caller,
  sellers: ReadonlyArray<Seller>,
  isOneTransaction: boolean
) {
  const { each, violations } = yield* judged(accounts, caller, sellers)
  const first = new Map(violations.map((one) => [Number(one.path.split("/")[1]), one] as const).toReversed())
  return yield* Effect.forEach(
    each,
    ({ save }, at) => {
      const fault = first.get(at)
      if (fault !== undefined) return Effect.succeed(Result.fail(fault))
      return save.pipe(
        Effect.as(Result.succeed(undefined)),
        Effect.catchTag(["CompanyRejected", "AccountRejected"], ({ violations: [found] }) =>
          Effect.succeed(Result.fail(required(under(at, found === undefined ? [] : [found])[0], "a violation")))
        ),
        Effect.catchTag("UnknownCompany", Effect.die)
      )
    },
    // In one transaction, sellers are saved one after the other.
    { concurrency: isOneTransaction ? 1 : 8 }
  )
})
