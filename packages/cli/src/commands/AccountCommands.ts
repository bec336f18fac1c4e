/**
 * What `crossdock seller` and `crossdock client` have in common: lists, and who may sign in with which password.
 */
import { type Account, Directory } from "@crossdock/access"
import { Accounts } from "@crossdock/host"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, onDatabase } from "../Management.ts"
import * as Password from "../Password.ts"
import * as Company from "./Company.ts"

/** The group's name, and an account of it for examples. */
export interface Group {
  readonly kind: Accounts.Holder["kind"]
  readonly name: "seller" | "client"
  readonly example: string
}

export const username = Argument.String("username").pipe(Argument.withDescription("the name that it signs in with"))

const isOf =
  <Kind extends Accounts.Holder["kind"]>(kind: Kind) =>
  (account: Account): account is Account & { readonly principal: Extract<Accounts.Holder, { kind: Kind }> } =>
    account.principal.kind === kind

const keyOf = ({ kind, name }: Group, username: string) =>
  Effect.gen(function* () {
    const account = yield* (yield* Directory).account(kind, username)
    if (account === undefined || account.principal.kind === "marketplace")
      return yield* new CommandFailure({
        message: `There is no ${name} ${JSON.stringify(username)}. "crossdock ${name} list" shows all`
      })
    return { kind, username, companyId: account.principal.companyId }
  })

/** Adds an account with a password, or changes it. */
export const register = (principal: Accounts.Holder, generate: boolean) =>
  onDatabase(
    Effect.gen(function* () {
      yield* Company.find(principal.companyId)
      const { password, shown } = yield* Password.choose(generate)
      yield* (yield* Accounts.Accounts).register(caller, principal, password)
      const { id: username, kind: _, ...rest } = principal
      return Answer.record({ username, ...rest, ...shown })
    })
  )

export const list = ({ example: _, kind, name }: Group, columns: ReadonlyArray<string>) =>
  CommandLine.define({
    name: "list",
    does: `Shows the ${name}s of all companies, or of one.`,
    examples: [`${name} list`, `${name} list --company 7`],
    options: { company: Company.everyCompany },
    run: ({ company }) =>
      onDatabase(
        Effect.gen(function* () {
          const found = (yield* (yield* Directory).accounts(kind)).filter(isOf(kind))
          const rows = found.flatMap(({ enabled, principal: { id: username, kind: _, ...rest }, sandbox }) =>
            company === null || rest.companyId === company ? [{ username, ...rest, enabled, sandbox }] : []
          )
          return Answer.table<Readonly<Record<string, unknown>>>(rows, ["username", "companyId", ...columns, "enabled"])
        })
      )
  })

const enabling = (group: Group, enabled: boolean) =>
  CommandLine.define({
    name: enabled ? "enable" : "disable",
    does: enabled
      ? `Lets a ${group.name} sign in again.`
      : `Lets a ${group.name} sign in no longer. Its tokens end within 5 seconds.`,
    examples: [`${group.name} ${enabled ? "enable" : "disable"} ${group.example}`],
    options: { username },
    run: ({ username }) =>
      onDatabase(
        Effect.gen(function* () {
          yield* (yield* Accounts.Accounts).setEnabled(caller, yield* keyOf(group, username), enabled)
          return Answer.sentence(`${username} ${enabled ? "can sign in" : "can't sign in any more"}.`, {
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
    does: `Gives a ${group.name} a new password. Tokens that it has end within 5 seconds.`,
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
