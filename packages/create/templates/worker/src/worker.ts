/**
 * A Durable Object that is a whole host, and the Worker in front of it.
 */
import { PaymentProviderTest } from "@crossdock/billing"
// @ts-expect-error: a module of type Data, whose content is the font.
import font from "@crossdock/documents/fonts/NotoSans-Regular.ttf"
import { DocumentRendererPdf } from "@crossdock/documents/pdf"
import { Host } from "@crossdock/host"
import * as Portable from "@crossdock/host/portable"
import { CompanyId } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import * as DurableObject from "@crossdock/storage-sql/DurableObject"
import { Layer } from "effect"
import { MixedScheduler, Scheduler } from "effect/Scheduler"

interface Storage extends DurableObject.DurableObjectStorage {
  readonly getAlarm: () => Promise<number | null>
  readonly setAlarm: (at: number) => Promise<void>
}

interface State {
  readonly storage: Storage
  readonly blockConcurrencyWhile: <A>(work: () => Promise<A>) => Promise<A>
}

interface Env {
  readonly PUBLIC_URL: string
  readonly ACME_PASSWORD: string
  readonly SHOP: {
    idFromName(name: string): object
    get(id: object): { fetch(request: Request): Promise<Response> }
  }
}

const companyId = CompanyId.make(1)
const acme = {
  kind: "integration",
  id: "acme",
  integrationId: "acme",
  companyId,
  locations: null,
  stockPolicy: "set"
} as const
const location = { code: "BLR1", name: "Bengaluru 1", currency: "INR", handlingHours: 24, address: null }

const setUp = async ({ services, system }: Host.Host, password: string) => {
  if ((await services.companies.find(companyId)).ok) return
  const company = { id: companyId, name: "Acme", legalName: "Acme Ltd" }
  await services.companies.register(system("setup"), company, [location])
  await services.accounts.register(system("setup"), acme, password)
}

const start = async (storage: Storage, env: Env) => {
  const host = await Host.make({
    storage: Layer.provide(StorageSql.layer, DurableObject.layer(storage)),
    runtime: Portable.runtime({ documents: DocumentRendererPdf.layer([{ bytes: new Uint8Array(font), bold: false }]) }),
    payments: PaymentProviderTest.layer,
    publicUrl: env.PUBLIC_URL,
    addressOf: (request) => request.headers.get("cf-connecting-ip") ?? "unknown",
    workers: false,
    observability: Layer.succeed(Scheduler, new MixedScheduler("sync"))
  })
  await setUp(host, env.ACME_PASSWORD)
  return host
}

export class Shop {
  readonly #storage: Storage
  readonly #host: Promise<Host.Host>

  constructor(state: State, env: Env) {
    this.#storage = state.storage
    // A start that fails ends the object, so that the next request starts another.
    this.#host = state.blockConcurrencyWhile(() => start(state.storage, env))
  }

  async fetch(request: Request): Promise<Response> {
    const answer = await (await this.#host).handler(request)
    if (request.method !== "GET") await this.#wakeWithin(1000)
    return answer
  }

  async alarm(): Promise<void> {
    await (await this.#host).once()
    await this.#wakeWithin(60_000)
  }

  // An alarm that is set stays: if every request moved it, it would never fire under steady traffic.
  async #wakeWithin(millis: number): Promise<void> {
    const [at, set] = [Date.now() + millis, await this.#storage.getAlarm()]
    if (set === null || set > at) await this.#storage.setAlarm(at)
  }
}

export default {
  fetch: (request: Request, { SHOP }: Env) => SHOP.get(SHOP.idFromName("shop")).fetch(request)
}
