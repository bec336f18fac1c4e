/** Use case: accounts of sellers' systems and of platform clients. Each change is audited, without the password. */
import type { Account, Caller, Integration, PlatformClient } from "@crossdock/access"
import { Directory, PasswordHash } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { PlatformScopes } from "@crossdock/http"
import {
  type CompanyId,
  pointer,
  StaleWrite,
  type Stored,
  Text,
  Transaction,
  taggedError,
  Violation
} from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { UnknownCompany } from "./Companies.ts"

/** The principal of a company's account: a seller's system or a platform client. */
export type Holder = Integration | PlatformClient

/** The registration isn't valid. The error lists every fault with its path. */
export class AccountRejected extends taggedError<AccountRejected>()(
  "@crossdock/host/AccountRejected",
  { violations: Schema.Array(Violation) },
  ({ violations }) => violations.map(({ message, path }) => `${path} ${message}`).join("\n")
) {}

/** The company has no such account. */
export class UnknownAccount extends taggedError<UnknownAccount>()(
  "@crossdock/host/UnknownAccount",
  { username: Schema.String },
  ({ username }) => `There is no account ${username} of this kind and company: call Accounts.register first.`
) {}

/** Identifies an account by kind, company and username. */
export interface AccountKey {
  readonly kind: Holder["kind"]
  readonly companyId: CompanyId
  readonly username: string
}

/** Manages accounts. A new password or a change of `enabled` ends all earlier tokens within 5 seconds. */
export class Accounts extends Context.Service<
  Accounts,
  {
    /** Registers or changes an account. A disabled one stays disabled. Another company's username fails: `USERNAME_TAKEN`. */
    readonly register: (
      caller: Caller,
      principal: Holder,
      password: string,
      isGenerated?: boolean
    ) => Stored<void, AccountRejected | UnknownCompany>
    readonly setPassword: (
      caller: Caller,
      key: AccountKey,
      password: string
    ) => Stored<void, AccountRejected | UnknownAccount>
    /** Enables or disables an account. Repeating the call changes nothing. */
    readonly setEnabled: (caller: Caller, key: AccountKey, enabled: boolean) => Stored<void, UnknownAccount>
    /** Adds or changes an operator, and ends its sessions. No audit trail has the change, since operators have no company. */
    readonly putOperator: (
      username: string,
      change: { readonly password?: string; readonly enabled?: boolean }
    ) => Stored<void, AccountRejected>
  }
>()("@crossdock/host/Accounts") {}

const scopes = PlatformScopes.allScopes

const fault = (path: ReadonlyArray<PropertyKey>, code: string, message: string) => ({
  path: pointer(path),
  code,
  message
})

/** The faults of a username. A colon ends a username in HTTP Basic, and marks operators in audit records. */
const usernameViolations = (id: string): ReadonlyArray<Violation> =>
  !Text.isLine(id, 300) || id.includes(":")
    ? [fault(["id"], "INVALID_VALUE", "must be one line of 1 to 300 characters without a colon")]
    : []

/** The faults of a principal. `codes` are the company's locations. */
export const violationsOf = (principal: Holder, codes: ReadonlyArray<string>): ReadonlyArray<Violation> => [
  ...usernameViolations(principal.id),
  ...(principal.kind === "integration"
    ? (principal.locations ?? []).flatMap((code, at) =>
        codes.includes(code) ? [] : [fault(["locations", at], "UNKNOWN_LOCATION", "is not a location of the company")]
      )
    : principal.scopes.flatMap((scope, at) =>
        scopes.includes(scope) ? [] : [fault(["scopes", at], "INVALID_VALUE", `must be one of ${scopes.join(", ")}`)]
      ))
]

/** The fault of a username that another company uses. */
export const takenBy = (current: Account | undefined, companyId: CompanyId): ReadonlyArray<Violation> => {
  const holder = current?.principal
  return holder === undefined || ("companyId" in holder && holder.companyId === companyId)
    ? []
    : [fault(["id"], "USERNAME_TAKEN", "is taken: choose another username")]
}

/** Makes the service of accounts. */
export const make = Effect.gen(function* () {
  const directory = yield* Directory
  const hashes = yield* PasswordHash
  const { run } = yield* CompanyWrite.CompanyWrite

  const repeating = Transaction.retrying(yield* Transaction.Transaction)

  const stored = (write: Stored<boolean>, operation: string) =>
    Effect.flatMap(write, (isStored) => (isStored ? Effect.void : Effect.fail(new StaleWrite({ operation }))))

  const add = (account: Account) => stored(directory.addAccount(account), "Accounts.register")

  /** Changes an account while its company is locked. It starts again if another company takes the username meanwhile. */
  const change = <E>(
    caller: Caller,
    { companyId, kind, username }: AccountKey,
    action: string,
    next: (current: Account | undefined) => Stored<Account | undefined, E>
  ) =>
    run(caller, {
      load: Effect.void,
      lockFirst: () => [companyId],
      decide: Effect.fnUntraced(function* () {
        const current = yield* directory.account(kind, username)
        const account = yield* next(current)
        if (account === undefined) return CompanyWrite.nothing(undefined)
        const { locations, scopes } = { locations: undefined, scopes: undefined, ...account.principal }
        return {
          answer: undefined,
          changes: [
            {
              companyId,
              entity: { type: "account", id: username, action },
              save: () =>
                Effect.as(current === undefined ? add(account) : directory.putAccounts([account]), {
                  logs: { request: { kind, username, enabled: account.enabled, locations, scopes }, response: null },
                  // There are no events, because consumers of the feed don't act on sign-ins.
                  events: []
                })
            }
          ]
        }
      })
    })

  const owned = (key: AccountKey, account: Account | undefined) =>
    account !== undefined && "companyId" in account.principal && account.principal.companyId === key.companyId
      ? Effect.succeed(account)
      : new UnknownAccount({ username: key.username })

  const register: typeof Accounts.Service.register = Effect.fnUntraced(
    function* (caller, principal, password, isGenerated) {
      const { companyId, id: username, kind } = principal
      if ((yield* directory.company(companyId)) === undefined) return yield* new UnknownCompany({ companyId })
      const codes = (yield* directory.locations([companyId])).map(({ code }) => code)
      const violations = [...violationsOf(principal, codes), ...Registration.passwordViolations(password)]
      if (violations.length > 0) return yield* new AccountRejected({ violations })
      // Hashing is slow on purpose, so it is done before anything is locked.
      const passwordHash = yield* hashes.hash(password, isGenerated)
      yield* change(caller, { companyId, kind, username }, "register", (current) => {
        const violations = takenBy(current, companyId)
        if (violations.length > 0) return new AccountRejected({ violations })
        const generation = (current?.generation ?? 0) + 1
        const enabled = current?.enabled ?? true
        return Effect.succeed({ username, passwordHash, enabled, generation, sandbox: false, principal })
      })
    }
  )

  const setPassword: typeof Accounts.Service.setPassword = Effect.fnUntraced(function* (caller, key, password) {
    const violations = Registration.passwordViolations(password)
    if (violations.length > 0) return yield* new AccountRejected({ violations })
    const passwordHash = yield* hashes.hash(password)
    yield* change(caller, key, "set_password", (current) =>
      Effect.map(owned(key, current), (account) => ({ ...account, passwordHash, generation: account.generation + 1 }))
    )
  })

  const setEnabled: typeof Accounts.Service.setEnabled = (caller, key, enabled) =>
    change(caller, key, enabled ? "enable" : "disable", (current) =>
      Effect.map(owned(key, current), (account) =>
        account.enabled === enabled ? undefined : { ...account, enabled, generation: account.generation + 1 }
      )
    )

  const putOperator: typeof Accounts.Service.putOperator = (username, { enabled, password }) =>
    Effect.gen(function* () {
      const isNew = (yield* directory.account("operator", username)) === undefined
      const violations = [
        ...usernameViolations(username),
        ...(password === undefined && !isNew ? [] : Registration.passwordViolations(password ?? ""))
      ]
      if (violations.length > 0) return yield* new AccountRejected({ violations })
      const passwordHash = password === undefined ? undefined : yield* hashes.hash(password)
      // The account is read after the slow hash, and again after a concurrent change. So a disabled account stays disabled.
      yield* repeating(
        Effect.gen(function* () {
          const known = yield* directory.account("operator", username)
          const account = {
            username,
            passwordHash: passwordHash ?? known?.passwordHash ?? "",
            enabled: enabled ?? known?.enabled ?? true,
            generation: (known?.generation ?? 0) + 1,
            sandbox: false,
            principal: { kind: "operator", id: username } as const
          }
          yield* known === undefined ? add(account) : stored(directory.replaceAccount(account), "Accounts.putOperator")
        })
      )
    })

  return Accounts.of({ register, setPassword, setEnabled, putOperator })
})

/** The layer of the service. */
export const layer = Layer.effect(Accounts, make)
