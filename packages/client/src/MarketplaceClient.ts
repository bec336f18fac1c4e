/** A client of the marketplace interface. */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Marketplace.ts"
import * as HttpTransport from "./HttpTransport.ts"
import type { Transport } from "./Operation.ts"

/** The slug and credentials of a marketplace. */
export interface Account extends Call.Options {
  readonly slug: string
  readonly username: string
  readonly password: Redacted.Redacted
}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface MarketplaceClient extends Client.Client<Operations> {}

/** A client over any transport. */
export const over = (transport: Transport, { password, slug, username, ...options }: Account): MarketplaceClient =>
  Client.make(
    operations,
    Call.make(transport, options, {
      signInPath,
      params: { marketplace_slug: slug },
      credentials: { headers: Call.basicCredentials(username, password) },
      tokenHeader: (token) => ({ "x-access-token": token })
    })
  )

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = (options: Options): Effect.Effect<MarketplaceClient, never, HttpClient.HttpClient> =>
  Effect.map(HttpTransport.make(options), (transport) => over(transport, options))
