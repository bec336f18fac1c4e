/**
 * A host in this process, on a real port, for tests that speak HTTP.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { HttpServer } from "@effect/platform"
import { Context, Effect, Exit, Layer, Logger, LogLevel, Option, Redacted, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as Api from "../src/Api.ts"
import * as Host from "../src/Host.ts"
import * as Server from "../src/Server.ts"
import type { Settings } from "../src/Settings.ts"

export const settings = (more: Partial<Settings> = {}): Settings => ({
  port: 0,
  host: "127.0.0.1",
  databaseUrl: "sqlite::memory:",
  sandbox: Option.some(true),
  tokenSecret: Option.none(),
  trustProxy: false,
  queryCredentials: true,
  sandboxWebhookUrl: Option.none(),
  sandboxWebhookSecret: Redacted.make("whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="),
  webhookAllowPrivate: Option.none(),
  logFormat: "json",
  logLevel: LogLevel.Info,
  ...more
})

export interface RunningHost {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const startHost = async (chosen: Settings, logger = Logger.none): Promise<RunningHost> => {
  const scope = Effect.runSync(Scope.make())
  const url = await Effect.gen(function* () {
    const { server } = yield* Server.make
    const context = yield* Layer.build(Host.layer(chosen, server))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}`
  }).pipe(
    Effect.provide(Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(chosen.logLevel))),
    Scope.extend(scope),
    Effect.runPromise
  )
  return { url, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/**
 * A temporary folder that is gone after the file's tests.
 */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-test-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A host for all tests of a file, and clients of it that are signed in.
 */
export const useHost = (more: () => Partial<Settings> = () => ({})) => {
  const clients: {
    url: string
    acme: Api.Api
    blr1: Api.Api
    adjust: Api.Api
    globex: Api.Api
    bazaar: Api.Api
    souk: Api.Api
    anonymous: Api.Api
  } = {} as never
  let host: RunningHost
  beforeAll(async () => {
    host = await startHost(settings(more()))
    const [acme, blr1, adjust, globex, bazaar, souk] = await Promise.all([
      Api.seller(host.url),
      Api.seller(host.url, "acme-blr1"),
      Api.seller(host.url, "acme-adjust"),
      Api.seller(host.url, "globex"),
      Api.marketplace(host.url),
      Api.marketplace(host.url, "souk")
    ])
    Object.assign(clients, { url: host.url, acme, blr1, adjust, globex, bazaar, souk, anonymous: Api.make(host.url) })
  })
  afterAll(async () => {
    for (const one of [clients.acme, clients.blr1, clients.adjust, clients.globex, clients.bazaar, clients.souk])
      one.close()
    clients.anonymous.close()
    await host.stop()
  })
  return clients
}
