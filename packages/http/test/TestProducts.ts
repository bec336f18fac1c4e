/**
 * Products for tests over HTTP, and readers of their answers.
 */
import { strictEqual } from "@effect/vitest/utils"
import type { Client } from "./TestHost.ts"

export interface Entry {
  readonly index: number
  readonly code: string
  readonly message: string
  readonly path: string
  readonly item_code?: string
  readonly suggestion?: string
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly code: string; readonly message?: string }>
}

export interface Written {
  readonly trace_id: string
  readonly total: number
  readonly success: number
  readonly failed: number
  readonly status: string
  readonly stage: string
  readonly company_id: number
  readonly errors: Readonly<Record<string, Entry>>
  readonly message?: string
  readonly last_updated_on?: string
}

export interface Rejected {
  readonly code: string
  readonly message: string
  readonly errors?: ReadonlyArray<{
    readonly path: string
    readonly code: string
    readonly message?: string
    readonly suggestion?: string
  }>
}

export interface Page<Item = Readonly<Record<string, unknown>>> {
  readonly items: ReadonlyArray<Item>
  readonly page_number: number
  readonly page_size: number
  readonly total: number
}

export const path = "/v3/catalog/product"

export const size = (sku: string, more: object = {}) => ({
  primary_identifier: sku,
  size: sku,
  price: 799,
  price_effective: 499.5,
  ...more
})

export const product = (code: string, more: object = {}) => ({
  item_type: "standard",
  name: `Tee ${code}`,
  slug: `tee-${code.toLowerCase()}`,
  departments: ["166"],
  category: "T-Shirts",
  brand: "Acme",
  item_code: code,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [size(`${code}-M`)],
  trader: [{ type: "Seller", name: "Acme", address: ["1 Market Road"] }],
  attributes: { color: "Black", material: "Cotton" },
  is_dependent: false,
  ...more
})

export const bodyOf = (products: ReadonlyArray<unknown>, template = "apparel") => ({ template, products })

export const write = async (api: Client, method: string, products: ReadonlyArray<unknown>, query = "") => {
  const answer = await api.call<Written>(method, path + query, bodyOf(products))
  strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export const rejected = async (api: Client, method: string, body: unknown, query = "") => {
  const answer = await api.call<Rejected>(method, path + query, body)
  return { status: answer.status, ...answer.body, errors: answer.body.errors ?? [] }
}

export const statusOf = async (api: Client, traceId: string): Promise<Written> =>
  (await api.call<Written>("GET", `/v3/catalog/status?trace_id=${traceId}`)).body

/** The status of a write, as its trace id finds it. */
export const settled = (api: Client, { trace_id }: Pick<Written, "trace_id">): Promise<Written> =>
  statusOf(api, trace_id)

/**
 * Writes products that must all be accepted.
 */
export const done = async (api: Client, method: string, products: ReadonlyArray<unknown>): Promise<Written> => {
  const status = await settled(api, await write(api, method, products))
  strictEqual(status.status, "SUCCESS", JSON.stringify(status))
  return status
}

export const codes = (errors: Written["errors"]) =>
  Object.entries(errors).map(([index, { code, path }]) => `${index} ${code} ${path}`)

export const read = async (api: Client, query: string): Promise<Page> => {
  const answer = await api.call<Page>("GET", `/v3/catalog/${query}`)
  strictEqual(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

export const itemCodes = async (api: Client, query: string) =>
  (await read(api, `product?${query}`)).items.map((item) => item.item_code)
