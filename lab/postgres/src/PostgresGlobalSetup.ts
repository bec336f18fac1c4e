/** Vitest's `globalSetup`: one PostgreSQL for the whole run, with its address in `inject("postgres")`. */
import type { TestProject } from "vitest/node"
import * as PostgresServer from "./PostgresServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The administrator's address of a real PostgreSQL. */
    readonly postgres: string
  }
}

/** A workspace's projects run their setup in one process and share the first one's server. */
interface Shared {
  users: number
  server: Promise<PostgresServer.PostgresServer> | undefined
}

const everywhere: typeof globalThis & { crossdockPostgres?: Shared } = globalThis
const shared: Shared = everywhere.crossdockPostgres ?? { users: 0, server: undefined }
everywhere.crossdockPostgres = shared

/** `CROSSDOCK_TEST_PG_URL` names a server to use instead. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const given = process.env.CROSSDOCK_TEST_PG_URL
  if (given !== undefined && given !== "") {
    project.provide("postgres", given)
    return undefined
  }
  shared.users += 1
  shared.server ??= PostgresServer.start()
  const server = await shared.server
  project.provide("postgres", server.url)
  return async () => {
    shared.users -= 1
    if (shared.users > 0) return
    shared.server = undefined
    await server.stop()
  }
}
