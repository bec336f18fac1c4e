/** Writes a catalog like the ERP of a seller: in bulks of 100, each followed until it is processed. */

import type { ProductBody, RetailProduct } from "@crossdock/cli/SandboxData"
import type * as Api from "../Api.ts"

export interface Outcome {
  readonly trace_id: string
  readonly total: number
  readonly success: number
  readonly failed: number
  readonly status: string
  readonly stage: string
  readonly errors: Readonly<Record<string, unknown>>
}

export interface Bulk {
  readonly template: string
  readonly products: ReadonlyArray<object>
}

const largest = 100

/** The products of each template, in bulks. */
export const bulksOf = <A extends Pick<RetailProduct, "template">>(
  products: ReadonlyArray<A>,
  of: (product: A) => object
): ReadonlyArray<Bulk> =>
  [...new Set(products.map(({ template }) => template))].flatMap((template) => {
    const own = products.filter((product) => product.template === template)
    return Array.from({ length: Math.ceil(own.length / largest) }, (_, i) => ({
      template,
      products: own.slice(i * largest, (i + 1) * largest).map(of)
    }))
  })

export const accept = async (api: Api.Api, method: string, bulk: Bulk): Promise<Outcome> => {
  const answer = await api.call<Outcome>(method, "/v3/catalog/product", bulk)
  if (answer.status !== 200) throw new Error(`${method} answered ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

export const status = async (api: Api.Api, traceId: string): Promise<Outcome> =>
  (await api.call<Outcome>("GET", `/v3/catalog/status?trace_id=${traceId}`)).body

/** Polls until the write is completed, for at most `longest` milliseconds. */
export const settled = async (api: Api.Api, traceId: string, longest = 15_000): Promise<Outcome> => {
  for (const until = Date.now() + longest; Date.now() < until; ) {
    const outcome = await status(api, traceId)
    if (outcome.stage === "COMPLETED") return outcome
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${traceId} is still being processed after ${longest} ms`)
}

/** Writes all bulks, one after the other. Returns how many products were processed and how many failed. */
export const writeAll = async (api: Api.Api, method: string, bulks: ReadonlyArray<Bulk>) => {
  let [success, failed] = [0, 0]
  for (const bulk of bulks) {
    const outcome = await settled(api, (await accept(api, method, bulk)).trace_id)
    success += outcome.success
    failed += outcome.failed
  }
  return { success, failed }
}

export const total = async (api: Api.Api): Promise<number> =>
  (await api.call<{ readonly total: number }>("GET", "/v3/catalog/product?page_size=1")).body.total

export const branded = (brand: string, product: ProductBody) => ({ ...product, brand })
