/**
 * A client of the seller interface.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import * as Caller from "./Caller.ts"
import * as Client from "./Client.ts"
import { type CatalogStatusResult, type Operations, operations, signInPath } from "./contracts/Seller.ts"
import type { Failure } from "./Transport.ts"

/**
 * The credentials of an integration, and where its host is.
 */
export interface Options extends Caller.Options {
  readonly username: string
  readonly password: Redacted.Redacted
}

export interface SellerClient extends Client.Client<Operations> {
  /**
   * The final status of a catalog write. It is read every second, or every `every`, until everything is processed.
   */
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

/**
 * A client that signs in with its first call, and again when its token has expired.
 */
export const make = ({
  password,
  username,
  ...options
}: Options): Effect.Effect<SellerClient, never, HttpClient.HttpClient> =>
  Effect.map(
    Caller.make(options, {
      signInPath,
      params: {},
      credentials: HttpClientRequest.basicAuth(username, password),
      authorized: (request, token) => HttpClientRequest.setHeader(request, "x-access-token", token)
    }),
    (call) => {
      const client = Client.make(operations, call)
      return { ...client, waitForCatalog: waiting(client) }
    }
  )
