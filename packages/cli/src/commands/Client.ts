/**
 * `crossdock client`: the clients of the platform interface.
 */
import { PlatformScopes } from "@crossdock/http"
import { Flag } from "effect/cli"
import * as AccountCommands from "../AccountCommands.ts"
import * as CommandLine from "../CommandLine.ts"
import * as Password from "../Password.ts"
import * as Company from "./Company.ts"

const group = { kind: "platform_client", name: "client", example: "night-office" } as const

const scopes = [...new Set(Object.values<string>(PlatformScopes.scopes))]

const add = CommandLine.define({
  name: "add",
  does: "Adds a client that uses the platform interface for a company, or changes it and sets its password; a disabled one stays disabled. Its scopes say whether it may read and write the audit trail and billing.",
  examples: [`client add 7 night-office --scopes ${scopes.slice(0, 2).join(",")} --generate`],
  options: {
    company: Company.companyId,
    username: AccountCommands.username,
    scopes: Flag.String("scopes").pipe(
      Flag.map((text) => text.split(",").map((one) => one.trim())),
      Flag.withDescription(`what it may do, comma-separated: ${scopes.join(", ")}`)
    ),
    generate: Password.generate
  },
  run: ({ company: companyId, generate, scopes, username: id }) =>
    AccountCommands.register({ kind: group.kind, id, companyId, scopes }, generate)
})

export const command = CommandLine.group("client", "Clients of the platform interface.", [
  add,
  AccountCommands.list(group, ["scopes"]),
  AccountCommands.disable(group),
  AccountCommands.enable(group),
  AccountCommands.setPassword(group)
])
