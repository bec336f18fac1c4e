/**
 * The shapes of a category's attributes. Source: docs/reference/catalog.md#reference-data.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { AttributeShape, Shape } from "@crossdock/catalog"
 *
 * const size = { type: "int", mandatory: true, multi: true, range: { min: 1, max: 60 } } as const
 * deepStrictEqual(AttributeShape.shapeOf(size), Shape.list(Shape.integer(1, 60), 1))
 * const schema = { type: "date", mandatory: false, multi: false } as const
 * const fields = AttributeShape.fieldsOf([{ slug: "launch_date", name: "Launch date", categories: "*", schema }])
 * deepStrictEqual(fields, { launch_date: Shape.optional(Shape.day, { what: "Launch date" }) })
 * ```
 */
import { Text } from "@crossdock/kernel"
import type { Attribute } from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"

type Schema = Attribute["schema"]

const isText = (value: string | number): value is string => typeof value === "string"
const isNumber = (value: string | number): value is number => typeof value === "number"

const textOf = ({ allowedValues, format, mandatory }: Schema): Shape.Shape => ({
  _tag: "Text",
  min: mandatory ? 1 : 0,
  max: format === undefined ? Text.maxFreeFormLength : Text.maxLength,
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isText) }),
  ...(format === undefined ? {} : { pattern: { source: `^(?:${format})$`, message: `must match ${format}` } })
})

const numberOf = ({ allowedValues, range, type }: Schema): Shape.Shape => ({
  _tag: "Amount",
  min: range?.min ?? (type === "int" ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE),
  max: range?.max ?? (type === "int" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE),
  whole: type === "int",
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isNumber) })
})

const kinds: { readonly [Type in Schema["type"]]: (schema: Schema) => Shape.Shape } = {
  str: textOf,
  int: numberOf,
  float: numberOf,
  bool: () => Shape.flag,
  date: () => Shape.day
}

/** The shape of an attribute's value. A mandatory attribute with several values has at least one. */
export const shapeOf = (schema: Schema): Shape.Shape => {
  const one = kinds[schema.type](schema)
  return schema.multi ? Shape.list(one, schema.mandatory ? 1 : 0) : one
}

/** The fields of a category's attributes, by slug. */
export const fieldsOf = (attributes: ReadonlyArray<Attribute>): Shape.Fields =>
  Object.fromEntries(
    attributes.map(({ name, schema, slug }) => [
      slug,
      { shape: shapeOf(schema), required: schema.mandatory, what: name }
    ])
  )
