/**
 * The parts of an interface's OpenAPI document that its endpoints don't give.
 */
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { Limits } from "../Limits.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: Limits.idempotencyKeyLength },
  description:
    "Makes a retry safe: for 24 hours, the same key with the same body gives the first answer again and changes nothing"
}

/**
 * Objects may have unknown fields, and every operation that can answer 422 takes an Idempotency-Key.
 */
const adjusted = (key: string, value: unknown): unknown => {
  if (key === "additionalProperties" && value === false) return undefined
  return isObject(value) && isObject(value.responses) && "422" in value.responses && Array.isArray(value.parameters)
    ? { ...value, parameters: [...value.parameters, idempotencyKey] }
    : value
}

/**
 * The title and version of an interface, and what all interfaces share.
 */
export const annotations = (title: string, version: string) =>
  OpenApi.annotations({
    title,
    version,
    servers: [{ url: "/" }],
    transform: (document) => JSON.parse(JSON.stringify(document), adjusted)
  }).pipe(Context.add(HttpApi.ParseOptions, { errors: "all" }))
