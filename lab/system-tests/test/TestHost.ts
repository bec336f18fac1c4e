/** A host in this process, on a real port, for tests over HTTP. */

import { type IncomingHttpHeaders, request } from "node:http"
import { connect } from "node:net"
import * as Host from "@crossdock/cli/Host"
import * as Server from "@crossdock/cli/Server"
import type { Settings } from "@crossdock/cli/Settings"
import { generousAllowances } from "@crossdock/http"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Context, Effect, Exit, Layer, Logger, Option, Redacted, References, Scope } from "effect"
import { HttpServer } from "effect/http"
import { afterAll, beforeAll } from "vitest"
import * as DocumentedAnswers from "../../../packages/http/test/DocumentedAnswers.ts"
import * as Api from "../src/Api.ts"

export const settings = (more: Partial<Settings> = {}): Settings => ({
  port: 0,
  host: "127.0.0.1",
  adminPort: Option.none(),
  console: Option.none(),
  databasePool: 10,
  databasePooler: Option.none(),
  databaseTimeout: 9,
  workersAtOnce: 1,
  allowances: generousAllowances,
  maxConnections: Number.POSITIVE_INFINITY,
  addressConnections: Number.POSITIVE_INFINITY,
  drainSeconds: 0,
  databaseUrl: "sqlite::memory:",
  sandbox: Option.some(true),
  tokenSecret: Option.none(),
  tokenSecretPrevious: Option.none(),
  secrets: Option.none(),
  payments: Option.none(),
  auditPublicKeys: Option.none(),
  trustedProxies: 0,
  queryCredentials: true,
  lenientQuery: false,
  publicUrl: Option.none(),
  docsUrl: Option.none(),
  sandboxWebhookUrl: Option.none(),
  sandboxWebhookSecret: Redacted.make("whsec_c2FuZGJveC1iYXphYXItd2ViaG9vay1zZWNyZXQ="),
  webhookAllowPrivate: Option.none(),
  invoiceSeller: { name: "Crossdock", addressLines: [], taxNumber: null, bank: null },
  retention: {
    catalogWrites: Option.none(),
    deadLetters: Option.none(),
    events: Option.none(),
    movements: Option.none()
  },
  telemetry: { protocol: "http/protobuf", traces: false, sampledShare: 1, metrics: false, logs: false },
  logFormat: "json",
  logLevel: "Info",
  ...more
})

export interface RunningHost {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A hash at the recommended cost takes a tenth of a second, and the sandbox has nine. */
const cheap = { logN: 4, blockSize: 8, parallel: 1 }

export const startHost = async (
  chosen: Settings,
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>> = [],
  options: Host.Options = {}
): Promise<RunningHost> => {
  const scope = Effect.runSync(Scope.make())
  const url = await Effect.gen(function* () {
    const makeServer = Effect.map(
      Server.make({ docsUrlAt: (port) => Host.docsUrlAt(chosen, port) }),
      ({ server }) => server
    )
    const servers = { main: yield* makeServer, admin: yield* makeServer }
    const context = yield* Layer.build(Host.layer(chosen, servers, { passwordCost: cheap, ...options }))
    const { address } = Context.get(context, HttpServer.HttpServer)
    return `http://127.0.0.1:${"port" in address ? address.port : 0}`
  }).pipe(
    Effect.provide(Layer.merge(Logger.layer(loggers), Layer.succeed(References.MinimumLogLevel, chosen.logLevel))),
    Scope.provide(scope),
    Effect.runPromise
  )
  return { url, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

export interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON; undefined if it isn't JSON. */
  readonly body: {
    readonly message?: string
    readonly code?: string
    readonly request_id?: string
    readonly docs?: string
    readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message: string }>
    readonly access_token?: string
  }
}

const jsonOf = (text: string): Sent["body"] => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined as never
  }
}

/**
 * One request on its own connection, with exactly this body, in chunks without a content-length. An answer before the host has
 * read everything counts too.
 */
export const send = (
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string | Uint8Array
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let answered = false
    // Node sends a DELETE's body without its length, as if the next request began with it.
    const length = method === "DELETE" && body !== undefined ? { "content-length": Buffer.byteLength(body) } : {}
    const sent = request(
      { agent: false, hostname, port, method, path, headers: { ...length, ...headers } },
      (answer) => {
        answered = true
        let text = ""
        answer.setEncoding("utf8")
        answer.on("data", (chunk) => {
          text += chunk
        })
        answer.on("end", () => {
          const given = { status: answer.statusCode ?? 0, headers: answer.headers, text }
          const faults = DocumentedAnswers.faults(method, path, given)
          if (faults.length > 0) reject(new Error(faults.join("\n")))
          else resolve({ ...given, body: jsonOf(text) })
        })
        answer.on("error", reject)
      }
    )
    sent.on("error", (error) => {
      if (!answered) reject(error)
    })
    sent.end(body)
  })

/** The answer to raw bytes that no HTTP client would send, until the host closes the connection. */
export const sendBytes = (url: string, bytes: string): Promise<{ readonly head: string; readonly body: string }> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    let text = ""
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("close", () => {
      const end = text.indexOf("\r\n\r\n")
      resolve({ head: text.slice(0, end), body: text.slice(end + 4) })
    })
    // A host that stops reading may reset the connection; its earlier answer counts.
    socket.on("error", () => {})
  })

export const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`

/** A token for a sandbox account. */
export const tokenOf = async (url: string, path: string, username: string): Promise<string> => {
  const { body } = await send(url, "GET", path, { authorization: basicOf(username, `${username}-secret`) })
  return body.access_token ?? ""
}

/** A client whose answers must match the documents. */
const checked = ({ call, close }: Api.Api): Api.Api => ({
  call: async (method, path, body, headers) => {
    const answer = await call<never>(method, path, body, headers)
    deepStrictEqual(DocumentedAnswers.faults(method, path, { ...answer, text: JSON.stringify(answer.body) ?? "" }), [])
    return answer
  },
  close
})

/** A host for all tests of a file, with signed-in clients. */
export const useHost = (more: () => Partial<Settings> | Promise<Partial<Settings>> = () => ({})) => {
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
    host = await startHost(settings(await more()))
    const [acme, blr1, adjust, globex, bazaar, souk] = await Promise.all([
      Api.seller(host.url),
      Api.seller(host.url, "acme-blr1"),
      Api.seller(host.url, "acme-adjust"),
      Api.seller(host.url, "globex"),
      Api.marketplace(host.url),
      Api.marketplace(host.url, "souk")
    ])
    const own = { acme, blr1, adjust, globex, bazaar, souk, anonymous: Api.make(host.url) }
    for (const [name, client] of Object.entries(own)) Object.assign(clients, { [name]: checked(client) })
    Object.assign(clients, { url: host.url })
  })
  afterAll(async () => {
    for (const one of [clients.acme, clients.blr1, clients.adjust, clients.globex, clients.bazaar, clients.souk])
      one.close()
    clients.anonymous.close()
    await host.stop()
  })
  return clients
}
