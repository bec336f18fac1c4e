/** Provides all services on the database that a command manages. Hosts may use the same database meanwhile. */
import { type Account, Directory } from "@crossdock/access"
import { PaymentProvider } from "@crossdock/billing"
import { Services } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import { Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { found } from "./CommandFailure.ts"
import * as CommandLine from "./CommandLine.ts"
import { Database, type Surroundings } from "./CommandLine.ts"
import * as SandboxClock from "./SandboxClock.ts"
import * as Settings from "./Settings.ts"
import * as Storage from "./Storage.ts"
import { Terminal } from "./Terminal.ts"

/** The caller that the audit trail names for a command's changes. */
export const caller = { principal: { kind: "system", id: "cli" }, requestId: null } as const

/** Finds the account with this username, and fails if it doesn't exist. `group` is the group of its commands. */
export const account = Effect.fnUntraced(function* (
  kind: Account["principal"]["kind"],
  username: string,
  group: string
) {
  const known = yield* (yield* Directory).account(kind, username)
  return yield* found(known, `${group} ${JSON.stringify(username)}`, `${group} list`)
})

/** The caller that names an operator of the console. Without a username, it is the caller of all other commands. */
export const callerAs = Effect.fnUntraced(function* (username: string | null) {
  if (username === null) return caller
  yield* account("operator", username, "operator")
  return { ...caller, principal: { ...caller.principal, id: `operator:${username}` } }
})

/** The settings of the environment. `--database` replaces their database. */
export const settings = Effect.gen(function* () {
  const { environment } = yield* Terminal
  const url = Option.getOrUndefined(yield* Database)
  return yield* Settings.read(url === undefined ? environment : { ...environment, DATABASE_URL: url })
})

const services = ({ databaseUrl, secrets }: Settings.Settings) => {
  const storage = Storage.existing(databaseUrl)
  return Services.layer({
    storage,
    runtime: Node.runtime(),
    payments: Layer.succeed(PaymentProvider, PaymentProvider.none),
    secrets: Option.getOrUndefined(secrets)
  }).pipe(Layer.provideMerge(storage))
}

type Needs = Services.Services | SqlClient | Surroundings

/** Work that uses the services and the connection of a database. */
export type Work<A> = Effect.Effect<A, unknown, Needs>

/** Runs work on the database of these settings without a time limit. The database must exist and be up to date. */
export const onDatabaseOf = <A>(settings: Settings.Settings, work: Work<A>): Effect.Effect<A, unknown, Surroundings> =>
  Effect.provide(Storage.withoutTimeout(Effect.scoped(work)), services(settings))

/** Runs work at the database's time. Only a sandbox's newest change shows how far the sandbox's clock is ahead. */
const inItsTime = <A>(settings: Settings.Settings, work: Work<A>): Work<A> =>
  Effect.gen(function* () {
    const { account, hasOwnIntegrations } = yield* Directory
    const isAlone = Settings.isSandboxAlone(settings, yield* hasOwnIntegrations)
    if (!isAlone || (yield* account("integration", "acme"))?.sandbox !== true) return yield* work
    return yield* Effect.provide(Effect.andThen(SandboxClock.resume, work), SandboxClock.layer)
  })

export const onDatabase = <A>(work: Work<A>): Effect.Effect<A, unknown, Surroundings> =>
  Effect.flatMap(settings, (settings) => onDatabaseOf(settings, inItsTime(settings, work)))

export const define: CommandLine.Define<Needs> = CommandLine.definer(onDatabase)
