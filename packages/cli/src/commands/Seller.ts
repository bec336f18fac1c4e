/**
 * `crossdock seller`: the accounts of companies' own systems.
 */
import { Flag } from "effect/cli"
import * as AccountCommands from "../AccountCommands.ts"
import * as CommandLine from "../CommandLine.ts"
import * as Password from "../Password.ts"
import * as Company from "./Company.ts"

const group = { kind: "integration", name: "seller", example: "night-bakery" } as const

const add = CommandLine.define({
  name: "add",
  does: "Adds an account for a company's own system, or changes it and sets its password, which has at least 12 characters. A disabled one stays disabled.",
  examples: [
    "seller add 7 night-bakery --generate",
    "seller add 7 night-bakery-ngt1 --locations NGT1 --policy adjust --generate"
  ],
  options: {
    company: Company.companyId,
    username: AccountCommands.username,
    locations: CommandLine.list(
      "locations",
      "the only locations that it may see and change, comma-separated (default: all)"
    ),
    policy: Flag.Literals("policy", ["set", "adjust"]).pipe(
      Flag.withDescription("whether its quantities set the stock or adjust it (default: set)"),
      Flag.withDefault("set" as const)
    ),
    integrationId: CommandLine.optional(
      "integration-id",
      "its id in answers and audit records (default: the username)"
    ),
    generate: Password.generate
  },
  run: ({ company: companyId, generate, integrationId, locations, policy: stockPolicy, username: id }) =>
    AccountCommands.register(
      { kind: group.kind, id, integrationId: integrationId ?? id, companyId, locations, stockPolicy },
      generate
    )
})

export const command = CommandLine.group(
  "seller",
  "Accounts of companies' own systems, which send prices and stock and fulfil orders.",
  [
    add,
    AccountCommands.list(group, ["locations", "stockPolicy"]),
    AccountCommands.disable(group),
    AccountCommands.enable(group),
    AccountCommands.setPassword(group)
  ]
)
