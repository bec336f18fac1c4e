/** A client of the seller interface. */
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Seller.ts"
import type * as HttpTransport from "./HttpTransport.ts"

/** The credentials of an integration. */
export interface Account extends Call.PasswordAccount {}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface SellerClient extends Client.Client<Operations> {}

const makers: Client.Makers<Account, SellerClient> = /* @__PURE__ */ Client.makers(
  operations,
  ({ password, username }: Account) => ({
    signInPath,
    params: {},
    credentials: { headers: Call.basicCredentials(username, password) },
    tokenHeader: Call.accessTokenHeader
  })
)

/** A client over any transport. */
export const over = makers.over

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = makers.make
