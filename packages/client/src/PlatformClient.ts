/**
 * A client of the platform interface.
 */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Redacted from "effect/Redacted"
import * as Caller from "./Caller.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Platform.ts"

/**
 * A platform client's company and credentials, and where its host is.
 */
export interface Options extends Caller.Options {
  readonly companyId: number
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

export interface PlatformClient extends Client.Client<Operations> {}

const grant = JSON.stringify({ grant_type: "client_credentials" })

/**
 * A client that signs in with its first call, and again when its token has expired.
 */
export const make = ({
  clientId,
  clientSecret,
  companyId,
  ...options
}: Options): Effect.Effect<PlatformClient, never, HttpClient.HttpClient> =>
  Effect.map(
    Caller.make(options, {
      signInPath,
      params: { company_id: String(companyId) },
      credentials: (request) =>
        request.pipe(
          HttpClientRequest.basicAuth(clientId, clientSecret),
          HttpClientRequest.bodyText(grant, "application/json")
        ),
      authorized: HttpClientRequest.bearerToken
    }),
    (call) => Client.make(operations, call)
  )
