/**
 * Handlers: access tokens of the seller interface.
 */

import { Access } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { type Credentials, fromBody, fromQuery } from "../internal/SignInForms.ts"
import { peerAddress } from "../RequestContext.ts"
import { SellerApi } from "./SellerApi.ts"

export const layer = HttpApiBuilder.group(SellerApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    const signIn = (credentials: Credentials) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const { token } = yield* access.signIn({ kind: "integration", ...credentials, peer })
        return { access_token: token, status: "SUCCESS" as const }
      })
    return handlers
      .handle("query", () => Effect.flatMap(fromQuery, signIn))
      .handleRaw("body", () => Effect.flatMap(fromBody, signIn))
  })
)
