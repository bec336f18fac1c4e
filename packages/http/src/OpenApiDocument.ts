/**
 * What the OpenAPI document of an interface says beside its endpoints.
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description: "For 24 hours the same key with the same body gives the first answer again and does nothing twice"
}

/**
 * Unknown fields are ignored. What may answer that a key was used before takes a key.
 */
const corrected = (key: string, value: unknown): unknown => {
  if (key === "additionalProperties" && value === false) return undefined
  return isObject(value) && isObject(value.responses) && "422" in value.responses && Array.isArray(value.parameters)
    ? { ...value, parameters: [...value.parameters, idempotencyKey] }
    : value
}

/**
 * The title and version of an interface, with what holds for all of them.
 */
export const annotations = (title: string, version: string) =>
  OpenApi.annotations({
    title,
    version,
    servers: [{ url: "/" }],
    transform: (document) => JSON.parse(JSON.stringify(document), corrected)
  }).pipe(Context.add(HttpApi.ParseOptions, { errors: "all" }))
