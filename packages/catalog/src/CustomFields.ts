/** Fields that a host adds to records, such as orders and products. Source: docs/guides/extend.md#custom-fields. */
import { frozen, pointer, Text, type Violation } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CategoryAttributes from "./CategoryAttributes.ts"
import type { Attribute } from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"
import { checkOf } from "./ShapeCheck.ts"

/** A custom field, which has one value. It is declared in the same way as an attribute of products. */
export interface CustomField
  extends Pick<Attribute["schema"], "type" | "allowedValues" | "range" | "format">,
    Partial<Pick<Attribute["schema"], "mandatory">> {
  /** The limit for a text's characters. It is 2,000 by default and at most 20,000. */
  readonly maxLength?: number
  /** True if the field may identify a person. Events and audits omit its values, which are erased with their order. */
  readonly personal?: true
  /** True if records can be searched by the field's exact value. */
  readonly filter?: true
}

/** The kinds of records that can have custom fields. An item is a line of an order's shipment. */
export const recordNames = /* @__PURE__ */ frozen([
  "order",
  "shipment",
  "item",
  "product",
  "company",
  "location"
] as const)

export type RecordName = (typeof recordNames)[number]

/** The declared fields of each kind of record, by the field's name. */
export type Declared = { readonly [R in RecordName]?: Readonly<Record<string, CustomField>> }

/** The values of a record's fields, by the field's name. */
export type Values = Readonly<Record<string, unknown>>

export interface CustomFields {
  readonly declared: Declared
  readonly shapeOf: (record: RecordName) => Shape.Group
  /** Returns a record's sent values as a member of the record, or no member if its kind has no declared fields. */
  readonly taken: (record: RecordName, sent: unknown) => { readonly customFields?: Values }
  /** Finds all faults of a record's values. `path` is the JSON Pointer of the values. */
  readonly faultsOf: (record: RecordName, values: Values | undefined, path: string) => ReadonlyArray<Violation>
  /** Selects the values of declared fields that identify no person, for erasure, events and audit records. */
  readonly kept: (record: RecordName, values: Values) => Values
  readonly filtersOf: (record: RecordName, values: Values | undefined) => ReadonlyArray<string>
}

const members = ["type", "allowedValues", "range", "format", "mandatory", "maxLength", "personal", "filter"]

const maxFilterLength = 200

const isPattern = (text: string): boolean => Result.isSuccess(Result.try(() => new RegExp(text, "u")))

const isLength = (length: number): boolean => Number.isInteger(length) && length > 0 && length <= Text.maxFreeFormLength

const conditions: ReadonlyArray<readonly [says: string, isMet: (field: CustomField, record: string) => boolean]> = [
  [
    "must have a type: str, int, float, bool, date",
    ({ type }) => ["str", "int", "float", "bool", "date"].includes(type)
  ],
  [
    `must have a maxLength from 1 to ${Text.maxFreeFormLength}`,
    ({ maxLength }) => maxLength === undefined || isLength(maxLength)
  ],
  ["must have a regular expression as its format", ({ format }) => format === undefined || isPattern(format)],
  [
    "must have a list of allowedValues",
    ({ allowedValues }) => allowedValues === undefined || Array.isArray(allowedValues)
  ],
  ["can't be personal and a filter", ({ filter, personal }) => personal !== true || filter !== true],
  ["can't be personal: products are nobody's", ({ personal }, record) => personal !== true || record !== "product"],
  [
    "can't be a filter: items, companies and locations aren't searched",
    ({ filter }, record) => filter !== true || !["item", "company", "location"].includes(record)
  ],
  [
    `is a filter: give it a maxLength of at most ${maxFilterLength}`,
    ({ filter, maxLength = Text.maxLength, type }) => filter !== true || type !== "str" || maxLength <= maxFilterLength
  ]
]

const faultsOfField = (record: string, name: string, field: CustomField): ReadonlyArray<string> => {
  const where = `fields: ${record}.${name}`
  if (!Predicate.isObject(field)) return [`${where} must be an object such as { type: "str" }`]
  const isName = /^[a-z][a-z0-9_]{0,49}$/.test(name) && !(name in Object.prototype)
  return [
    ...Text.misnamed(where, field, members),
    ...(isName ? [] : [`${where} must have a name of small letters, digits and _`]),
    ...conditions.flatMap(([says, isMet]) => (isMet(field, record) ? [] : [`${where} ${says}`]))
  ]
}

/** The faults of a declaration, as sentences. */
export const declarationFaults = (declared: unknown): ReadonlyArray<string> =>
  Predicate.isObject(declared)
    ? [
        ...Text.misnamed("fields", declared, recordNames),
        ...Object.entries(declared).flatMap(([record, fields]) =>
          Predicate.isObject(fields)
            ? Object.entries(fields).flatMap(([name, field]) => faultsOfField(record, name, field as CustomField))
            : [`fields: ${record} must be an object of fields by their names`]
        )
      ]
    : ['fields must be an object such as { order: { po_number: { type: "str" } } }']

const shapeOfField = (name: string, { mandatory = false, maxLength = Text.maxLength, ...rest }: CustomField) => {
  const schema = { ...rest, mandatory, multi: false }
  const field =
    CategoryAttributes.fieldsOf([{ slug: name, name, categories: "*", schema }])[name] ?? Shape.optional(Shape.text())
  return field.shape._tag === "Text" ? { ...field, shape: { ...field.shape, max: maxLength } } : field
}

const withoutNull = (values: Values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/**
 * Makes the custom fields of a declaration.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { CustomFields } from "@crossdock/catalog"
 *
 * const note = { type: "str", personal: true } as const
 * const fields = CustomFields.make({ order: { priority: { type: "int", filter: true }, note } })
 * const values = { priority: 1, note: "for Asha" }
 * deepStrictEqual(fields.kept("order", values), { priority: 1 })
 * deepStrictEqual(fields.filtersOf("order", values), ["order.priority=1"])
 * const [fault] = fields.faultsOf("order", { prioritty: 1 }, "/custom_fields")
 * deepStrictEqual(fault?.message, "is no custom field of this order; did you mean priority?")
 * ```
 */
export const make = (fields: Declared): CustomFields => {
  const declared = frozen(fields)
  const shapes = new Map(
    recordNames.map((record) => {
      const fields = Object.entries(declared[record] ?? {})
      return [record, Shape.group(Object.fromEntries(fields.map(([name, field]) => [name, shapeOfField(name, field)])))]
    })
  )
  const shapeOf = (record: RecordName) => shapes.get(record) ?? Shape.group({})
  const checks = new Map(recordNames.map((record) => [record, checkOf(shapeOf(record))]))
  const fieldOf = (record: RecordName, name: string) => {
    const fields = declared[record] ?? {}
    return Object.hasOwn(fields, name) ? fields[name] : undefined
  }
  return Object.freeze({
    declared,
    shapeOf,
    taken: (record, sent) => {
      if (declared[record] === undefined || sent === undefined || sent === null) return {}
      return { customFields: Predicate.isObject(sent) ? withoutNull(sent as Values) : (sent as Values) }
    },
    faultsOf: (record, values = {}, path) => {
      const found: Array<Violation> = []
      checks.get(record)?.(values, path, found)
      if (!Predicate.isObject(values)) return found
      const names = Object.keys(declared[record] ?? {})
      for (const name of Object.keys(values).slice(0, names.length + Shape.Limits.faults)) {
        if (fieldOf(record, name) !== undefined) continue
        const shown = name.slice(0, 100)
        const nearest = Text.nearestName(names, shown)
        const hint = nearest === undefined ? `use ${names.join(", ")}` : `did you mean ${nearest}?`
        found.push({
          path: `${path}${pointer([shown])}`,
          code: "INVALID_VALUE",
          message: `is no custom field of this ${record}; ${hint}`
        })
      }
      return found
    },
    kept: (record, values) =>
      Object.fromEntries(
        Object.entries(values).filter(([name]) => {
          const field = fieldOf(record, name)
          return field !== undefined && field.personal !== true
        })
      ),
    filtersOf: (record, values = {}) =>
      Object.entries(values).flatMap(([name, value]) =>
        fieldOf(record, name)?.filter === true ? [filterOf(record, name, value)] : []
      )
  } satisfies CustomFields)
}

/** The text for searching records that have this value. */
export const filterOf = (record: RecordName, name: string, value: unknown): string => `${record}.${name}=${value}`

/** The schema of custom fields in events, which contain only values that identify no person. */
export const inEvent = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The values of the host's own fields, without personal ones."
  })
)

/** No custom fields are declared. Custom fields that are sent are then ignored, like any unknown member. */
export const none: CustomFields = make(frozen({}))

export const Policy = Context.Reference<CustomFields>("@crossdock/catalog/CustomFields", { defaultValue: () => none })
