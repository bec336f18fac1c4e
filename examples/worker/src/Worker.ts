/** The Worker, which sends every request to a single object. Companies that share no marketplace could have an object each. */
import type { Env } from "./Platform.ts"

export { Shop } from "./Shop.ts"

export default {
  fetch: (request: Request, { SHOP }: Env): Promise<Response> => SHOP.get(SHOP.idFromName("main")).fetch(request)
}
