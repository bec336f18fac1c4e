/**
 * The attributes of a category, and the values, ranges and formats that they allow. Source: docs/reference/catalog-rules.md.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CategoryAttributes } from "@crossdock/catalog"
 * import { referenceData } from "@crossdock/catalog/testing"
 *
 * const fields = CategoryAttributes.fieldsOf(CategoryAttributes.of(referenceData, "Hats"))
 * deepStrictEqual(Object.keys(fields), ["batch_tracked"])
 * ```
 */
import { Text } from "@crossdock/kernel"
import type { Attribute, ReferenceData } from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"

const appliesTo = (category: string) => (attribute: Attribute) =>
  attribute.categories === "*" || attribute.categories.includes(category)

/** The attributes of a category. For an unknown category, these are the attributes that every category has. */
export const of = (data: Pick<ReferenceData, "attributes">, category: string): ReadonlyArray<Attribute> =>
  data.attributes.filter(appliesTo(category))

type AttributeSchema = Attribute["schema"]

const isText = (value: string | number): value is string => typeof value === "string"
const isNumber = (value: string | number): value is number => typeof value === "number"

const textOf = ({ allowedValues, format, mandatory }: AttributeSchema): Shape.Shape => ({
  _tag: "Text",
  min: mandatory ? 1 : 0,
  max: format === undefined ? Text.maxFreeFormLength : Text.maxLength,
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isText) }),
  ...(format === undefined ? {} : { pattern: { source: `^(?:${format})$`, message: `must match ${format}` } })
})

const numberOf = ({ allowedValues, range, type }: AttributeSchema): Shape.Shape => ({
  _tag: "Amount",
  min: range?.min ?? (type === "int" ? Number.MIN_SAFE_INTEGER : -Number.MAX_VALUE),
  max: range?.max ?? (type === "int" ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE),
  whole: type === "int",
  ...(allowedValues === undefined ? {} : { words: allowedValues.filter(isNumber) })
})

const attributeKinds: { readonly [Type in AttributeSchema["type"]]: (schema: AttributeSchema) => Shape.Shape } = {
  str: textOf,
  int: numberOf,
  float: numberOf,
  bool: () => Shape.flag,
  date: () => Shape.day
}

/** A mandatory attribute that can have several values requires at least one value. */
const attributeShape = (schema: AttributeSchema): Shape.Shape => {
  const one = attributeKinds[schema.type](schema)
  return schema.multi ? Shape.list(one, schema.mandatory ? 1 : 0) : one
}

/** The fields of a category's attributes, by slug. */
export const fieldsOf = (attributes: ReadonlyArray<Attribute>): Shape.Fields =>
  Object.fromEntries(
    attributes.map(({ name, schema, slug }) => [
      slug,
      { shape: attributeShape(schema), required: schema.mandatory, what: name }
    ])
  )
