/**
 * A Durable Object that is a whole host. Its database has all companies that share marketplaces, so an order from several
 * companies is one transaction.
 */
import { PaymentProviderTest } from "@crossdock/billing"
import bold from "@crossdock/documents/fonts/NotoSans-Bold.ttf"
import regular from "@crossdock/documents/fonts/NotoSans-Regular.ttf"
import { DocumentRendererPdf } from "@crossdock/documents/pdf"
import { Host } from "@crossdock/host"
import * as Portable from "@crossdock/host/portable"
import { StorageSql } from "@crossdock/storage-sql"
import * as DurableObject from "@crossdock/storage-sql/DurableObject"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MixedScheduler, Scheduler } from "effect/Scheduler"
import type { Env, State, Storage } from "./Platform.ts"
import * as Setup from "./Setup.ts"

/** The time within which webhooks are sent after a write. */
const soon = 1000

/** The delays of the alarm: for retries after a failure, and for work that is due at a certain time. */
const later = { failed: 5000, idle: 60_000 } as const

const fonts = [
  { bytes: new Uint8Array(regular), bold: false },
  { bytes: new Uint8Array(bold), bold: true }
]

const secretsOf = ({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }: Env) =>
  SECRETS_KEY === undefined
    ? undefined
    : {
        key: Redacted.make(SECRETS_KEY),
        previous: SECRETS_KEY_PREVIOUS === undefined ? undefined : Redacted.make(SECRETS_KEY_PREVIOUS)
      }

export const optionsOf = (storage: Storage, env: Env) => ({
  storage: Layer.provide(StorageSql.layer, DurableObject.layer(storage)),
  runtime: Portable.runtime({ documents: DocumentRendererPdf.layer(fonts) }),
  payments: PaymentProviderTest.layer,
  publicUrl: env.PUBLIC_URL,
  secrets: secretsOf(env),
  // Cloudflare sets this header on each request. A header that the caller sent is replaced.
  addressOf: (request: Request) => request.headers.get("cf-connecting-ip") ?? "unknown",
  workers: false,
  privateWebhooks: env.PRIVATE_WEBHOOKS === "true",
  // A timer ends together with the request that set it. Therefore fibers take turns without timers.
  observability: Layer.succeed(Scheduler, new MixedScheduler("sync"))
})

const isOperator = (request: Request, { SETUP_KEY }: Env): boolean =>
  SETUP_KEY.length >= 32 && request.headers.get("authorization") === `Bearer ${SETUP_KEY}`

const setUp = async (host: Host.Host, request: Request, env: Env): Promise<Response> => {
  if (!isOperator(request, env)) return new Response("Send the SETUP_KEY as a bearer token\n", { status: 401 })
  const body = await request.json().catch(() => undefined)
  if (!Setup.isSetup(body))
    return new Response("Send companies, accounts, marketplaces and reference\n", { status: 400 })
  const stopped = await Setup.apply(host, body)
  return new Response(stopped === undefined ? null : `${stopped}\n`, { status: stopped === undefined ? 204 : 400 })
}

export class Shop {
  readonly #storage: Storage
  readonly #env: Env
  readonly #host: Promise<Host.Host>

  constructor(state: State, env: Env) {
    this.#storage = state.storage
    this.#env = env
    // A start that fails ends the object, so that the next request starts another.
    this.#host = state.blockConcurrencyWhile(() => Host.make(optionsOf(state.storage, env)))
  }

  async fetch(request: Request): Promise<Response> {
    const host = await this.#host
    const isSetup = request.method === "PUT" && new URL(request.url).pathname === "/setup"
    const answer = isSetup ? await setUp(host, request, this.#env) : await host.handler(request)
    if (request.method !== "GET") await this.#wakeWithin(soon)
    return answer
  }

  /** Does background work. A failed or interrupted alarm fires again, and all work can be repeated safely. */
  async alarm(): Promise<void> {
    const host = await this.#host
    const failed = Object.values(await host.once()).flat()
    await this.#wakeWithin(failed.length > 0 ? later.failed : later.idle)
  }

  async #wakeWithin(millis: number): Promise<void> {
    const [at, set] = [Date.now() + millis, await this.#storage.getAlarm()]
    if (set === null || set > at) await this.#storage.setAlarm(at)
  }
}
