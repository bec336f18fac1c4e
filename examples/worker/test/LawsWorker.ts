/**
 * A Worker whose Durable Object tests the laws of the storage on its own SQLite. `/` lists their sentences. `/7` tests the
 * eighth law and answers with the reason if the law is broken.
 */
import { everyLaw } from "@crossdock/storage-laws/EveryLaw"
import * as Seed from "@crossdock/storage-laws/Seed"
import { StorageSql } from "@crossdock/storage-sql"
import * as DurableObject from "@crossdock/storage-sql/DurableObject"
import { Cause, Exit, Layer, ManagedRuntime } from "effect"

const runtimeOf = (storage: DurableObject.DurableObjectStorage) =>
  ManagedRuntime.make(Layer.provideMerge(Seed.layer, Layer.provide(StorageSql.layer, DurableObject.layer(storage))))

export class Shop {
  readonly #runtime: ReturnType<typeof runtimeOf>

  constructor({ storage }: { readonly storage: DurableObject.DurableObjectStorage }) {
    this.#runtime = runtimeOf(storage)
  }

  async fetch(request: Request): Promise<Response> {
    const law = everyLaw[Number(new URL(request.url).pathname.slice(1) || "none")]
    if (law === undefined) return Response.json(everyLaw.map(({ port, sentence }) => `${port}: ${sentence}`))
    const exit = await this.#runtime.runPromiseExit(law.shown)
    return new Response(Exit.isSuccess(exit) ? "" : Cause.pretty(exit.cause))
  }
}

interface Env {
  readonly SHOP: { idFromName(name: string): object; get(id: object): { fetch(request: Request): Promise<Response> } }
}

export default {
  fetch: (request: Request, { SHOP }: Env) => SHOP.get(SHOP.idFromName("laws")).fetch(request)
}
