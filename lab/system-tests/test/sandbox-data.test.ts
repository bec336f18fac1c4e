import { readFileSync } from "node:fs"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"

interface Department {
  readonly uid: number
  readonly name: string
  readonly slug: string
  readonly is_active: boolean
}

interface Category extends Department {
  readonly level: number
  readonly departments: ReadonlyArray<number>
  readonly parent?: number
  readonly l1?: number
  readonly l2?: number
  readonly channels: Readonly<Record<string, string>>
}

interface Template {
  readonly slug: string
  readonly departments: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
}

interface Attribute {
  readonly slug: string
  readonly categories: "*" | ReadonlyArray<string>
  readonly schema: {
    readonly type: string
    readonly mandatory: boolean
    readonly multi: boolean
    readonly allowed_values?: ReadonlyArray<string>
    readonly range?: { readonly min: number; readonly max: number }
    readonly format?: string
  }
}

interface TaxRule {
  readonly id: string
  readonly status: string
  readonly versions: ReadonlyArray<{
    readonly version_status: string
    readonly applicable_from: string
    readonly components: ReadonlyArray<{ readonly name: string; readonly rate: number; readonly threshold?: number }>
  }>
}

interface Reference {
  readonly departments: ReadonlyArray<Department>
  readonly categories: ReadonlyArray<Category>
  readonly brands: ReadonlyArray<{ readonly uid: number; readonly name: string; readonly company_id: number }>
  readonly templates: ReadonlyArray<Template>
  readonly attributes: ReadonlyArray<Attribute>
  readonly hsCodes: ReadonlyArray<{
    readonly hs_code: string
    readonly type: string
    readonly description: string
    readonly country_code: string
  }>
  readonly taxRules: ReadonlyArray<TaxRule>
}

interface Product {
  readonly item_code: string
  readonly name: string
  readonly slug: string
  readonly department: number
  readonly category: string
  readonly hs_code: string
  readonly template: string
  readonly tax_rule_id: string
  readonly brand: string
  readonly sku: string
  readonly size: string
  readonly item_length: number
  readonly item_width: number
  readonly item_height: number
  readonly item_weight: number
  readonly mrp: string
  readonly esp: string
}

interface Invoice {
  readonly invoice: string
  readonly cancellation: boolean
  readonly date: string
  readonly country: string
  readonly customer: string | null
  readonly lines: ReadonlyArray<{
    readonly sku: string
    readonly quantity: number
    readonly unitPrice: string
    readonly note?: string
  }>
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../packages/cli/data/${name}`, import.meta.url), "utf8"))

const reference: Reference = read("reference.json")
const products: ReadonlyArray<Product> = read("retail-products.json")
const invoices: ReadonlyArray<Invoice> = read("retail-invoices.json")

/** The items that break a rule. Expecting an empty list makes a failure show them. */
const breaking = <A>(items: ReadonlyArray<A>, isValid: (item: A) => boolean) => items.filter((item) => !isValid(item))

const repeated = (keys: ReadonlyArray<string | number>) => keys.filter((key, i) => keys.indexOf(key) !== i)

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MONEY = /^(0|[1-9]\d*)\.\d\d$/
const paise = (decimal: string) => Math.round(Number(decimal) * 100)

const categoryByUid = new Map(reference.categories.map((c) => [c.uid, c]))
const leaves = reference.categories.filter((c) => c.level === 3)
const hsCodes = new Map(reference.hsCodes.map((code) => [code.hs_code, code]))
const rules = new Map(reference.taxRules.map((rule) => [rule.id, rule]))
const attributesOf = (category: string) =>
  reference.attributes.filter((a) => a.categories === "*" || a.categories.includes(category))

describe("reference.json", () => {
  it("has a department for each of the taxonomy's 21 top-level categories", () => {
    strictEqual(reference.departments.length, 21)
    deepStrictEqual(
      breaking(reference.departments, (d) => categoryByUid.get(d.uid)?.name === d.name && d.is_active),
      []
    )
    deepStrictEqual(
      reference.departments.filter((d) => d.slug === "apparel" || d.slug === "electronics").map((d) => d.name),
      ["Apparel & Accessories", "Electronics"]
    )
  })

  it("has slugs that match the pattern and are unique within their kind", () => {
    for (const items of [reference.departments, reference.categories, reference.templates, products]) {
      const slugs = items.map((item) => item.slug)
      deepStrictEqual(
        breaking(slugs, (slug) => SLUG.test(slug)),
        []
      )
      deepStrictEqual(repeated(slugs), [])
    }
    deepStrictEqual(repeated(reference.attributes.map((a) => a.slug)), [])
  })

  it("has unique integer uids", () => {
    for (const items of [reference.departments, reference.categories, reference.brands]) {
      const uids = items.map((item) => item.uid)
      deepStrictEqual(breaking(uids, Number.isSafeInteger), [])
      deepStrictEqual(repeated(uids), [])
    }
  })

  it("has a tree of exactly three levels, with each L3 in an L2 in an L1 of the same department", () => {
    deepStrictEqual([...new Set(reference.categories.map((c) => c.level))].sort(), [1, 2, 3])
    deepStrictEqual(
      breaking(reference.categories, (c) => {
        const parent = c.parent === undefined ? undefined : categoryByUid.get(c.parent)
        if (c.level === 1) {
          return c.parent === undefined && c.departments.length === 1 && c.departments[0] === c.uid
        }
        if (parent === undefined || parent.level !== c.level - 1) return false
        if (c.departments.length !== 1 || c.departments[0] !== parent.departments[0]) return false
        return c.level === 2 || (c.l2 === parent.uid && c.l1 === parent.parent)
      }),
      []
    )
  })

  it("gives a few dozen L3 categories other names for the channels bazaar and souk, and no other level", () => {
    for (const channel of ["bazaar", "souk"]) {
      const named = reference.categories.filter((c) => c.channels[channel] !== undefined)
      assertTrue(named.length >= 24, `${named.length} names for ${channel}`)
      deepStrictEqual(
        breaking(named, (c) => c.level === 3 && c.channels[channel] !== c.name),
        []
      )
    }
  })

  it("has one template per department, with the same slug and exactly its L3 categories", () => {
    deepStrictEqual(
      reference.templates.map((t) => ({ slug: t.slug, departments: t.departments, categories: t.categories })),
      reference.departments.map((d) => ({
        slug: d.slug,
        departments: [d.slug],
        categories: leaves.filter((c) => c.l1 === d.uid).map((c) => c.slug)
      }))
    )
    deepStrictEqual(
      breaking(reference.templates, (t) => t.categories.length > 0),
      []
    )
  })

  it("has T-Shirts under Clothing, whose mandatory attributes are color and material", () => {
    const found = leaves.filter((c) => c.name === "T-Shirts")
    strictEqual(found.length, 1)
    strictEqual(categoryByUid.get(found[0]?.l2 ?? 0)?.name, "Clothing")
    strictEqual(categoryByUid.get(found[0]?.l1 ?? 0)?.name, "Apparel & Accessories")

    const mandatory = attributesOf("T-Shirts").filter((a) => a.schema.mandatory)
    deepStrictEqual(
      mandatory.map((a) => [a.slug, a.schema.type]),
      [
        ["color", "str"],
        ["material", "str"]
      ]
    )
    assertTrue((mandatory[0]?.schema.allowed_values?.length ?? 0) >= 12, "fewer than 12 colours")
    strictEqual(mandatory[1]?.schema.allowed_values, undefined)
  })

  it("has attributes of every type and constraint, each for existing categories", () => {
    const names = new Set(leaves.map((c) => c.name))
    deepStrictEqual(
      breaking(reference.attributes, (a) => a.categories === "*" || a.categories.every((name) => names.has(name))),
      []
    )
    const schemas = reference.attributes.map((a) => a.schema)
    deepStrictEqual([...new Set(schemas.map((s) => s.type))].sort(), ["bool", "date", "float", "int", "str"])
    assertTrue(
      schemas.some((s) => s.multi),
      "no multi-valued one"
    )
    for (const type of ["int", "float"]) {
      assertTrue(
        schemas.some((s) => s.type === type && s.range !== undefined && s.range.min < s.range.max),
        `no range of ${type}`
      )
    }
    const formats = schemas.flatMap((s) => s.format ?? [])
    assertTrue(formats.length > 0, "no format")
    // A format is a regular expression for the whole text.
    deepStrictEqual(
      breaking(formats, (format) => /^\^.*\$$/.test(format) && new RegExp(format, "u") instanceof RegExp),
      []
    )
    deepStrictEqual(
      reference.attributes.filter((a) => a.categories === "*").map((a) => [a.slug, a.schema.type]),
      [["batch_tracked", "bool"]]
    )
  })

  it("has every HS code of 4 or 6 digits, and those added by hand", () => {
    deepStrictEqual(repeated(reference.hsCodes.map((code) => code.hs_code)), [])
    deepStrictEqual(
      breaking(
        reference.hsCodes,
        (code) =>
          code.country_code === "IN" &&
          code.description !== "" &&
          (code.type === "SAC" ? /^99\d{4}$/ : /^(\d{4}|\d{6}|\d{8})$/).test(code.hs_code)
      ),
      []
    )
    const digits = (n: number) =>
      reference.hsCodes.filter((code) => code.type === "HS" && code.hs_code.length === n).length
    deepStrictEqual([digits(4), digits(6), digits(8)], [1229, 5613, 1])
    deepStrictEqual(
      ["610910", "61091000", "996511", "998314", "998599"].map((code) => hsCodes.get(code)?.type),
      ["HS", "HS", "SAC", "SAC", "SAC"]
    )
  })

  it("has tax rules of each kind, with gst-12 active and current", () => {
    deepStrictEqual(repeated(reference.taxRules.map((rule) => rule.id)), [])
    const states = (rule: TaxRule | undefined) => rule?.versions.map((v) => v.version_status)
    const gst12 = rules.get("gst-12")
    strictEqual(gst12?.status, "ACTIVE")
    deepStrictEqual(states(gst12), ["CURRENT"])
    deepStrictEqual(gst12?.versions[0]?.components, [
      { name: "CGST", rate: 6 },
      { name: "SGST", rate: 6 }
    ])
    for (const rate of [0, 5, 12, 18, 28]) {
      const components = rules.get(`gst-${rate}`)?.versions.find((v) => v.version_status === "CURRENT")?.components
      strictEqual(
        components?.reduce((sum, c) => sum + c.rate, 0),
        rate
      )
    }
    strictEqual(reference.taxRules.filter((rule) => rule.status === "INACTIVE").length, 1)
    deepStrictEqual(
      reference.taxRules.filter((rule) => rule.versions.length > 1).map((rule) => states(rule)),
      [["PAST", "CURRENT", "FUTURE"]]
    )
    deepStrictEqual(rules.get("gst-apparel")?.versions[0]?.components, [
      { name: "CGST", rate: 2.5 },
      { name: "SGST", rate: 2.5 },
      { name: "CGST", rate: 6, threshold: 1000 },
      { name: "SGST", rate: 6, threshold: 1000 }
    ])
    // The versions of a rule follow each other, and an active rule has exactly one current version.
    deepStrictEqual(
      breaking(reference.taxRules, (rule) => {
        const dates = rule.versions.map((v) => v.applicable_from)
        const sorted = dates.every((date, i) => i === 0 || (dates[i - 1] ?? "") < date)
        const now = rule.versions.filter((v) => v.version_status === "CURRENT").length
        return sorted && now === (rule.status === "ACTIVE" ? 1 : 0)
      }),
      []
    )
  })
})

describe("retail-products.json", () => {
  it("has one product for each of the 590 stock codes", () => {
    strictEqual(products.length, 590)
    // Ignores case, since SKUs are in upper case.
    deepStrictEqual(repeated(products.map((p) => p.sku.toUpperCase())), [])
    deepStrictEqual(repeated(products.map((p) => p.item_code)), [])
    deepStrictEqual(
      breaking(products, (p) => p.sku === p.sku.toUpperCase() && p.sku !== ""),
      []
    )
  })

  it("names an L3 category that is unique and in the product's department", () => {
    deepStrictEqual(
      breaking(products, (p) => {
        const found = reference.categories.filter((c) => c.name === p.category)
        return found.length === 1 && found[0]?.level === 3 && found[0].departments.includes(p.department)
      }),
      []
    )
    assertTrue(new Set(products.map((p) => p.category)).size >= 20, "fewer than 20 categories")
  })

  it("names a matching HS code, template, tax rule and brand", () => {
    const departmentBySlug = new Map(reference.departments.map((d) => [d.slug, d.uid]))
    const acme = reference.brands.filter((b) => b.company_id === 1).map((b) => b.name)
    deepStrictEqual(acme, ["Acme", "Zephyr"])
    deepStrictEqual([...new Set(products.map((p) => p.brand))].sort(), acme)
    deepStrictEqual(
      breaking(products, (p) => hsCodes.has(p.hs_code)),
      []
    )
    deepStrictEqual(
      breaking(products, (p) => {
        const template = reference.templates.find((t) => t.slug === p.template)
        return template?.departments.some((slug) => departmentBySlug.get(slug) === p.department) ?? false
      }),
      []
    )
    deepStrictEqual(
      breaking(products, (p) => {
        const rule = rules.get(p.tax_rule_id)
        return rule?.status === "ACTIVE" && rule.versions.some((v) => v.version_status === "CURRENT")
      }),
      []
    )
    // Services have a SAC; nothing else does.
    deepStrictEqual(
      products.filter((p) => hsCodes.get(p.hs_code)?.type === "SAC").map((p) => [p.sku, p.hs_code]),
      [
        ["POST", "996511"],
        ["D", "998599"]
      ]
    )
  })

  it("needs no attributes, since its categories have no mandatory ones", () => {
    deepStrictEqual(
      breaking(products, (p) => attributesOf(p.category).every((a) => !a.schema.mandatory)),
      []
    )
  })

  it("has names, sizes, measures and prices within the documented bounds", () => {
    deepStrictEqual(
      breaking(
        products,
        (p) =>
          p.name.length >= 1 &&
          p.name.length <= 300 &&
          p.name === p.name.trim() &&
          ["S", "M", "L", "OS"].includes(p.size) &&
          [p.item_length, p.item_width, p.item_height, p.item_weight].every((n) => Number.isFinite(n) && n >= 0)
      ),
      []
    )
    deepStrictEqual(
      breaking(
        products,
        (p) =>
          MONEY.test(p.esp) &&
          MONEY.test(p.mrp) &&
          paise(p.esp) > 0 &&
          paise(p.mrp) === Math.round((paise(p.esp) * 6) / 5)
      ),
      []
    )
  })

  it("takes the longest name of a stock code (the first if two are equally long) and the highest price", () => {
    const bySku = new Map(products.map((p) => [p.sku, p]))
    // One line's description is empty and its price 0.
    strictEqual(bySku.get("22139")?.name, "RETROSPOT TEA SET CERAMIC 11 PC")
    strictEqual(bySku.get("22632")?.name, "HAND WARMER RED POLKA DOT")
    const highest = new Map<string, number>()
    for (const line of invoices.flatMap((invoice) => invoice.lines)) {
      highest.set(line.sku, Math.max(highest.get(line.sku) ?? 0, paise(line.unitPrice)))
    }
    deepStrictEqual(
      breaking(products, (p) => paise(p.esp) === highest.get(p.sku)),
      []
    )
  })
})

describe("retail-invoices.json", () => {
  const lines = invoices.flatMap((invoice) => invoice.lines.map((line) => ({ ...line, invoice: invoice.invoice })))

  it("has 66 invoices, of which 4 are cancellations, with 1,000 lines", () => {
    strictEqual(invoices.length, 66)
    strictEqual(lines.length, 1000)
    deepStrictEqual(repeated(invoices.map((invoice) => invoice.invoice)), [])
    deepStrictEqual(
      invoices.filter((invoice) => invoice.cancellation).map((invoice) => invoice.invoice),
      ["C536379", "C536383", "C536391", "C536506"]
    )
    deepStrictEqual(
      breaking(invoices, (invoice) => invoice.cancellation === invoice.invoice.startsWith("C")),
      []
    )
    strictEqual(invoices[0]?.invoice, "536365")
    strictEqual(invoices[0]?.date, "2010-12-01T08:26:00Z")
    deepStrictEqual(invoices[0]?.lines[0], { sku: "85123A", quantity: 6, unitPrice: "267.75" })
  })

  it("is sorted by time, with a country, and a customer or null", () => {
    deepStrictEqual(
      breaking(
        invoices,
        (invoice) =>
          new Date(invoice.date).toISOString() === invoice.date.replace("Z", ".000Z") &&
          invoice.country !== "" &&
          (invoice.customer === null || /^\d{5}$/.test(invoice.customer))
      ),
      []
    )
    const dates = invoices.map((invoice) => invoice.date)
    deepStrictEqual(dates, [...dates].sort())
  })

  it("sells only SKUs of the products", () => {
    const skus = new Set(products.map((p) => p.sku))
    deepStrictEqual(
      breaking(lines, (line) => skus.has(line.sku)),
      []
    )
    strictEqual(new Set(lines.map((line) => line.sku)).size, products.length)
  })

  it("has whole quantities and exact prices, with a note if either is not above 0", () => {
    deepStrictEqual(
      breaking(lines, (line) => Number.isSafeInteger(line.quantity) && MONEY.test(line.unitPrice)),
      []
    )
    deepStrictEqual(
      breaking(lines, (line) => (line.quantity > 0 && paise(line.unitPrice) > 0) === (line.note === undefined)),
      []
    )
    deepStrictEqual(
      lines.filter((line) => line.note !== undefined),
      [{ sku: "22139", quantity: 56, unitPrice: "0.00", note: "the unit price is 0", invoice: "536414" }]
    )
  })
})
