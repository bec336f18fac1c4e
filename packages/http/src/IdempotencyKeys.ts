/** Idempotency-Keys: form, scope, and the answers that they keep. Source: docs/reference/requests.md#idempotency. */
import type { Caller } from "@crossdock/access"
import type { Idempotency } from "@crossdock/kernel"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { type Failure, validationFailed } from "./Failure.ts"
import { Limits } from "./Limits.ts"

/** Whether an answer with this status is kept: not if a retry could pass. */
export const isKept = (status: number): boolean => status < 500 && ![401, 403, 413, 415, 429].includes(status)

/** The fault of a key of a wrong length. */
export const faultOf = (key: string): Failure | undefined =>
  key.length >= 1 && key.length <= Limits.idempotencyKeyLength
    ? undefined
    : validationFailed([
        {
          path: "/Idempotency-Key",
          code: "OUT_OF_RANGE",
          message: `must have 1 to ${Limits.idempotencyKeyLength} characters; this has ${key.length}`
        }
      ])

/** The key in its scope, and the rest of the request, which a repeat must have too. */
export const scoped = (
  key: string,
  { principal: { id, kind } }: Caller,
  { method, url }: Pick<HttpServerRequest, "method" | "url">,
  body: string
): { readonly key: Idempotency.IdempotencyKey; readonly rest: string } => {
  const [path = url, query = ""] = url.split("?")
  return { key: { principal: `${kind}:${id}`, method, path, key }, rest: JSON.stringify([query, body]) }
}
