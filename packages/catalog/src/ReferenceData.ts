/** The data that products refer to. Source: docs/reference/catalog.md#reference-data. */
import { type CompanyId, frozen } from "@crossdock/kernel"

/** The top level of the catalog. */
export interface Department {
  readonly uid: number
  readonly name: string
  readonly slug: string
  readonly isActive: boolean
  readonly logo?: string
}

/** A category. `l1` and `l2` are its ancestors, and `channels` has its name in each channel, by the channel's slug. */
export interface Category {
  readonly uid: number
  readonly name: string
  readonly slug: string
  readonly level: 1 | 2 | 3
  readonly departments: ReadonlyArray<number>
  readonly parent: number | null
  readonly l1: number | null
  readonly l2: number | null
  readonly isActive: boolean
  readonly channels: Readonly<Record<string, string>>
}

export interface Brand {
  readonly companyId: CompanyId
  readonly uid: number
  readonly name: string
}

/** A template of products, with the slugs of its departments. */
export interface Template {
  readonly slug: string
  readonly name: string
  readonly departments: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly isActive: boolean
}

/** An attribute of products. `categories` are the names of level 3 categories, or "*" for all of them. */
export interface Attribute {
  readonly slug: string
  readonly name: string
  readonly categories: ReadonlyArray<string> | "*"
  readonly schema: {
    readonly type: "str" | "int" | "float" | "bool" | "date"
    readonly mandatory: boolean
    readonly multi: boolean
    readonly allowedValues?: ReadonlyArray<string | number>
    readonly range?: { readonly min?: number; readonly max?: number }
    readonly format?: string
  }
}

export interface HsCode {
  readonly code: string
  readonly type: "HS" | "SAC"
  readonly description: string
  readonly countryCode: string
}

/** A tax rule. Its rates are percentages. */
export interface TaxRule {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly versions: ReadonlyArray<{
    readonly versionStatus: string
    readonly applicableFrom: string
    readonly components: ReadonlyArray<{ readonly name: string; readonly rate: number; readonly threshold?: number }>
  }>
}

/** All reference data except brands, which belong to companies. */
export interface ReferenceData {
  readonly departments: ReadonlyArray<Department>
  readonly categories: ReadonlyArray<Category>
  readonly templates: ReadonlyArray<Template>
  readonly attributes: ReadonlyArray<Attribute>
  readonly hsCodes: ReadonlyArray<HsCode>
  readonly taxRules: ReadonlyArray<TaxRule>
}

/** The key of each kind of record. An import replaces the record that has the same key. */
export const referenceKeys: { readonly [K in keyof ReferenceData]: (item: ReferenceData[K][number]) => string } =
  /* @__PURE__ */ frozen({
    departments: ({ uid }) => String(uid),
    categories: ({ uid }) => String(uid),
    templates: ({ slug }) => slug,
    attributes: ({ slug }) => slug,
    hsCodes: ({ code }) => code,
    taxRules: ({ id }) => id
  })
