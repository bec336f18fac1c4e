/** Reference data and brands as one JSON document. The document is checked completely before it is imported. */
import { CompanyId, type Violation } from "@crossdock/kernel"
import * as Result from "effect/Result"
import * as ProductShape from "./ProductShape.ts"
import type {
  Attribute,
  Brand,
  Category,
  Department,
  HsCode,
  ReferenceData,
  TaxRule,
  Template
} from "./ReferenceData.ts"
import * as Shape from "./Shape.ts"
import { Limits, optional, required } from "./Shape.ts"
import { checkOf, violations } from "./ShapeCheck.ts"

/**
 * The document. Categories refer to each other by uid. An attribute's `categories` are the names of level 3 categories, or "*".
 * Its `format` is a regular expression that must match the whole text. Rates are percentages.
 */
export interface ReferenceFile {
  readonly departments: ReadonlyArray<Sent<Department>>
  readonly categories: ReadonlyArray<
    Omit<Sent<Category>, "parent" | "l1" | "l2" | "channels"> & {
      parent?: number | null
      l1?: number | null
      l2?: number | null
      channels?: Category["channels"] | null
    }
  >
  readonly brands: ReadonlyArray<Omit<Brand, "companyId"> & { company_id: number }>
  readonly templates: ReadonlyArray<Sent<Template>>
  readonly attributes: ReadonlyArray<
    Omit<Attribute, "schema"> & {
      schema: Omit<Attribute["schema"], "allowedValues"> & { allowed_values?: ReadonlyArray<string | number> }
    }
  >
  readonly hsCodes: ReadonlyArray<
    Omit<HsCode, "code" | "countryCode"> & { hs_code: HsCode["code"]; country_code: HsCode["countryCode"] }
  >
  readonly taxRules: ReadonlyArray<
    Omit<TaxRule, "versions"> & {
      versions: ReadonlyArray<
        Pick<TaxRule["versions"][number], "components"> & { version_status: string; applicable_from: string }
      >
    }
  >
}

type Sent<A> = Omit<A, "isActive"> & { is_active: boolean }

const uid = required(Shape.integer(1, Number.MAX_SAFE_INTEGER))
const parent = optional(Shape.integer(1, Number.MAX_SAFE_INTEGER))
const name = required(Shape.name)
const slug = required(Shape.slug)
const isActive = required(Shape.flag)
const listOf = (fields: Shape.Fields) => required(Shape.list(Shape.group(fields)))
const number = Shape.amount(-Number.MAX_VALUE, Number.MAX_VALUE)

const shape = Shape.group({
  departments: listOf({ uid, name, slug, is_active: isActive, logo: optional(Shape.text()) }),
  categories: listOf({
    uid,
    name,
    slug,
    level: required({ ...Shape.integer(1, 3), words: [1, 2, 3] }),
    departments: required(Shape.list(Shape.integer(1, Number.MAX_SAFE_INTEGER))),
    parent,
    l1: parent,
    l2: parent,
    is_active: isActive,
    channels: optional(Shape.free())
  }),
  brands: listOf({ uid, name: required(Shape.text({ min: 1, max: Limits.name })), company_id: uid }),
  templates: listOf({
    slug,
    name,
    departments: required(Shape.list(Shape.text())),
    categories: required(Shape.list(Shape.text())),
    is_active: isActive
  }),
  attributes: listOf({
    slug: name,
    name,
    categories: required(
      Shape.either('must be "*" or a list of level 3 names', Shape.words("*"), Shape.list(Shape.text()))
    ),
    schema: required(
      Shape.group({
        type: required(Shape.words("str", "int", "float", "bool", "date")),
        mandatory: required(Shape.flag),
        multi: required(Shape.flag),
        allowed_values: optional(Shape.list(Shape.either("must be text or a number", Shape.text(), number), 1)),
        range: optional(Shape.group({ min: optional(number), max: optional(number) })),
        format: optional(Shape.text({ min: 1 }))
      })
    )
  }),
  hsCodes: listOf({
    hs_code: required(ProductShape.hsCode),
    type: required(Shape.words("HS", "SAC")),
    description: required(Shape.text()),
    country_code: name
  }),
  taxRules: listOf({
    id: name,
    name,
    status: name,
    versions: listOf({
      version_status: name,
      applicable_from: required(Shape.day),
      components: listOf({ name, rate: required(Shape.amount(0, 100)), threshold: optional(Shape.amount(0)) })
    })
  })
})

const checkShape = checkOf(shape)

const repeated = (place: string, keys: ReadonlyArray<string | number>): ReadonlyArray<Violation> => {
  const seen = new Set<string | number>()
  return keys.flatMap((key, at) => {
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const message = `${JSON.stringify(key)} appears earlier in the list. Send each once.`
    return [{ path: `/${place}/${at}`, code: "DUPLICATE_RECORD", message }]
  })
}

const missing = <A>(path: string, values: ReadonlyArray<A>, known: ReadonlySet<A>, code: string) =>
  values.flatMap((value, at) =>
    known.has(value)
      ? []
      : [{ path: `${path}/${at}`, code, message: `${JSON.stringify(value)} doesn't exist in this file` }]
  )

const isPattern = (source: string): boolean => Result.isSuccess(Result.try(() => new RegExp(`^(?:${source})$`, "u")))

const checkWhole = (file: ReferenceFile): ReadonlyArray<Violation> => {
  const departments = new Set(file.departments.map((one) => one.uid))
  const slugs = new Set(file.departments.map((one) => one.slug))
  const levels = new Map(file.categories.map((one) => [one.uid, one.level]))
  const keys = [
    ["departments", file.departments.map(({ uid }) => uid)],
    ["categories", file.categories.map(({ uid }) => uid)],
    ["brands", file.brands.map(({ company_id, uid }) => `${company_id} ${uid}`)],
    ["brands", file.brands.map(({ company_id, name }) => `${company_id} ${name}`)],
    ["templates", file.templates.map(({ slug }) => slug)],
    ["attributes", file.attributes.map(({ slug }) => slug)],
    ["hsCodes", file.hsCodes.map(({ hs_code }) => hs_code)],
    ["taxRules", file.taxRules.map(({ id }) => id)]
  ] as const
  return [
    ...keys.flatMap(([place, own]) => repeated(place, own)),
    ...file.categories.flatMap((one, at) => [
      ...missing(`/categories/${at}/departments`, one.departments, departments, "UNKNOWN_DEPARTMENT"),
      ...(one.level === 1 || levels.get(one.parent ?? 0) === one.level - 1
        ? []
        : [{ path: `/categories/${at}/parent`, code: "UNKNOWN_CATEGORY", message: "must be a category one level up" }])
    ]),
    ...file.templates.flatMap((one, at) =>
      missing(`/templates/${at}/departments`, one.departments, slugs, "UNKNOWN_DEPARTMENT")
    ),
    ...file.attributes.flatMap(({ schema: { format } }, at) =>
      format === undefined || format === null || isPattern(format)
        ? []
        : [{ path: `/attributes/${at}/schema/format`, code: "INVALID_VALUE", message: "must be a regular expression" }]
    )
  ]
}

/**
 * The data of a document, or all its faults.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ReferenceFile } from "@crossdock/catalog"
 * import * as Result from "effect/Result"
 *
 * const none = { departments: [], categories: [], brands: [], attributes: [], hsCodes: [], taxRules: [] }
 * const template = { slug: "shoes", name: "Shoes", departments: ["footwear"], categories: [], is_active: true }
 * const violations = Result.getOrThrow(Result.flip(ReferenceFile.decode({ ...none, templates: [template] })))
 * deepStrictEqual(
 *   violations.map(({ code, path }) => [code, path]),
 *   [["UNKNOWN_DEPARTMENT", "/templates/0/departments/0"]]
 * )
 * ```
 */
export const decode = (
  document: unknown
): Result.Result<readonly [data: ReferenceData, brands: ReadonlyArray<Brand>], ReadonlyArray<Violation>> => {
  const broken = violations(checkShape, document)
  if (broken.length > 0) return Result.fail(broken)
  const file = document as ReferenceFile
  const wrong = checkWhole(file)
  return wrong.length > 0 ? Result.fail(wrong) : Result.succeed(dataOf(file))
}

const ifPresent = <K extends string, A>(key: K, value: A | null | undefined): { readonly [_ in K]?: A } =>
  value === undefined || value === null ? {} : ({ [key]: value } as { readonly [_ in K]: A })

const dataOf = (file: ReferenceFile): readonly [ReferenceData, ReadonlyArray<Brand>] => [
  {
    departments: file.departments.map(({ is_active, ...rest }) => ({ ...rest, isActive: is_active })),
    categories: file.categories.map(({ channels, is_active, l1, l2, parent, ...rest }) => ({
      ...rest,
      parent: parent ?? null,
      l1: l1 ?? null,
      l2: l2 ?? null,
      isActive: is_active,
      channels: channels ?? {}
    })),
    templates: file.templates.map(({ is_active, ...rest }) => ({ ...rest, isActive: is_active })),
    attributes: file.attributes.map(
      ({ schema: { allowed_values, format, mandatory, multi, range, type }, ...rest }) => ({
        ...rest,
        schema: {
          type,
          mandatory,
          multi,
          ...ifPresent("allowedValues", allowed_values),
          ...ifPresent("range", range),
          ...ifPresent("format", format)
        }
      })
    ),
    hsCodes: file.hsCodes.map(({ country_code, hs_code, ...rest }) => ({
      ...rest,
      code: hs_code,
      countryCode: country_code
    })),
    taxRules: file.taxRules.map(({ versions, ...rest }) => ({
      ...rest,
      versions: versions.map(({ applicable_from, components, version_status }) => ({
        versionStatus: version_status,
        applicableFrom: applicable_from,
        components
      }))
    }))
  },
  file.brands.map(({ company_id, ...brand }) => ({ ...brand, companyId: CompanyId.make(company_id) }))
]
