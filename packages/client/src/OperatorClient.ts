/** A client of the operator interface. */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Call from "./Call.ts"
import * as Client from "./Client.ts"
import { type Operations, operations, signInPath } from "./contracts/Operator.ts"
import * as HttpTransport from "./HttpTransport.ts"
import type { Transport } from "./Operation.ts"

/** The credentials of an operator. */
export interface Account extends Call.Options {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** The account, and its host's address. */
export interface Options extends Account, HttpTransport.Options {}

export interface OperatorClient extends Client.Client<Operations> {}

/** A client over any transport. */
export const over = (transport: Transport, { password, username, ...options }: Account): OperatorClient =>
  Client.make(
    operations,
    Call.make(transport, options, {
      signInPath,
      params: {},
      credentials: { headers: Call.basicCredentials(username, password) },
      tokenHeader: (token) => ({ authorization: `Bearer ${token}` })
    })
  )

/** A client over HTTP. It signs in with its first call, and again when its token has expired. */
export const make = (options: Options): Effect.Effect<OperatorClient, never, HttpClient.HttpClient> =>
  Effect.map(HttpTransport.make(options), (transport) => over(transport, options))
