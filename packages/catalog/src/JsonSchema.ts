/** A product's rules as a JSON Schema (2020-12). The schema can't express that `price_effective` is at most `price`. */
import { Text as PlainText } from "@crossdock/kernel"
import * as CategoryAttributes from "./CategoryAttributes.ts"
import * as ProductShape from "./ProductShape.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import { type Fields, type Shape, timePatterns } from "./Shape.ts"

/** A JSON Schema, or a part of one. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const inside = "#/$defs/inside"

/** The schema of the values inside a free-form object. Each keyword applies only to values of its own type. */
const insideSchema: JsonSchema = {
  maxLength: PlainText.maxFreeFormLength,
  pattern: PlainText.permittedPattern,
  items: { $ref: inside },
  propertyNames: { maxLength: PlainText.maxFreeFormLength, pattern: PlainText.permittedPattern },
  additionalProperties: { $ref: inside }
}

const ofFields = (fields: Fields): JsonSchema => {
  const names = Object.entries(fields)
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map(([key, { example, required, shape, what }]) => [
        key,
        {
          ...(what === undefined ? {} : { title: what }),
          ...(example === undefined ? {} : { examples: [example] }),
          ...(required ? of(shape) : { anyOf: [{ type: "null" }, of(shape)] })
        }
      ])
    ),
    required: names.filter(([, field]) => field.required).map(([key]) => key)
  }
}

const kinds: { readonly [Tag in Shape["_tag"]]: (shape: Extract<Shape, { _tag: Tag }>) => JsonSchema } = {
  Text: ({ min, max, pattern, words }) => ({
    type: "string",
    minLength: min,
    maxLength: max,
    pattern: PlainText.permittedPattern,
    ...(words === undefined ? {} : { enum: words }),
    ...(pattern === undefined ? {} : { allOf: [{ pattern: pattern.source }] })
  }),
  Amount: ({ min, max, whole, words }) => ({
    type: whole ? "integer" : "number",
    minimum: min,
    maximum: max,
    ...(words === undefined ? {} : { enum: words })
  }),
  Flag: () => ({ type: "boolean" }),
  Time: ({ of }) => ({
    type: "string",
    maxLength: 64,
    pattern: timePatterns[of],
    format: of === "day" ? "date" : "date-time"
  }),
  List: ({ item, min }) => ({ type: "array", minItems: min, items: of(item) }),
  Group: ({ fields }) => ofFields(fields),
  Free: ({ fields }) => ({
    ...ofFields(fields),
    propertyNames: insideSchema.propertyNames,
    additionalProperties: { $ref: inside }
  }),
  Either: ({ shapes }) => ({ anyOf: shapes.map(of) })
}

/** The JSON Schema of a shape. If the shape contains a free-form object, the root schema needs `$defs.inside`. */
export const of = (shape: Shape): JsonSchema => (kinds[shape._tag] as (shape: Shape) => JsonSchema)(shape)

const asSent = (uids: ReadonlyArray<number>) => uids.flatMap((uid) => [uid, String(uid)])

/** Accepts departments if one belongs to the template, or if all are unknown, since those are reported elsewhere. */
const departmentsOf = ({ data, templates }: ReferenceIndex, template: string): JsonSchema => {
  const slugs = templates.get(template)?.departments ?? []
  const own = data.departments.filter(({ slug }) => slugs.includes(slug)).map(({ uid }) => uid)
  const all = data.departments.map(({ uid }) => uid)
  return { anyOf: [{ contains: { enum: asSent(own) } }, { not: { contains: { enum: asSent(all) } } }] }
}

/**
 * The schema of a product to create or update, for one template and one level 3 category.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { JsonSchema } from "@crossdock/catalog"
 * import { referenceIndex } from "@crossdock/catalog/testing"
 *
 * const schema = JsonSchema.product(referenceIndex, "update", "apparel", "T-Shirts")
 * strictEqual(schema.title, "update a product: template apparel, category T-Shirts")
 * ```
 */
export const product = (
  index: ReferenceIndex,
  operation: "create" | "update",
  template: string,
  category: string
): JsonSchema => {
  const attributes = CategoryAttributes.fieldsOf(CategoryAttributes.of(index.data, category))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `${operation} a product: template ${template}, category ${category}`,
    ...of(ProductShape.of(operation, attributes)),
    allOf: [{ properties: { category: { const: category }, departments: departmentsOf(index, template) } }],
    $defs: { inside: insideSchema }
  }
}
