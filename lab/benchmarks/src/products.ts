/** Bulks of 100 new products, for `bench-catalog` and `profile`. */
import { productInput, sizeInput } from "@crossdock/catalog/testing"
import type * as Api from "@crossdock/system-tests/Api"
import type { Scenario } from "./Scenarios.ts"

const sizeOf = (code: string, size: string) => {
  const identifiers = [{ gtin_value: "8901234567890", gtin_type: "ean", primary: true }]
  return sizeInput(`${code}-${size}`, { size, item_weight: 180, identifiers })
}

const product = (code: string) =>
  productInput(code, {
    sizes: ["S", "M", "L"].map((size) => sizeOf(code, size)),
    attributes: { color: "Black", material: "Cotton", pack_of: 2 }
  })

export const bulk = (round: number | string) => ({
  template: "apparel",
  products: Array.from({ length: 100 }, (_, i) => product(`BENCH-${round}-${i}`))
})

interface Written {
  readonly trace_id?: string
  readonly stage: string
  readonly status: string
}

/** Creates 100 products, and waits until they are processed. */
export const create = async (api: Api.Api, unique: string) => {
  let { body } = await api.call<Written>("POST", "/v3/catalog/product", bulk(unique))
  while (body.stage === "RUNNING") {
    body = (await api.call<Written>("GET", `/v3/catalog/status?trace_id=${body.trace_id}`)).body
  }
  if (body.status !== "SUCCESS") throw new Error(JSON.stringify(body).slice(0, 500))
}

let unique = 0

export const scenario: Scenario = {
  name: "100 new products",
  records: 100,
  requests: 200,
  warmUp: 200,
  clients: 1,
  // `bench-catalog` compares it, not `bench`.
  floor: 0,
  prepare:
    async ({ seller }) =>
    async () => {
      await create(seller, `PROFILE-${unique++}`)
      return 200
    }
}
