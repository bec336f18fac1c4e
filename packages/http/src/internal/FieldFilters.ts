/** Filters by the host's fields: `custom_fields.order.po_number=4711`. Source: docs/guides/extend.md#custom-fields. */
import { CustomFields, ShapeCheck } from "@crossdock/catalog"
import { pointer } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { type Failure, validationFailed } from "../Failure.ts"

/** The lists, and the records whose fields can filter each list. A shipment shows its order's fields. */
const lists = {
  "GET /oms/v3/shipment": ["order", "shipment"],
  "GET /oms/v3/shipment/info": ["order", "shipment"],
  "GET /v3/catalog/product": ["product"]
} as const satisfies Readonly<Record<string, ReadonlyArray<CustomFields.RecordName>>>

export type List = keyof typeof lists

export const isList = (route: string): route is List => Object.hasOwn(lists, route)

/** The query parameters of a list, with their shapes. */
export const parametersOf = (fields: CustomFields.CustomFields, list: List) =>
  lists[list].flatMap((record) => {
    const shapes = fields.shapeOf(record).fields
    return Object.entries(fields.declared[record] ?? {}).flatMap(([name, { filter }]) => {
      const shape = shapes[name]?.shape
      return filter !== true || shape === undefined
        ? []
        : [{ record, name, shape, parameter: `custom_fields.${record}.${name}` }]
    })
  })

const decoded = (sent: unknown, tag: string): unknown => {
  if (tag === "Flag" && (sent === "true" || sent === "false")) return sent === "true"
  return tag === "Amount" && typeof sent === "string" && /^-?\d[\d.e+-]*$/i.test(sent) ? Number(sent) : sent
}

/** Reads the filters of a request to a list. Without filters, the result is empty. */
export const reader = (fields: CustomFields.CustomFields) => {
  if (fields === CustomFields.none) return () => Effect.succeed({})
  return (
    list: List
  ): Effect.Effect<{ readonly fields?: ReadonlyArray<string> }, Failure, HttpServerRequest.ParsedSearchParams> =>
    Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
      const sent = parametersOf(fields, list).flatMap(({ name, parameter, record, shape }) => {
        if (query[parameter] === undefined) return []
        const value = decoded(query[parameter], shape._tag)
        const faults = ShapeCheck.violations(ShapeCheck.checkOf(shape), value, pointer([parameter]))
        return [{ filter: CustomFields.filterOf(record, name, value), faults }]
      })
      const faults = sent.flatMap((one) => one.faults)
      if (faults.length > 0) return validationFailed(faults)
      return Effect.succeed(sent.length === 0 ? {} : { fields: sent.map(({ filter }) => filter) })
    })
}
