/** A client of the marketplace interface. */
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Marketplace.ts"
import type * as HttpTransport from "./HttpTransport.ts"

/** The slug and credentials of a marketplace. */
export interface Account extends Call.PasswordAccount {
  readonly slug: string
}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface MarketplaceClient extends Client.Client<Operations> {}

const makers: Client.Makers<Account, MarketplaceClient> = /* @__PURE__ */ Client.makers(
  operations,
  ({ password, slug, username }: Account) => ({
    signInPath,
    params: { marketplace_slug: slug },
    credentials: { headers: Call.basicCredentials(username, password) },
    tokenHeader: Call.accessTokenHeader
  })
)

/** A client over any transport. */
export const over = makers.over

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = makers.make
