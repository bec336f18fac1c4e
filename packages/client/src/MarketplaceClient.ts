/**
 * A client of the marketplace interface.
 */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import * as Caller from "./Caller.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Marketplace.ts"

/**
 * The slug and credentials of a marketplace, and where its host is.
 */
export interface Options extends Caller.Options {
  readonly slug: string
  readonly username: string
  readonly password: Redacted.Redacted
}

export interface MarketplaceClient extends Client.Client<Operations> {}

/**
 * A client that signs in with its first call, and again when its token has expired.
 */
export const make = ({
  password,
  slug,
  username,
  ...options
}: Options): Effect.Effect<MarketplaceClient, never, HttpClient.HttpClient> =>
  Effect.map(
    Caller.make(options, {
      signInPath,
      params: { marketplace_slug: slug },
      credentials: HttpClientRequest.basicAuth(username, password),
      authorized: (request, token) => HttpClientRequest.setHeader(request, "x-access-token", token)
    }),
    (call) => Client.make(operations, call)
  )
