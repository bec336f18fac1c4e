/** The example Worker, with an object that can't read its storage at its first start. */
import type { Env, State, Storage } from "../src/Platform.ts"
import * as Example from "../src/Shop.ts"

export { default } from "../src/Worker.ts"

let starts = 0

const failing = (storage: Storage): Storage =>
  new Proxy(storage, {
    get: (_, name) => {
      throw new Error(`No storage.${String(name)}`)
    }
  })

export class Shop extends Example.Shop {
  constructor(state: State, env: Env) {
    starts++
    const storage = starts === 1 ? failing(state.storage) : state.storage
    super({ storage, blockConcurrencyWhile: (work) => state.blockConcurrencyWhile(work) }, env)
  }
}
