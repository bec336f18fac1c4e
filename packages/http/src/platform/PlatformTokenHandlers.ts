/**
 * Handlers: access tokens of the platform interface.
 */

import { Access, type Principal, tokenSeconds } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Failure } from "../Failure.ts"
import * as Body from "../internal/Body.ts"
import * as Decode from "../internal/Decode.ts"
import * as Endpoints from "../internal/Endpoints.ts"
import { basic, ClientCredentials, type Credentials } from "../internal/SignInForms.ts"
import { peerAddress } from "../RequestContext.ts"
import { PlatformApi } from "./PlatformApi.ts"
import { Grant } from "./PlatformTokenApi.ts"

/**
 * OAuth clients send a form; JSON is accepted too.
 */
const grant = Effect.flatMap(Body.form, Decode.whole(Grant))

const noClient = new Failure({
  code: "CREDENTIALS_INVALID",
  message: "The request has no client credentials. Send client_id and client_secret by HTTP Basic."
})

const clientOf = Decode.whole(ClientCredentials)

export const layer = Endpoints.group(PlatformApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    const signIn = (client: Credentials, company: string) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const accepts = (one: Principal) => "companyId" in one && String(one.companyId) === company
        return yield* access.signIn({ kind: "platform_client", ...client, peer, accepts })
      })
    return handlers({
      token: ({ params }) =>
        Effect.gen(function* () {
          yield* grant
          const request = yield* HttpServerRequest.HttpServerRequest
          const sent = basic(request.headers.authorization)
          if (sent === undefined) return yield* noClient
          const client = yield* clientOf(sent)
          const { principal, token } = yield* signIn(client, params.company_id)
          const scope = principal.kind === "platform_client" ? principal.scopes.join(" ") : ""
          return { access_token: token, token_type: "bearer" as const, expires_in: tokenSeconds, scope }
        })
    })
  })
)
