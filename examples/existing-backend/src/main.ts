/**
 * Starts the shop. SHOP_PASSWORD is the password of its people.
 */
import { start } from "./Crossdock.ts"
import { make } from "./Server.ts"
import { open } from "./Shop.ts"

if (!process.env.SHOP_PASSWORD) throw new Error("Set SHOP_PASSWORD, with which people sign in")
const publicUrl = "http://127.0.0.1:8080"
const shop = open("shop.db")
const crossdock = await start(shop, publicUrl)
const server = make(shop, crossdock, publicUrl)
await server.listen({ port: 8080 })
console.log(`The shop is at ${publicUrl}`)

process.once("SIGTERM", async () => {
  await server.close()
  await crossdock.dispose()
  shop.handle.close()
})
