/**
 * A Worker for the tests of the HTTP interfaces. Each test file has a separate object with the data of these tests. The header
 * `x-test-host` has the object's name and how to make its host.
 */
import { Directory } from "@crossdock/access"
import { Host } from "@crossdock/host"
import * as Portable from "@crossdock/host/portable"
import { generousAllowances } from "@crossdock/http"
import { Effect, Layer, Logger, Redacted } from "effect"
import * as TestWorld from "../../../packages/http/test/TestWorld.ts"
import type { Env, State } from "../src/Platform.ts"
import * as Example from "../src/Shop.ts"
import { type Wanted, wantedOf } from "./WantedHost.ts"

const make = async ({ storage }: State, env: Env, { object: _object, tokenSecret, ...wanted }: Wanted) => {
  const options = Example.optionsOf(storage, env)
  const host = await Host.make({
    ...options,
    ...wanted,
    runtime: {
      ...options.runtime,
      hashing: Portable.runtime({
        documents: options.runtime.documents,
        passwordCost: { logN: 4, blockSize: 8, parallel: 1 }
      }).hashing
    },
    tokenSecret: Redacted.make(tokenSecret),
    allowances: generousAllowances,
    sandbox: true,
    admin: true,
    workers: true,
    observability: Layer.merge(options.observability, Logger.layer([]))
  })
  await host.run(
    Effect.gen(function* () {
      const directory = yield* Directory
      if ((yield* directory.account("integration", "acme")) === undefined) yield* TestWorld.load
    })
  )
  return host
}

export class Shop {
  readonly #state: State
  readonly #env: Env
  #host: Promise<Host.Host> | undefined

  constructor(state: State, env: Env) {
    this.#state = state
    this.#env = env
  }

  async fetch(request: Request): Promise<Response> {
    this.#host ??= make(this.#state, this.#env, wantedOf(request))
    return (await this.#host).handler(request)
  }
}

export default {
  fetch: async (request: Request, { SHOP }: Env) => {
    // The whole body is read first. If nobody reads it, the local server ends the connection in the middle of the client's next
    // request.
    const whole = request.body === null ? request : new Request(request, { body: await request.arrayBuffer() })
    return SHOP.get(SHOP.idFromName(wantedOf(request).object)).fetch(whole)
  }
}
