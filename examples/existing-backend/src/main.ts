/**
 * Starts the shop. SHOP_PASSWORD is the password of the staff. BAZAAR_PASSWORD is the password of the marketplace Bazaar. It
 * needs at least 12 characters.
 */
import { packing, start } from "./Crossdock.ts"
import { seed } from "./Seed.ts"
import { make } from "./Server.ts"
import { open } from "./Shop.ts"

const { BAZAAR_PASSWORD, SHOP_PASSWORD } = process.env

function stop(reason: string): never {
  console.error(reason)
  process.exit(1)
}

if (!SHOP_PASSWORD) stop("Set SHOP_PASSWORD, with which people sign in")
if (!BAZAAR_PASSWORD) stop("Set BAZAAR_PASSWORD, of at least 12 characters, with which the marketplace signs in")
const publicUrl = "http://127.0.0.1:8080"
const shop = open("shop.db")
const crossdock = await start(shop, publicUrl)
await seed(crossdock, BAZAAR_PASSWORD).catch(({ message }: Error) =>
  stop(`Can't set up the marketplace and the first product: ${message}`)
)
packing(crossdock, console.log)
const server = make(shop, crossdock, publicUrl)
await server.listen({ port: 8080 })
console.log(`The shop is at ${publicUrl}`)

const close = async () => {
  await server.close()
  await crossdock.dispose()
  shop.handle.close()
}
process.once("SIGTERM", close)
process.once("SIGINT", close)
