/**
 * Handlers: access tokens of the marketplace interface.
 */

import { Access } from "@crossdock/access"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { answering } from "../Failure.ts"
import { peerAddress } from "../RequestContext.ts"
import { type Credentials, fromBody, fromQuery } from "../SignInForms.ts"
import { MarketplaceApi } from "./MarketplaceApi.ts"

export const layer = HttpApiBuilder.group(MarketplaceApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    /** A marketplace's credentials work only under its own slug (contract, Tokens). */
    const signIn = (slug: string) => (credentials: Credentials) =>
      Effect.gen(function* () {
        const peer = yield* peerAddress
        const accepts = (principal: { readonly id: string }) => principal.id === slug
        const { token } = yield* access.signIn({ kind: "marketplace", ...credentials, peer, accepts })
        return HttpServerResponse.unsafeJson({ access_token: token })
      }).pipe(answering)
    return handlers
      .handleRaw("query", ({ path }) => Effect.flatMap(fromQuery, signIn(path.marketplace_slug)))
      .handleRaw("body", ({ path }) => Effect.flatMap(fromBody, signIn(path.marketplace_slug)))
  })
)
