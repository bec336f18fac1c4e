import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { beforeAll } from "vitest"
import { type Client, useHost } from "./TestHost.ts"
import { done, itemCodes, product, type Rejected, read } from "./TestProducts.ts"

describe("the catalog's reads", () => {
  const host = useHost()

  const names = async (query: string) => (await read(host.acme, query)).items.map((item) => item.name)

  const fault = async (api: Client, query: string) => {
    const { body, status } = await api.call<Rejected>("GET", `/v3/catalog/${query}`)
    return [status, body.code, ...(body.errors ?? []).map(({ path }) => path)]
  }

  const paged = [
    "departments",
    "category",
    "company-brand",
    "product/template",
    "taxes/hscodes",
    "taxes/rules",
    "product"
  ]

  it("every list has the paging envelope, with page 1 of 10 records by default", async () => {
    for (const path of paged) {
      const { items, ...rest } = await read(host.acme, path)
      strictEqual(rest.page_number, 1)
      strictEqual(rest.page_size, 10)
      strictEqual(items.length, Math.min(10, rest.total), path)
      const second = await read(host.acme, `${path}?page_number=2&page_size=1`)
      deepStrictEqual([second.page_number, second.page_size, second.total], [2, 1, rest.total])
      deepStrictEqual(second.items, items.slice(1, 2), path)
      deepStrictEqual((await read(host.acme, `${path}?page_number=1000000`)).items, [])
    }
  })

  it("page_size is 1 to 200 and page_number is at least 1, both in decimal digits", async () => {
    for (const path of paged) {
      strictEqual((await read(host.acme, `${path}?page_size=200`)).page_size, 200)
      for (const query of ["page_size=0", "page_size=201", "page_size=0x10", "page_size=", "page_size=1.5"]) {
        deepStrictEqual(await fault(host.acme, `${path}?${query}`), [400, "VALIDATION_FAILED", "/page_size"])
      }
      for (const query of ["page_number=0", "page_number=-1", "page_number=1e1"]) {
        deepStrictEqual(await fault(host.acme, `${path}?${query}`), [400, "VALIDATION_FAILED", "/page_number"])
      }
    }
  })

  it("every read needs a token; a location-level token is enough", async () => {
    for (const path of [...paged, "product-attributes?category=T-Shirts"]) {
      deepStrictEqual(await fault(host.anonymous, path), [401, "TOKEN_MISSING"])
      strictEqual((await host.blr1.call("GET", `/v3/catalog/${path}`)).status, 200)
    }
  })

  it("departments are found by part of the name in any case, by the whole slug and by is_active", async () => {
    deepStrictEqual((await read(host.acme, "departments?name=ELECTRO")).items, [
      { uid: 222, name: "Electronics", slug: "electronics", is_active: true }
    ])
    deepStrictEqual(await names("departments?slug=apparel"), ["Apparel & Accessories"])
    deepStrictEqual(await names("departments?slug=Apparel"), [])
    deepStrictEqual(await names("departments?slug=appar"), [])
    strictEqual((await read(host.acme, "departments?is_active=true")).total, 21)
    strictEqual((await read(host.acme, "departments?is_active=false")).total, 0)
    deepStrictEqual(await fault(host.acme, "departments?is_active=1"), [400, "VALIDATION_FAILED", "/is_active"])
  })

  it("categories have three levels with their parents; level 3 has its names at the marketplaces", async () => {
    const [shirts] = (await read(host.acme, "category?slug=t-shirts")).items
    const [parent] = (await read(host.acme, `category?slug=clothing`)).items
    deepStrictEqual([shirts?.level, shirts?.l1, shirts?.l2, shirts?.parent], [3, 166, parent?.uid, parent?.uid])
    deepStrictEqual(parent, {
      uid: parent?.uid,
      name: "Clothing",
      slug: "clothing",
      level: 2,
      departments: [166],
      parent: 166,
      is_active: true
    })
    for (const level of [1, 2, 3]) {
      const { items } = await read(host.acme, `category?level=${level}&page_size=200`)
      assertTrue(items.length > 0 && items.every((item) => item.level === level))
    }
    deepStrictEqual(await fault(host.acme, "category?level=4"), [400, "VALIDATION_FAILED", "/level"])
    const third = (await read(host.acme, "category?level=3&page_size=200")).items
    assertTrue(third.some((item) => Object.hasOwn(item.channels as object, "bazaar")))
  })

  it("categories are found by department and by level 3 uids", async () => {
    const { items, total } = await read(host.acme, "category?department=166&page_size=200")
    assertTrue(total > 50 && items.every((item) => (item.departments as ReadonlyArray<number>).includes(166)))
    deepStrictEqual(await fault(host.acme, "category?department=x"), [400, "VALIDATION_FAILED", "/department"])
    const uids = (await read(host.acme, "category?level=3&page_size=3")).items.map((item) => item.uid)
    const found = await read(host.acme, `category?cat3_id=${uids.join(",")}`)
    deepStrictEqual(
      found.items.map((item) => item.uid),
      uids
    )
    strictEqual((await read(host.acme, "category?cat3_id=166")).total, 0, "166 is of level 1")
    deepStrictEqual(await fault(host.acme, "category?cat3_id=1,x"), [400, "VALIDATION_FAILED", "/cat3_id"])
  })

  it("company-brand lists the company's own brands, by part of the name in any case", async () => {
    deepStrictEqual((await read(host.acme, "company-brand")).items, [
      { uid: 1, name: "Acme" },
      { uid: 2, name: "Zephyr" }
    ])
    deepStrictEqual(await names("company-brand?brand_name=ZEP"), ["Zephyr"])
    deepStrictEqual(
      (await read(host.globex, "company-brand")).items.map((item) => item.name),
      ["Globex"]
    )
  })

  it("templates are found by the department's slug", async () => {
    const { items } = await read(host.acme, "product/template?department=electronics")
    deepStrictEqual(
      items.map((item) => [item.slug, item.departments, item.is_active]),
      [["electronics", ["electronics"], true]]
    )
    strictEqual((await read(host.acme, "product/template?department=nowhere")).total, 0)
  })

  it("product-attributes needs a level 3 category in its exact case, and lists nothing for an unknown one", async () => {
    const { items } = await read(host.acme, "product-attributes?category=T-Shirts")
    const [color, material] = items as ReadonlyArray<{ slug: string; name: string; schema: Record<string, unknown> }>
    deepStrictEqual([color?.slug, color?.schema.mandatory, color?.schema.type], ["color", true, "str"])
    assertTrue(Array.isArray(color?.schema.allowed_values))
    deepStrictEqual(material, {
      slug: "material",
      name: "Material",
      schema: { type: "str", mandatory: true, multi: false }
    })
    for (const category of ["t-shirts", "Nothing", "Clothing"]) {
      const { body } = await host.acme.call("GET", `/v3/catalog/product-attributes?category=${category}`)
      deepStrictEqual(body, { items: [] })
    }
    deepStrictEqual(await fault(host.acme, "product-attributes"), [400, "VALIDATION_FAILED", "/category"])
  })

  it("hscodes are found by code or description in any case, and by type", async () => {
    const found = await read(host.acme, "taxes/hscodes?search=T-SHIRTS&type=HS")
    assertTrue(found.items.some((item) => item.hs_code === "610910"))
    deepStrictEqual((await read(host.acme, "taxes/hscodes?search=996511")).items, [
      {
        hs_code: "996511",
        type: "SAC",
        description: (await read(host.acme, "taxes/hscodes?search=996511")).items[0]?.description,
        country_code: "IN"
      }
    ])
    strictEqual((await read(host.acme, "taxes/hscodes?search=996511&type=HS")).total, 0)
    deepStrictEqual(await fault(host.acme, "taxes/hscodes?type=hs"), [400, "VALIDATION_FAILED", "/type"])
  })

  it("tax rules are found by status, by name in any case and by the status of their versions", async () => {
    const [rule] = (await read(host.acme, "taxes/rules?rule_name=gst%2012%20")).items
    deepStrictEqual(rule, {
      id: "gst-12",
      name: "GST 12 %",
      status: "ACTIVE",
      versions: [
        {
          version_status: "CURRENT",
          applicable_from: "2017-07-01",
          components: [
            { name: "CGST", rate: 6 },
            { name: "SGST", rate: 6 }
          ]
        }
      ]
    })
    const future = (await read(host.acme, "taxes/rules?version_status=FUTURE")).items
    deepStrictEqual(
      future.map((item) => [item.id, (item.versions as ReadonlyArray<unknown>).length]),
      [["gst-led-lamps", 1]]
    )
    deepStrictEqual(
      (await read(host.acme, "taxes/rules?status=INACTIVE")).items.map((item) => item.id),
      ["gst-28-cess-12"]
    )
  })

  describe("product", () => {
    beforeAll(async () => {
      await done(host.acme, "POST", [product("RD-1", { name: "Sunrise Ärmel" }), product("RD-2", { name: "Sunset" })])
      await done(host.acme, "POST", [product("RD-3", { name: "SUNRISE two", slug: "sunrise" })])
      await done(host.acme, "PUT", [product("RD-1", { name: "Sunrise ÄRMEL", brand_uid: 1 })])
    })

    it("has the field names of the create body, and the fields that the service adds", async () => {
      const [item] = (await read(host.acme, "product?item_code=RD-2")).items
      const { created_on, modified_on, uid, ...rest } = item ?? {}
      strictEqual(typeof uid, "number")
      strictEqual(created_on, modified_on)
      deepStrictEqual(rest, {
        ...product("RD-2", { name: "Sunset" }),
        sizes: [{ ...product("RD-2").sizes[0], track_inventory: true, identifiers: [] }],
        company_id: 1,
        brand_uid: 1,
        template: "apparel"
      })
    })

    it("is found by part of its name in any case, by its slug and by its item codes", async () => {
      deepStrictEqual(await itemCodes(host.acme, "name=sunRISE"), ["RD-1", "RD-3"])
      deepStrictEqual(await itemCodes(host.acme, "name=%C3%A4rmel"), ["RD-1"])
      deepStrictEqual(await itemCodes(host.acme, "slug=sunrise"), ["RD-3"])
      deepStrictEqual(await itemCodes(host.acme, "item_code=RD-1,RD-2,nowhere"), ["RD-1", "RD-2"])
      deepStrictEqual(await itemCodes(host.globex, "item_code=RD-1"), [])
    })

    it("is listed newest first, by modified_on or by created", async () => {
      deepStrictEqual(await itemCodes(host.acme, "name=sun&page_size=3&sort_on=modified_on"), ["RD-1", "RD-3", "RD-2"])
      deepStrictEqual(await itemCodes(host.acme, "name=sun&page_size=3"), ["RD-1", "RD-3", "RD-2"])
      deepStrictEqual(await itemCodes(host.acme, "name=sun&page_size=3&sort_on=created"), ["RD-3", "RD-2", "RD-1"])
      deepStrictEqual(await fault(host.acme, "product?sort_on=name"), [400, "VALIDATION_FAILED", "/sort_on"])
    })
  })
})
