/**
 * The shop's routes, and Crossdock's below /partner.
 */
import { allOrThrow, type Host, orThrow } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import Fastify from "fastify"
import { seller } from "./Crossdock.ts"
import type { Shop } from "./Shop.ts"

interface Sale {
  readonly id: string
  readonly sku: string
  readonly quantity: number
}

/** The answer to a sale. A repeat of a stored sale is the same sale. */
const answers = { sold: 200, "sold before": 200, "sold out": 409, "unknown SKU": 404 } as const

/** The sale's row and the units that it takes are committed together. */
const sell = (shop: Shop, crossdock: Host.Host, { id, quantity, sku }: Sale): Promise<keyof typeof answers> =>
  crossdock.transaction(async ({ services }) => {
    if (shop.prepare("SELECT 1 FROM sales WHERE id = ?").get(id) !== undefined) return "sold before"
    const caller = { principal: seller, requestId: null }
    const [level] = await orThrow(services.inventory.listings(caller, [sku], { number: 1, size: 1 }))
    if (level === undefined) return "unknown SKU"
    if (level.onHand - level.reserved < quantity) return "sold out"
    const taken = { sku, location_id: level.location, quantity: -quantity, expected_quantity: level.onHand }
    await allOrThrow(services.inventory.setStock(caller, [taken]))
    shop.prepare("INSERT INTO sales VALUES (?, ?, ?)").run(id, sku, quantity)
    return "sold"
  })

const sale = {
  type: "object",
  required: ["id", "sku", "quantity"],
  properties: { id: { type: "string" }, sku: { type: "string" }, quantity: { type: "integer", minimum: 1 } }
}

export const make = (shop: Shop, crossdock: Host.Host, url: string) => {
  const app = Fastify()

  app.get("/orders", () => shop.prepare("SELECT * FROM orders").all())

  app.post<{ Body: Sale }>("/sales", { schema: { body: sale } }, async ({ body }, reply) => {
    const outcome = await sell(shop, crossdock, body)
    return reply.code(answers[outcome]).send({ ...body, outcome })
  })

  app.register(async (partner) => {
    // Crossdock reads bodies itself, of any type, and rejects those above 1 MiB, or 5 MiB in the catalog.
    partner.removeAllContentTypeParsers()
    const raw = { parseAs: "buffer", bodyLimit: 8 * 1024 * 1024 } as const
    partner.addContentTypeParser("*", raw, (_, body, done) => done(null, body))
    partner.all<{ Body: Uint8Array }>("/partner/*", ({ body, raw }) =>
      crossdock.handler(Node.requestOf(raw, url, body))
    )
  })

  return app
}
