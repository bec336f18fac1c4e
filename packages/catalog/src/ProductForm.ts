/** The rules of a product as the fields of a form. */
import * as CategoryAttributes from "./CategoryAttributes.ts"
import * as ProductShape from "./ProductShape.ts"
import type { ReferenceIndex } from "./ReferenceIndex.ts"
import { type Fields, type Shape, timePatterns } from "./Shape.ts"

/** The control of a field: its kind (`input`) and its bounds. A `list` has an `item`, and a `group` has `fields`. */
export interface Control {
  readonly input: "text" | "number" | "checkbox" | "select" | "date" | "datetime" | "list" | "group"
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  readonly step?: 1
  readonly options?: ReadonlyArray<string | number>
  readonly minItems?: number
  readonly item?: Control
  readonly fields?: ReadonlyArray<FormField>
}

/** A field of the form. `name` is its name in the product, and `label` is the text that people see. */
export interface FormField extends Control {
  readonly name: string
  readonly label: string
  readonly required: boolean
  readonly example?: unknown
}

const controls: { readonly [Tag in Shape["_tag"]]: (shape: Extract<Shape, { _tag: Tag }>) => Control } = {
  Text: ({ min, max, pattern, words }) =>
    words === undefined
      ? { input: "text", minLength: min, maxLength: max, ...(pattern === undefined ? {} : { pattern: pattern.source }) }
      : { input: "select", options: words },
  Amount: ({ min, max, whole, words }) =>
    words === undefined
      ? { input: "number", min, max, ...(whole ? { step: 1 } : {}) }
      : { input: "select", options: words },
  Flag: () => ({ input: "checkbox" }),
  Time: ({ of }) => ({ input: of === "day" ? "date" : "datetime", pattern: timePatterns[of] }),
  List: ({ item, min }) => ({ input: "list", minItems: min, item: controlOf(item) }),
  Group: ({ fields }) => ({ input: "group", fields: fieldsOf(fields) }),
  Free: ({ fields }) => ({ input: "group", fields: fieldsOf(fields) }),
  // If a value may have several shapes, the form offers only the first one.
  Either: ({ shapes: [first] }) => (first === undefined ? { input: "text" } : controlOf(first))
}

const controlOf = (shape: Shape): Control => (controls[shape._tag] as (shape: Shape) => Control)(shape)

const fieldsOf = (fields: Fields): ReadonlyArray<FormField> =>
  Object.entries(fields).map(([name, { example, required, shape, what }]) => ({
    name,
    label: what ?? name,
    required,
    ...(example === undefined ? {} : { example }),
    ...controlOf(shape)
  }))

/**
 * The fields of a product of one template and level 3 category. Only the template's departments can be selected.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductForm } from "@crossdock/catalog"
 * import { referenceIndex } from "@crossdock/catalog/testing"
 *
 * const fields = ProductForm.product(referenceIndex, "create", "apparel", "T-Shirts")
 * const attributes = fields.find(({ name }) => name === "attributes")?.fields
 * deepStrictEqual(
 *   attributes?.find(({ name }) => name === "color"),
 *   { name: "color", label: "color", required: true, input: "select", options: ["Black", "White"] }
 * )
 * ```
 */
export const product = (
  { data, templates }: ReferenceIndex,
  operation: "create" | "update",
  template: string,
  category: string
): ReadonlyArray<FormField> => {
  const slugs = templates.get(template)?.departments ?? []
  const departments = data.departments.filter(({ slug }) => slugs.includes(slug)).map(({ uid }) => uid)
  const attributes = CategoryAttributes.fieldsOf(CategoryAttributes.of(data, category))
  return fieldsOf(ProductShape.of(operation, attributes).fields).map((field) =>
    field.name === "departments" ? { ...field, item: { input: "select", options: departments } } : field
  )
}
