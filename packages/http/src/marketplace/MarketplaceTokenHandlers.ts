/**
 * Handlers: access tokens of the marketplace interface.
 */

import { Access } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { type Credentials, fromBody, fromQuery } from "../internal/SignInForms.ts"
import { peerAddress } from "../RequestContext.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"

export const layer = HttpApiBuilder.group(MarketplaceApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    /** A marketplace's credentials work only under its own slug. */
    const signIn = (slug: string) => (credentials: Credentials) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const accepts = (principal: { readonly id: string }) => principal.id === slug
        const { token } = yield* access.signIn({ kind: "marketplace", ...credentials, peer, accepts })
        return { access_token: token }
      })
    return handlers
      .handle("query", ({ params }) => Effect.flatMap(fromQuery, signIn(params.marketplace_slug)))
      .handleRaw("body", ({ params }) => Effect.flatMap(fromBody, signIn(params.marketplace_slug)))
  })
)
