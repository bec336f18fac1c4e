/**
 * `crossdock client`: the clients of the platform interface.
 */
import { PlatformScopes } from "@crossdock/http"
import { Flag } from "effect/cli"
import * as CommandLine from "../CommandLine.ts"
import * as Password from "../Password.ts"
import * as AccountCommands from "./AccountCommands.ts"
import * as Company from "./Company.ts"

const group = { kind: "platform_client", name: "client", example: "night-office" } as const

const scopes = [...new Set(Object.values<string>(PlatformScopes.scopes))]

const add = CommandLine.define({
  name: "add",
  does: "Adds a company's client of the platform interface, which reads its audit trail and its billing, or changes it with a new password.",
  examples: [`client add 7 night-office --scopes ${scopes.slice(0, 2).join(",")} --generate`],
  options: {
    company: Company.companyId,
    username: AccountCommands.username,
    scopes: Flag.String("scopes").pipe(
      Flag.map((text) => text.split(",").map((one) => one.trim())),
      Flag.withDescription(`what it may do, with commas between: ${scopes.join(", ")}`)
    ),
    generate: Password.generate
  },
  run: ({ company: companyId, generate, scopes, username: id }) =>
    AccountCommands.register({ kind: group.kind, id, companyId, scopes }, generate)
})

export const command = CommandLine.group("client", "The clients of the platform interface.", [
  add,
  AccountCommands.list(group, ["scopes"]),
  AccountCommands.disable(group),
  AccountCommands.enable(group),
  AccountCommands.setPassword(group)
])
