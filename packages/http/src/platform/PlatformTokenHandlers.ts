/**
 * Handlers: access tokens of the platform interface.
 */

import { Access, CredentialsInvalid, type Principal } from "@crossdock/access"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Decode from "../Decode.ts"
import { answering, validationFailed } from "../Failure.ts"
import * as Form from "../Form.ts"
import { peerAddress } from "../RequestContext.ts"
import { basic } from "../SignInForms.ts"
import { PlatformApi } from "./PlatformApi.ts"
import { Grant } from "./PlatformTokenApi.ts"

const decode = Decode.all(Grant)

/**
 * OAuth asks for a form; JSON is taken too.
 */
const grant = Effect.gen(function* () {
  const decoded = decode(yield* Form.read)
  if (Either.isLeft(decoded)) return yield* validationFailed(decoded.left)
  return decoded.right
})

export const layer = HttpApiBuilder.group(PlatformApi, "token", (handlers) =>
  Effect.gen(function* () {
    const access = yield* Access.Access
    return handlers.handleRaw("token", ({ path }) =>
      Effect.gen(function* () {
        yield* grant
        const request = yield* HttpServerRequest.HttpServerRequest
        const client = basic(request.headers.authorization)
        if (client === undefined) return yield* new CredentialsInvalid()
        const peer = yield* peerAddress
        const accepts = (one: Principal) => "companyId" in one && String(one.companyId) === path.company_id
        const { principal, token } = yield* access.signIn({ kind: "platform_client", ...client, peer, accepts })
        const scope = principal.kind === "platform_client" ? principal.scopes.join(" ") : ""
        return HttpServerResponse.unsafeJson({
          access_token: token,
          token_type: "bearer",
          expires_in: Access.tokenSeconds,
          scope
        })
      }).pipe(answering)
    )
  })
)
