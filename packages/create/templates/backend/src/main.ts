import { start } from "./Crossdock.ts"
import { seed } from "./Seed.ts"
import { make } from "./Server.ts"
import { open } from "./Shop.ts"

const { BAZAAR_PASSWORD = "", DATABASE = "shop.db", PORT = "8080" } = process.env
const url = `http://127.0.0.1:${PORT}`
const shop = open(DATABASE)
const crossdock = await start(shop, url)
await seed(crossdock, BAZAAR_PASSWORD).catch(({ message }: Error) => {
  console.error(`The shop can't be set up, maybe for its BAZAAR_PASSWORD: ${message}`)
  process.exit(1)
})
const server = make(shop, crossdock, url)
await server.listen({ port: Number(PORT) })
console.log(`The shop is at ${url}`)

const close = async () => {
  await server.close()
  await crossdock.dispose()
  shop.close()
}
process.once("SIGTERM", close)
process.once("SIGINT", close)
