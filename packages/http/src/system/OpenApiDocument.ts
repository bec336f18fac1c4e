/**
 * The OpenAPI document of an interface.
 */
import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as EffectRecord from "effect/Record"

const reference = (name: string) => `#/components/schemas/${name}`

/** Effect's answer to what it can't decode, which never leaves the host, and its parts. */
const decodeError = ["HttpApiDecodeError", "Issue", "PropertyKey"]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const onceEach = (schemas: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  [...new Set(schemas.map((one) => JSON.stringify(one)))].map((text) => JSON.parse(text))

/**
 * Names must be plain in OpenAPI, and an id may stand once in a document.
 */
const corrected = (key: string, value: unknown): unknown => {
  if (key === "$id") return undefined
  // What it is in truth: the one error body.
  if (value === reference("HttpApiDecodeError")) return reference("Error")
  if (!isObject(value)) return value
  if (key === "schemas") {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !decodeError.includes(name)))
  }
  if (!Array.isArray(value.anyOf)) return value
  const anyOf = onceEach(value.anyOf)
  return anyOf.length === 1 ? anyOf[0] : { ...value, anyOf }
}

/**
 * Where no Idempotency-Key counts: token paths, the page that a person confirms on, and POSTs that only read (contract,
 * Errors).
 */
const takesNoKey = /\/(token|confirm\/\{link\}|courierDetails|labels|invoice|track)$/

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description: "For 24 hours the same key with the same body gives the first answer again and does nothing twice"
}

interface Operation {
  readonly parameters?: ReadonlyArray<unknown>
  readonly responses: Readonly<Record<string, unknown>>
}

/**
 * A group declares for all its operations what its writes alone may answer: that a key was used with another body.
 */
const withKeys = (path: string, method: string, operation: Operation): Operation => {
  if (method !== "get" && !takesNoKey.test(path)) {
    return { ...operation, parameters: [...(operation.parameters ?? []), idempotencyKey] }
  }
  const { "422": _, ...responses } = operation.responses
  return { ...operation, responses }
}

const pathsOf = (paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>) =>
  EffectRecord.map(paths, (operations, path) =>
    EffectRecord.map(operations, (operation, method) => withKeys(path, method, operation as Operation))
  )

export const make = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): unknown => {
  const told = OpenApi.fromApi(api, { additionalPropertiesStrategy: "allow" })
  const document = { ...told, paths: pathsOf(told.paths as never), servers: [{ url: "/" }] }
  return JSON.parse(JSON.stringify(document), corrected)
}
