/** `crossdock seller`, `client` and `operator`: the accounts of companies and of the host's operators, with their passwords. */
import { randomBytes } from "node:crypto"
import { type Account, Directory } from "@crossdock/access"
import { Accounts } from "@crossdock/host"
import { PlatformScopes } from "@crossdock/http"
import { Effect, Redacted } from "effect"
import { type Argument, Flag, Prompt } from "effect/cli"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import { account, caller, define, type Work } from "../Management.ts"
import { Terminal } from "../Terminal.ts"
import * as Company from "./Company.ts"

/** The flag `--generate`, which makes a random password and prints it once. */
const generate = CommandLine.toggle(
  "generate",
  "generates a password and prints it once (default: from a prompt or standard input)"
)

/** A random text of 192 bits that is easy to paste. */
export const randomPassword: Effect.Effect<string> = Effect.sync(() => randomBytes(24).toString("base64url"))

const typed = Effect.gen(function* () {
  const { input, isInteractive } = yield* Terminal
  if (isInteractive) return Redacted.value(yield* Prompt.run(Prompt.Password({ message: "Password" })))
  return (yield* input).replace(/\r?\n$/, "")
})

/** A password, and the fields of the answer. They include the password only if it was generated here. */
const choose = Effect.fnUntraced(function* (generated: boolean) {
  const password = generated ? yield* randomPassword : yield* typed
  return { password, shown: generated ? { password } : {} }
})

/** A kind of account. It has the group's name, the argument that names an account, and an example of the argument. */
export interface SignIn<Key> {
  readonly group: string
  readonly key: "username" | "slug"
  readonly argument: Argument.Argument<string>
  readonly example: string
  readonly disables: string
  /** Finds an account by its name, and fails if no account has it. */
  readonly find: (name: string) => Work<Key>
  readonly setEnabled: (key: Key, enabled: boolean) => Work<void>
  readonly setPassword: (key: Key, password: string) => Work<void>
}

/** The commands `disable`, `enable` and `set-password`. */
export const signIn = <Key>({ argument, disables, example, group, key, ...account }: SignIn<Key>) => {
  const enabling = (enabled: boolean) =>
    define({
      name: enabled ? "enable" : "disable",
      does: enabled ? `Lets the ${group} sign in again.` : disables,
      examples: [`${group} ${enabled ? "enable" : "disable"} ${example}`],
      options: { name: argument },
      *run({ name }) {
        yield* account.setEnabled(yield* account.find(name), enabled)
        return Answer.sentence(`${name} can ${enabled ? "sign in" : "no longer sign in"}.`, { [key]: name, enabled })
      }
    })
  const password = define({
    name: "set-password",
    does: `Sets a new password. Current tokens end within 5 seconds.`,
    examples: [`${group} set-password ${example} --generate`],
    options: { name: argument, generate },
    *run({ generate, name }) {
      const known = yield* account.find(name)
      const { password, shown } = yield* choose(generate)
      yield* account.setPassword(known, password)
      return Answer.record({ [key]: name, ...shown })
    }
  })
  return [enabling(false), enabling(true), password] as const
}

const username = CommandLine.argument("username", "its sign-in name")

/** A group of commands for a kind of account. `example` is the name of an account, for examples. */
interface Group {
  readonly kind: Accounts.Holder["kind"]
  readonly name: "seller" | "client"
  readonly example: string
}

const isOf =
  <Kind extends Accounts.Holder["kind"]>(kind: Kind) =>
  (account: Account): account is Account & { readonly principal: Extract<Accounts.Holder, { kind: Kind }> } =>
    account.principal.kind === kind

/** An account as its answer shows it. An account without a list of locations has all locations of its company. */
const readable = <A extends object>(account: A) =>
  "locations" in account && account.locations === null ? { ...account, locations: "all" } : account

/** Adds an account with a password. If the account exists, it is changed and gets the password. */
function* register(principal: Accounts.Holder, generate: boolean) {
  yield* Company.find(principal.companyId)
  const { password, shown } = yield* choose(generate)
  yield* (yield* Accounts.Accounts).register(caller, principal, password)
  const { id: username, kind: _, ...rest } = principal
  const account = { username, ...rest, ...shown }
  return Answer.record(readable(account), account)
}

const others = ({ example, kind, name }: Group, columns: ReadonlyArray<string>) => [
  define({
    name: "list",
    does: `Lists the ${name}s of all companies, or of one.`,
    examples: [`${name} list`, `${name} list --company 7`],
    options: { company: Company.everyCompany },
    *run({ company }) {
      const accounts = (yield* (yield* Directory).accounts(kind)).filter(isOf(kind))
      const rows = accounts.flatMap(({ enabled, principal: { id: username, kind: _, ...rest }, sandbox }) =>
        company === null || rest.companyId === company ? [{ username, ...rest, enabled, sandbox }] : []
      )
      const shown = ["username", "companyId", ...columns, "enabled"]
      return Answer.table<Readonly<Record<string, unknown>>>(rows.map(readable), shown, rows)
    }
  }),
  ...signIn({
    group: name,
    key: "username",
    argument: username,
    example,
    disables: `Stops a ${name} from signing in. Its tokens end within 5 seconds.`,
    find: (username) =>
      Effect.map(account(kind, username, name), ({ principal }) => {
        const { companyId } = principal as Accounts.Holder
        return { kind, username, companyId }
      }),
    setEnabled: (key, enabled) => Effect.flatMap(Accounts.Accounts, (_) => _.setEnabled(caller, key, enabled)),
    setPassword: (key, password) => Effect.flatMap(Accounts.Accounts, (_) => _.setPassword(caller, key, password))
  })
]

const sellers = { kind: "integration", name: "seller", example: "night-bakery" } as const

const addSeller = define({
  name: "add",
  does: "Adds an account for a company's own system, or changes it and its password (at least 12 characters). A disabled account stays disabled.",
  examples: [
    "seller add 7 night-bakery --generate",
    "seller add 7 night-bakery-ngt1 --locations NGT1 --policy adjust --generate"
  ],
  options: {
    company: Company.companyId,
    username,
    locations: CommandLine.list(
      "locations",
      "the only locations it can see and change, comma-separated (default: all)"
    ),
    policy: Flag.Literals("policy", ["set", "adjust"]).pipe(
      Flag.withDescription("whether its quantities set the stock or adjust it (default: set)"),
      Flag.withDefault("set" as const)
    ),
    integrationId: CommandLine.optional(
      "integration-id",
      "its id in answers and audit records (default: the username)"
    ),
    generate
  },
  run: ({ company: companyId, generate, integrationId, locations, policy: stockPolicy, username: id }) =>
    register(
      { kind: sellers.kind, id, integrationId: integrationId ?? id, companyId, locations, stockPolicy },
      generate
    )
})

export const seller = CommandLine.group(
  "seller",
  "Accounts of companies' own systems, which send prices and stock and fulfil orders.",
  [addSeller, ...others(sellers, ["locations", "stockPolicy"])]
)

const clients = { kind: "platform_client", name: "client", example: "night-office" } as const

const scopes = [...new Set(Object.values<string>(PlatformScopes.scopes))]

export const client = CommandLine.group("client", "Clients of the platform interface.", [
  define({
    name: "add",
    does: "Adds a client of the platform interface for a company, or changes it and its password. A disabled client stays disabled. Its scopes let it read or write the audit trail and billing.",
    examples: [`client add 7 night-office --scopes ${scopes.slice(0, 2).join(",")} --generate`],
    options: {
      company: Company.companyId,
      username,
      scopes: Flag.String("scopes").pipe(
        Flag.map((text) => text.split(",").map((one) => one.trim())),
        Flag.withDescription(`its scopes, comma-separated: ${scopes.join(", ")}`)
      ),
      generate
    },
    run: ({ company: companyId, generate, scopes, username: id }) =>
      register({ kind: clients.kind, id, companyId, scopes }, generate)
  }),
  ...others(clients, ["scopes"])
])

const putOperator = (username: string, change: { readonly password?: string; readonly enabled?: boolean }) =>
  Effect.flatMap(Accounts.Accounts, (accounts) => accounts.putOperator(username, change))

export const operator = CommandLine.group("operator", "Operators of the host, who sign in to its console.", [
  define({
    name: "add",
    does: "Adds an operator, who can sign in to the console and act for any company, or sets the operator's password. Audit records name the operator. A disabled operator stays disabled.",
    examples: ["operator add asha --generate"],
    options: { username, generate },
    *run({ generate, username }) {
      const { password, shown } = yield* choose(generate)
      yield* putOperator(username, { password })
      return Answer.record({ username, ...shown })
    }
  }),
  define({
    name: "list",
    does: "Lists the operators.",
    examples: ["operator list"],
    *run() {
      const accounts = yield* (yield* Directory).accounts("operator")
      const shown = accounts.map(({ enabled, username }) => ({ username, enabled }))
      return Answer.table(shown, ["username", "enabled"])
    }
  }),
  ...signIn({
    group: "operator",
    key: "username",
    argument: username,
    example: "asha",
    disables: "Stops an operator from signing in. Its sessions and tokens end within 5 seconds.",
    find: (username) => Effect.as(account("operator", username, "operator"), username),
    setEnabled: (username, enabled) => putOperator(username, { enabled }),
    setPassword: (username, password) => putOperator(username, { password })
  })
])
