/**
 * A client of the seller interface.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Caller from "./Caller.ts"
import { basicCredentials } from "./Caller.ts"
import * as Client from "./Client.ts"
import { type CatalogStatusResult, type Operations, operations, signInPath } from "./contracts/Seller.ts"
import * as HttpTransport from "./HttpTransport.ts"
import type { Failure, Transport } from "./Operation.ts"

/** The credentials of an integration. */
export interface Account extends Caller.Options {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** The account, and where its host is. */
export interface Options extends Account, HttpTransport.Options {}

export interface SellerClient extends Client.Client<Operations> {
  /** The final status of a catalog write. It is read every second, or every `every`, until everything is processed. */
  readonly waitForCatalog: (
    traceId: string,
    options?: { readonly every?: Duration.Input }
  ) => Effect.Effect<CatalogStatusResult, Failure>
}

const waiting =
  (client: Client.Client<Operations>): SellerClient["waitForCatalog"] =>
  (trace_id, { every = "1 second" } = {}) => {
    const read: Effect.Effect<CatalogStatusResult, Failure> = Effect.flatMap(
      client.products.status({ query: { trace_id } }),
      (status) => (status.stage === "COMPLETED" ? Effect.succeed(status) : Effect.delay(read, every))
    )
    return read
  }

/** A client over any transport. */
export const over = (transport: Transport, { password, username, ...options }: Account): SellerClient => {
  const client = Client.make(
    operations,
    Caller.make(transport, options, {
      signInPath,
      params: {},
      credentials: { headers: basicCredentials(username, password) },
      tokenHeader: (token) => ({ "x-access-token": token })
    })
  )
  return { ...client, waitForCatalog: waiting(client) }
}

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = (options: Options): Effect.Effect<SellerClient, never, HttpClient.HttpClient> =>
  Effect.map(HttpTransport.make(options), (transport) => over(transport, options))
