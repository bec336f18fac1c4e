/**
 * What `crossdock seller` and `crossdock client` have in common: lists, and who may sign in with which password.
 */
import { type Account, Directory } from "@crossdock/access"
import { Accounts } from "@crossdock/host"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "./Answer.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import * as Company from "./commands/Company.ts"
import { caller, onDatabase } from "./Management.ts"
import * as Password from "./Password.ts"

/** The group's name, and an account of it for examples. */
export interface Group {
  readonly kind: Accounts.Holder["kind"]
  readonly name: "seller" | "client"
  readonly example: string
}

export const username = Argument.String("username").pipe(Argument.withDescription("its sign-in name"))

const isOf =
  <Kind extends Accounts.Holder["kind"]>(kind: Kind) =>
  (account: Account): account is Account & { readonly principal: Extract<Accounts.Holder, { kind: Kind }> } =>
    account.principal.kind === kind

const keyOf = ({ kind, name }: Group, username: string) =>
  Effect.gen(function* () {
    const account = yield* (yield* Directory).account(kind, username)
    if (account === undefined || account.principal.kind === "marketplace")
      return yield* new CommandFailure({
        message: `There is no ${name} ${JSON.stringify(username)}. "crossdock ${name} list" lists them`
      })
    return { kind, username, companyId: account.principal.companyId }
  })

/** As people read it: without a list of locations, an account has all of its company. */
const readable = <A extends object>(account: A) =>
  "locations" in account && account.locations === null ? { ...account, locations: "all" } : account

/** Adds an account with a password, or changes it. */
export const register = (principal: Accounts.Holder, generate: boolean) =>
  onDatabase(
    Effect.gen(function* () {
      yield* Company.find(principal.companyId)
      const { password, shown } = yield* Password.choose(generate)
      yield* (yield* Accounts.Accounts).register(caller, principal, password)
      const { id: username, kind: _, ...rest } = principal
      const account = { username, ...rest, ...shown }
      return { ...Answer.record(readable(account)), json: account }
    })
  )

export const list = ({ example: _, kind, name }: Group, columns: ReadonlyArray<string>) =>
  CommandLine.define({
    name: "list",
    does: `Lists the ${name}s of all companies, or of one.`,
    examples: [`${name} list`, `${name} list --company 7`],
    options: { company: Company.everyCompany },
    run: ({ company }) =>
      onDatabase(
        Effect.gen(function* () {
          const found = (yield* (yield* Directory).accounts(kind)).filter(isOf(kind))
          const rows = found.flatMap(({ enabled, principal: { id: username, kind: _, ...rest }, sandbox }) =>
            company === null || rest.companyId === company ? [{ username, ...rest, enabled, sandbox }] : []
          )
          const table = Answer.table<Readonly<Record<string, unknown>>>(rows.map(readable), [
            "username",
            "companyId",
            ...columns,
            "enabled"
          ])
          return { ...table, json: rows }
        })
      )
  })

const enabling = (group: Group, enabled: boolean) =>
  CommandLine.define({
    name: enabled ? "enable" : "disable",
    does: enabled
      ? `Lets a ${group.name} sign in again.`
      : `Stops a ${group.name} from signing in. Its tokens end within 5 seconds.`,
    examples: [`${group.name} ${enabled ? "enable" : "disable"} ${group.example}`],
    options: { username },
    run: ({ username }) =>
      onDatabase(
        Effect.gen(function* () {
          yield* (yield* Accounts.Accounts).setEnabled(caller, yield* keyOf(group, username), enabled)
          return Answer.sentence(`${username} can ${enabled ? "sign in" : "no longer sign in"}.`, {
            username,
            enabled
          })
        })
      )
  })

export const enable = (group: Group) => enabling(group, true)
export const disable = (group: Group) => enabling(group, false)

export const setPassword = (group: Group) =>
  CommandLine.define({
    name: "set-password",
    does: `Sets a new password for a ${group.name}. Its current tokens end within 5 seconds.`,
    examples: [`${group.name} set-password ${group.example} --generate`],
    options: { username, generate: Password.generate },
    run: ({ generate, username }) =>
      onDatabase(
        Effect.gen(function* () {
          const key = yield* keyOf(group, username)
          const { password, shown } = yield* Password.choose(generate)
          yield* (yield* Accounts.Accounts).setPassword(caller, key, password)
          return Answer.record({ username, ...shown })
        })
      )
  })
