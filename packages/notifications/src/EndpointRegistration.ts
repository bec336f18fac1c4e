/**
 * The registration of an endpoint, and the rule that checks it. Source: docs/reference/events.md#endpoints.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { EndpointRegistration } from "@crossdock/notifications"
 * import { CompanyId } from "@crossdock/kernel"
 *
 * const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
 * const asked = { companyId: CompanyId.make(7), id: "erp", url: "https://erp.example/events", secret, cursor: null }
 * const known = { types: ["shipment.moved", "order.placed"], hasSecret: false }
 * const violations = EndpointRegistration.violationsOf({ ...asked, types: ["shipment.move"] }, known)
 * deepStrictEqual(violations.map(({ path, suggestion }) => [path, suggestion]), [["/types/0", "shipment.moved"]])
 * ```
 */
import { pointer, Text, type Violation } from "@crossdock/kernel"
import { Registration } from "@crossdock/marketplaces"
import type { EndpointKey } from "./EventEndpoint.ts"
import { Limits } from "./Limits.ts"

/** An endpoint's settings. Null `types` are all types. Null keeps `secret` and `cursor`; a new cursor is the feed's end. */
export interface EndpointRegistration extends EndpointKey {
  readonly url: string
  readonly secret: string | null
  readonly types: ReadonlyArray<string> | null
  readonly cursor: number | null
}

const idPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** The fault of a cursor that isn't a whole number from 0. Whether it is within the feed is checked elsewhere. */
export const cursorViolations = (cursor: number): ReadonlyArray<Violation> =>
  Number.isSafeInteger(cursor) && cursor >= 0
    ? []
    : [{ path: "/cursor", code: "INVALID_VALUE", message: "must be a whole number from 0" }]

const typeViolations = (types: ReadonlyArray<string>, known: ReadonlyArray<string>): ReadonlyArray<Violation> =>
  types.flatMap((type, at) => {
    if (known.includes(type)) return []
    const path = pointer(["types", at])
    const suggestion = Text.nearestName(known, type)
    const message = "is not a type of event"
    return suggestion === undefined
      ? [{ path, code: "INVALID_VALUE", message: `${message}: they are ${known.join(", ")}` }]
      : [{ path, code: "INVALID_VALUE", message: `${message}. Did you mean ${suggestion}?`, suggestion }]
  })

/** The faults of a registration, with code `INVALID_VALUE` and a path. If `hasSecret`, the secret may be null. */
export const violationsOf = (
  { cursor, id, secret, types, url }: EndpointRegistration,
  known: { readonly types: ReadonlyArray<string>; readonly hasSecret: boolean }
): ReadonlyArray<Violation> => {
  const checks = [
    [
      "id",
      id.length <= Limits.endpointIdLength && idPattern.test(id),
      "must be words of a to z and 0 to 9, joined by -, of at most 100 characters"
    ],
    ["url", Registration.isWebhookUrl(url), "must be an http or https address without a user"],
    [
      "secret",
      secret === null ? known.hasSecret : Registration.isWebhookSecret(secret),
      "must be whsec_ and 24 to 64 bytes in base64"
    ],
    ["types", types === null || types.length > 0, "must not be empty: null are all types"]
  ] as const
  return [
    ...checks
      .filter(([, isFine]) => !isFine)
      .map(([field, , message]) => ({ path: pointer([field]), code: "INVALID_VALUE", message })),
    ...typeViolations(types ?? [], known.types),
    ...(cursor === null ? [] : cursorViolations(cursor))
  ]
}
