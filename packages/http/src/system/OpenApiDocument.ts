/**
 * The OpenAPI document of an interface.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"

const reference = (name: string) => `#/components/schemas/${name}`

/** Effect's answer to what it can't decode, which never leaves the host, and its parts. */
const decodeError = ["HttpApiDecodeError", "Issue", "PropertyKey"]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const onceEach = (schemas: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  [...new Set(schemas.map((one) => JSON.stringify(one)))].map((text) => JSON.parse(text))

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description: "For 24 hours the same key with the same body gives the first answer again and does nothing twice"
}

/**
 * Names must be plain in OpenAPI, and an id may stand once in a document. What may answer that a key was used before takes
 * a key.
 */
const corrected = (key: string, value: unknown): unknown => {
  if (key === "$id") return undefined
  // What it is in truth: the one error body.
  if (value === reference("HttpApiDecodeError")) return reference("Error")
  if (!isObject(value)) return value
  if (key === "schemas") {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !decodeError.includes(name)))
  }
  if (isObject(value.responses) && "422" in value.responses && Array.isArray(value.parameters)) {
    return { ...value, parameters: [...value.parameters, idempotencyKey] }
  }
  if (!Array.isArray(value.anyOf)) return value
  const anyOf = onceEach(value.anyOf)
  return anyOf.length === 1 ? anyOf[0] : { ...value, anyOf }
}

export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): unknown => {
  const document = { ...OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" }), servers: [{ url: "/" }] }
  return JSON.parse(JSON.stringify(document), corrected)
}
