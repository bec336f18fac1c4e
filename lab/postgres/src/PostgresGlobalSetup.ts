/** Vitest's `globalSetup`. It starts one PostgreSQL for the whole run, whose address is `inject("postgres")`. */
import { StorageSql } from "@crossdock/storage-sql"
import * as Postgres from "@crossdock/storage-sql/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { TestProject } from "vitest/node"
import * as PostgresServer from "./PostgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The address of a real PostgreSQL, for its administrator. */
    readonly postgres: string
  }
}

/** What the projects of a workspace share. They run their setup in one process, and use the server of the first project. */
interface Shared {
  users: number
  server: Promise<PostgresServer.PostgresServer> | undefined
}

const everywhere: typeof globalThis & { crossdockPostgres?: Shared } = globalThis
const shared: Shared = everywhere.crossdockPostgres ?? { users: 0, server: undefined }
everywhere.crossdockPostgres = shared

/** Starts a server whose new databases have our tables. Copying the tables is three times as fast as the migrations. */
const startMigrated = async (): Promise<PostgresServer.PostgresServer> => {
  const server = await PostgresServer.start()
  const template = new URL(server.url)
  template.pathname = "/template1"
  const storage = Layer.provide(StorageSql.layer, Postgres.layer(Redacted.make(template.href)))
  await Effect.runPromise(Effect.scoped(Layer.build(storage))).catch(async (error) => {
    await server.stop()
    throw error
  })
  return server
}

/** Starts the server. `CROSSDOCK_TEST_PG_URL` names a server to use instead, whose databases begin without tables. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const given = process.env.CROSSDOCK_TEST_PG_URL
  if (given !== undefined && given !== "") {
    project.provide("postgres", given)
    return undefined
  }
  shared.users += 1
  shared.server ??= startMigrated()
  const server = await shared.server
  project.provide("postgres", server.url)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    shared.server = undefined
    await server.stop()
  }
}
