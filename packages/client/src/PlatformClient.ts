/** A client of the platform interface. */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Platform.ts"
import * as HttpTransport from "./HttpTransport.ts"
import type { Transport } from "./Operation.ts"

/** A platform client's company and credentials. */
export interface Account extends Call.Options {
  readonly companyId: number
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface PlatformClient extends Client.Client<Operations> {}

/** A client over any transport. */
export const over = (
  transport: Transport,
  { clientId, clientSecret, companyId, ...options }: Account
): PlatformClient =>
  Client.make(
    operations,
    Call.make(transport, options, {
      signInPath,
      params: { company_id: String(companyId) },
      credentials: {
        headers: Call.basicCredentials(clientId, clientSecret),
        payload: { grant_type: "client_credentials" }
      },
      tokenHeader: (token) => ({ authorization: `Bearer ${token}` })
    })
  )

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = (options: Options): Effect.Effect<PlatformClient, never, HttpClient.HttpClient> =>
  Effect.map(HttpTransport.make(options), (transport) => over(transport, options))
