/** The shop's routes, with Crossdock's routes below /partner. */
import { allOrThrow, type Host } from "@crossdock/host"
import * as Node from "@crossdock/host/node"
import Fastify from "fastify"
import { seller } from "./Crossdock.ts"
import { type Shop, signedIn, signIn } from "./Shop.ts"

const caller = { principal: seller, requestId: null }

interface Sale {
  readonly id: string
  readonly sku: string
  readonly quantity: number
}

/** Sells a product in the shop. One transaction stores the sale and removes its units from stock. */
export const sell = ({ db }: Shop, crossdock: Host.Host, sale: Sale) =>
  crossdock.transaction(async ({ services }) => {
    const stock = await db.selectFrom("shop_stock").selectAll().where("sku", "=", sale.sku).executeTakeFirst()
    if (stock === undefined || stock.on_hand - stock.reserved < sale.quantity) return false
    await db.insertInto("shop_sales").values(sale).execute()
    const taken = { sku: sale.sku, location_id: stock.location, quantity: -sale.quantity }
    await allOrThrow(services.inventory.setStock(caller, [taken]))
    return true
  })

const bodyOf = (properties: Readonly<Record<string, object>>) => ({
  body: { type: "object", required: Object.keys(properties), properties }
})
const text = { type: "string", minLength: 1 }
const credentials = bodyOf({ username: text, password: text })
const oneSale = bodyOf({ id: text, sku: text, quantity: { type: "integer", minimum: 1 } })

export const make = (shop: Shop, crossdock: Host.Host, publicUrl: string) => {
  const app = Fastify()

  app.post<{ Body: { username: string; password: string } }>(
    "/login",
    { schema: credentials },
    async ({ body }, reply) => {
      const cookie = await signIn(shop, body.username, body.password)
      return cookie === undefined ? reply.code(401).send() : reply.header("set-cookie", `${cookie}; HttpOnly`).send()
    }
  )

  app.post<{ Body: Sale }>("/sales", { schema: oneSale }, async ({ body, headers }, reply) => {
    if ((await signedIn(shop, headers.cookie)) === undefined) return reply.code(401).send()
    return (await sell(shop, crossdock, body)) ? body : reply.code(409).send({ message: "Sold out" })
  })

  app.get("/admin", async ({ headers }, reply) => {
    if ((await signedIn(shop, headers.cookie)) === undefined) return reply.code(401).send()
    const [orders, sales, stock] = await Promise.all([
      shop.db.selectFrom("shop_orders").selectAll().execute(),
      shop.db.selectFrom("shop_sales").selectAll().execute(),
      shop.db.selectFrom("shop_stock").select(["location", "sku", "on_hand", "reserved"]).execute()
    ])
    return { orders, sales, stock }
  })

  app.register(async (partner) => {
    // Crossdock reads bodies of any type itself. It rejects bodies above 1 MiB, or 5 MiB in the catalog.
    partner.removeAllContentTypeParsers()
    const raw = { parseAs: "buffer", bodyLimit: 8 * 1024 * 1024 } as const
    partner.addContentTypeParser("*", raw, (_, body, done) => done(null, body))
    partner.all<{ Body: Uint8Array }>("/partner/*", ({ body, raw }) =>
      crossdock.handler(Node.requestOf(raw, publicUrl, body))
    )
  })

  return app
}
