/**
 * Reads bodies that are a form, as browsers and OAuth clients send them, or JSON.
 */

import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Limits } from "../Limits.ts"
import * as Body from "./Body.ts"

const formType = "application/x-www-form-urlencoded"

const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i

export const read = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  return isForm.test(request.headers["content-type"] ?? "")
    ? Object.fromEntries(new URLSearchParams(yield* Body.text(request, Limits.bodyBytes)))
    : ((yield* Body.read(request, Limits.bodyBytes, ["application/json", formType]))?.json ?? {})
})
