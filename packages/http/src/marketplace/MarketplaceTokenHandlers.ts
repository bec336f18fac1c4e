/**
 * Handlers: access tokens of the marketplace interface.
 */

import { Access } from "@crossdock/access"
import * as Effect from "effect/Effect"
import * as Endpoints from "../internal/Endpoints.ts"
import { type Credentials, fromBody, fromQuery } from "../internal/SignInForms.ts"
import { peerAddress } from "../RequestContext.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"

export const layer = Endpoints.group(MarketplaceApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    const inQuery = yield* fromQuery
    /** A marketplace's credentials work only under its own slug. */
    const signIn = (slug: string) => (credentials: Credentials) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const accepts = (principal: { readonly id: string }) => principal.id === slug
        const { token } = yield* access.signIn({ kind: "marketplace", ...credentials, peer, accepts })
        return { access_token: token }
      })
    return handlers({
      query: ({ params }) => Effect.flatMap(inQuery, signIn(params.marketplace_slug)),
      body: ({ params }) => Effect.flatMap(fromBody, signIn(params.marketplace_slug))
    })
  })
)
