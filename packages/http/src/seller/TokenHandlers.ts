/**
 * Handlers: access tokens of the seller interface.
 */

import { Access } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Endpoints from "../internal/Endpoints.ts"
import { type Credentials, fromBody, fromQuery } from "../internal/SignInForms.ts"
import { peerAddress } from "../RequestContext.ts"
import { SellerApi } from "./SellerApi.ts"

export const layer = Endpoints.group(SellerApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    const inQuery = yield* fromQuery
    const signIn = (credentials: Credentials) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const { token } = yield* access.signIn({ kind: "integration", ...credentials, peer })
        return { access_token: token, status: "SUCCESS" as const }
      })
    return handlers({
      query: () => Effect.flatMap(inQuery, signIn),
      body: () => Effect.flatMap(fromBody, signIn)
    })
  })
)
