/** The clients of all interfaces, over any transport (`over`) or over HTTP (`make`). They sign in when needed. */
import type * as Redacted from "effect/Redacted"
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import * as Marketplace from "./contracts/Marketplace.ts"
import * as Operator from "./contracts/Operator.ts"
import * as Platform from "./contracts/Platform.ts"
import * as Seller from "./contracts/Seller.ts"

/** The slug and the credentials of a marketplace. */
export interface MarketplaceAccount extends Call.PasswordAccount {
  readonly slug: string
}

/** The company and the credentials of a platform client. */
export interface PlatformAccount extends Call.Options {
  readonly companyId: number
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

const byPassword =
  (signInPath: string, tokenHeader: Call.SignIn["tokenHeader"], params: Call.SignIn["params"] = {}) =>
  ({ password, username }: Call.PasswordAccount): Call.SignIn => ({
    signInPath,
    params,
    credentials: { headers: Call.basicCredentials(username, password) },
    tokenHeader
  })

/** The client of the seller interface. It uses the credentials of an integration. */
export interface SellerClient extends Client.Client<Seller.Operations> {}
export const SellerClient: Client.Makers<Call.PasswordAccount, SellerClient> = /* @__PURE__ */ Client.makers(
  Seller.operations,
  /* @__PURE__ */ byPassword(Seller.signInPath, Call.accessTokenHeader)
)

/** The client of the marketplace interface. */
export interface MarketplaceClient extends Client.Client<Marketplace.Operations> {}
export const MarketplaceClient: Client.Makers<MarketplaceAccount, MarketplaceClient> = /* @__PURE__ */ Client.makers(
  Marketplace.operations,
  (account: MarketplaceAccount) =>
    byPassword(Marketplace.signInPath, Call.accessTokenHeader, { marketplace_slug: account.slug })(account)
)

/** The client of the operator interface. It uses the credentials of an operator. */
export interface OperatorClient extends Client.Client<Operator.Operations> {}
export const OperatorClient: Client.Makers<Call.PasswordAccount, OperatorClient> = /* @__PURE__ */ Client.makers(
  Operator.operations,
  /* @__PURE__ */ byPassword(Operator.signInPath, Call.bearerHeader)
)

/** The client of the platform interface. */
export interface PlatformClient extends Client.Client<Platform.Operations> {}
export const PlatformClient: Client.Makers<PlatformAccount, PlatformClient> = /* @__PURE__ */ Client.makers(
  Platform.operations,
  ({ clientId, clientSecret, companyId }: PlatformAccount) => ({
    signInPath: Platform.signInPath,
    params: { company_id: String(companyId) },
    credentials: {
      headers: Call.basicCredentials(clientId, clientSecret),
      payload: { grant_type: "client_credentials" }
    },
    tokenHeader: Call.bearerHeader
  })
)
