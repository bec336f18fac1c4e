/**
 * The Worker: every request goes to the one object. Companies that share no marketplace could have one each.
 */
import type { Env } from "./Platform.ts"

export { Shop } from "./Shop.ts"

export default {
  fetch: (request: Request, { SHOP }: Env): Promise<Response> => SHOP.get(SHOP.idFromName("main")).fetch(request)
}
