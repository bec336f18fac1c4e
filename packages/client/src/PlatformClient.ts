/** A client of the platform interface. */
import type * as Redacted from "effect/Redacted"
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Platform.ts"
import type * as HttpTransport from "./HttpTransport.ts"

/** A platform client's company and credentials. */
export interface Account extends Call.Options {
  readonly companyId: number
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface PlatformClient extends Client.Client<Operations> {}

const makers: Client.Makers<Account, PlatformClient> = /* @__PURE__ */ Client.makers(
  operations,
  ({ clientId, clientSecret, companyId }: Account) => ({
    signInPath,
    params: { company_id: String(companyId) },
    credentials: {
      headers: Call.basicCredentials(clientId, clientSecret),
      payload: { grant_type: "client_credentials" }
    },
    tokenHeader: Call.bearerHeader
  })
)

/** A client over any transport. */
export const over = makers.over

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = makers.make
