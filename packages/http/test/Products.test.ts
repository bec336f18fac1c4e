import { describe, it } from "@effect/vitest"
import { assertMatch, assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { useHost } from "./TestHost.ts"
import * as TestOrders from "./TestOrders.ts"
import {
  bodyOf,
  codes,
  done,
  path,
  product,
  read,
  rejected,
  settled,
  size,
  statusOf,
  type Written,
  write
} from "./TestProducts.ts"

const text = (length: number) => "😀".repeat(length)

const sizesOf = (item: Readonly<Record<string, unknown>> | undefined) =>
  (item?.sizes ?? []) as ReadonlyArray<Readonly<Record<string, unknown>>>

/** For each field of a create: values that it accepts, and values that break its shape. */
const fields: Readonly<Record<string, readonly [accepted: ReadonlyArray<unknown>, broken: ReadonlyArray<unknown>]>> = {
  item_type: [
    ["standard", "set", "composite", "digital", null, undefined],
    ["Standard", "", 1]
  ],
  name: [
    ["a", text(300)],
    ["", text(301), 1, null, undefined, "a\u0000"]
  ],
  slug: [
    ["a", "a-1-b", "a".repeat(2000)],
    ["", "A", "a--b", "-a", "a-", "a b", "ä", "a".repeat(2001), undefined, 1]
  ],
  departments: [
    [["166"], [166], ["166", 222]],
    [[], "166", ["x"], [1.5], [-1], undefined, [null]]
  ],
  category: [[], ["", 1, undefined]],
  brand: [[], ["", 1, undefined]],
  item_code: [
    ["a", "a".repeat(2000)],
    ["", "a".repeat(2001), 1, undefined]
  ],
  net_quantity: [
    [{ unit: "kg", value: 0.5 }, undefined],
    [{ unit: "kg", value: "1" }, "1 kg", { unit: 1 }]
  ],
  country_of_origin: [["India"], ["", 1, undefined]],
  tax_identifier: [[{ tax_rule_id: "gst-12" }], [{}, { tax_rule_id: 1 }, "gst-12", undefined]],
  no_of_boxes: [
    [0, 1, undefined],
    [-1, 0.5, "1"]
  ],
  hs_code: [
    ["6109", "610910", "61091000"],
    ["61", "61091", "6109100", "610910000", "61091a", 610910, undefined]
  ],
  media: [
    [[], [{ url: "https://x.test/a.png", type: "image" }]],
    [[{ type: "image" }], "x", [1]]
  ],
  short_description: [
    ["", text(50)],
    [text(51), 1]
  ],
  description: [
    ["", text(5000)],
    [text(5001), 1]
  ],
  highlights: [
    [[], ["soft"]],
    ["soft", [1]]
  ],
  sizes: [[[size("F-1"), size("F-2")]], [[], {}, undefined, [null]]],
  trader: [
    [
      ["Manufacturer", "Importer", "Packer", "Seller"].map((type) => ({ type, name: "A", address: ["x"] })),
      [{ type: "Seller", name: "A", address: [] }]
    ],
    [
      [],
      undefined,
      [{ type: "Buyer", name: "A", address: ["x"] }],
      [{ type: "Seller", name: "", address: ["x"] }],
      [{ type: "Seller", address: ["x"] }],
      [{ type: "Seller", name: "A" }],
      [{ type: "Seller", name: "A", address: "x" }],
      [{ type: "Seller", name: "A", address: [1] }]
    ]
  ],
  attributes: [
    [{ color: "Red", material: "Silk", anything: { at: ["all", 1] } }],
    [undefined, [], { color: "Red" }, { material: "Silk" }, { color: "Reddish", material: "Silk" }]
  ],
  product_publish: [
    [{ product_online_date: "2026-01-31T09:00:00+05:30", is_set: true }, undefined],
    [{ product_online_date: "2026-02-30T09:00:00Z" }, { product_online_date: "tomorrow" }, { is_set: "yes" }]
  ],
  tags: [[["a"]], [[1], "a"]],
  return_config: [
    [{ returnable: "Yes", time: 7, unit: "days" }, { returnable: true }],
    [{ time: "7" }, { returnable: 1 }]
  ],
  custom_order: [
    [{ is_custom_order: "No", manufacturing_time: 2, manufacturing_time_unit: "days" }],
    [{ manufacturing_time: "2" }, { is_custom_order: 0 }]
  ],
  is_dependent: [
    [true, false],
    ["Yes", undefined, 1]
  ]
}

const sizeFields: typeof fields = {
  primary_identifier: [["a"], ["", 1, undefined]],
  size: [["M"], ["", 1, undefined]],
  price: [
    [499.5, 1000],
    [-1, "1", undefined, null]
  ],
  price_effective: [
    [0, 799],
    [799.01, -1, "1", undefined]
  ],
  item_length: [
    [0, 1.5, undefined],
    [-0.1, "1"]
  ],
  item_width: [[0], [-1]],
  item_height: [[0], [-1]],
  item_weight: [[0], [-1]],
  track_inventory: [[true, false], ["true"]],
  identifiers: [
    [
      [],
      [{ gtin_value: "8901234567890", gtin_type: "ean", primary: true }],
      [{ gtin_value: "x", gtin_type: "sku_code" }]
    ],
    [[{ gtin_value: 1, gtin_type: "ean" }], [{ gtin_type: "ean" }], [{ gtin_value: "1" }], "x"]
  ]
}

const attributes: typeof fields = {
  pack_of: [
    [1, 100, null],
    [0, 101, 1.5, "1"]
  ],
  wash_temperature: [
    [20, 95, 30.5],
    [19.9, 95.1, "30"]
  ],
  is_organic: [[true], ["true", 1]],
  season: [
    [["Spring"], []],
    ["Spring", ["Rain"]]
  ],
  launch_date: [["2024-02-29"], ["2023-02-29", "29-02-2024", 1]],
  care_code: [["AB-1234"], ["AB-12345", "ab-1234"]]
}

describe("a create", () => {
  const host = useHost()

  it("every field accepts exactly what docs/reference/catalog-rules.md allows, on both sides of each bound", async () => {
    const places = [
      ...Object.entries(fields).map(([key, cases]) => ({
        at: `/products/0/${key}`,
        cases,
        make: (value: unknown) => product("F", { [key]: value })
      })),
      ...Object.entries(sizeFields).map(([key, cases]) => ({
        at: `/products/0/sizes/0/${key}`,
        cases,
        make: (value: unknown) => product("F", { sizes: [size("F-1", { [key]: value })] })
      })),
      ...Object.entries(attributes).map(([key, cases]) => ({
        at: `/products/0/attributes/${key}`,
        cases,
        make: (value: unknown) => product("F", { attributes: { color: "Red", material: "Silk", [key]: value } })
      }))
    ]
    for (const { at, cases, make } of places) {
      for (const value of cases[0]) {
        const body = at === "/products/0/trader" && !Array.isArray(value) ? make([value]) : make(value)
        const answer = await host.acme.call<Written>("POST", `${path}?dry_run=true`, bodyOf([body]))
        const said = `${at} ${JSON.stringify(value)?.slice(0, 80)}: ${JSON.stringify(answer.body).slice(0, 300)}`
        deepStrictEqual([answer.status, answer.body.failed], [200, 0], said)
      }
      for (const value of cases[1]) {
        const { code, errors, status } = await rejected(host.acme, "POST", bodyOf([make(value)]))
        const said = `${at} ${JSON.stringify(value)?.slice(0, 80)}: ${JSON.stringify(errors).slice(0, 300)}`
        deepStrictEqual([status, code, errors.length], [400, "VALIDATION_FAILED", 1], said)
        assertTrue(errors[0]?.path.startsWith(at) === true, said)
      }
    }
  })

  it("all violations in all products are listed at once with suggested fixes, and nothing is accepted", async () => {
    const broken = { ...product("ALL-2", { slug: "Tee Àll 2!", sizes: [size("A", { price: -1 })] }), name: undefined }
    const answer = await rejected(host.acme, "POST", bodyOf([product("ALL-1"), broken, 7]))
    deepStrictEqual(
      answer.errors.map(({ code, path, suggestion }) => [path, code, suggestion]),
      [
        ["/products/1/name", "REQUIRED", undefined],
        ["/products/1/slug", "INVALID_VALUE", "tee-all-2"],
        ["/products/1/sizes/0/price", "OUT_OF_RANGE", undefined],
        ["/products/2", "INVALID_TYPE", undefined]
      ]
    )
    strictEqual((await read(host.acme, "product?item_code=ALL-1")).total, 0)
  })

  it("names of reference data that doesn't exist are listed with the violations of the shape", async () => {
    const names = { category: "Tshirt", departments: [999], tax_identifier: { tax_rule_id: "gst-13" } }
    const sent = { ...names, hs_code: "12345", brand: "Acmee" }
    const products = [product("NAMES", sent), product("NAMES-2", { brand: "Acmee" }), product("NAMES-3", { brand: "" })]
    const answer = await rejected(host.acme, "POST", bodyOf(products))
    deepStrictEqual(
      answer.errors.map(({ code, message, path }) => [path, code, message]),
      [
        [
          "/products/0/hs_code",
          "INVALID_VALUE",
          "Must have 4, 6 or 8 digits. GET /v3/catalog/taxes/hscodes?search=… lists them."
        ],
        [
          "/products/0/departments/0",
          "UNKNOWN_DEPARTMENT",
          "The department \"999\" doesn't exist. Send one from the catalog's lists. GET /v3/catalog/departments lists them."
        ],
        [
          "/products/0/category",
          "UNKNOWN_CATEGORY",
          'The level 3 category "Tshirt" doesn\'t exist, so attributes were not checked. Did you mean T-Shirts?'
        ],
        [
          "/products/0/tax_identifier/tax_rule_id",
          "UNKNOWN_TAX_RULE",
          'The tax rule "gst-13" doesn\'t exist. Did you mean gst-3?'
        ],
        ["/products/2/brand", "REQUIRED", "Must not be empty. GET /v3/catalog/company-brand lists them."],
        ["/products/0/brand", "UNKNOWN_BRAND", 'The brand "Acmee" doesn\'t exist. Did you mean Acme?']
      ]
    )
  })

  it("an update with violations of the shape lists no unknown brand, since it can't change a brand", async () => {
    const { errors } = await rejected(
      host.acme,
      "PUT",
      bodyOf([product("NAMES", { brand: "Acmee", hs_code: "12345" })])
    )
    deepStrictEqual(
      errors.map(({ path }) => path),
      ["/products/0/hs_code"]
    )
  })

  it("a department's slug or name in place of its uid is answered with the uid, a missing field with an example", async () => {
    const sent = { departments: ["apparel", "Nothing"], country_of_origin: undefined }
    const { errors } = await rejected(host.acme, "POST", bodyOf([product("SLUG", sent)]))
    deepStrictEqual(
      errors.map(({ message, suggestion }) => [message, suggestion]),
      [
        ["Must be the uid 166, not apparel.", "166"],
        ["Must be a department's uid, as digits or as a number. GET /v3/catalog/departments lists them.", undefined],
        ['Is required, such as "India".', undefined]
      ]
    )
  })

  it("a product that exists already is answered with the way to change it", async () => {
    await done(host.acme, "POST", [product("EXISTS")])
    const { errors } = await write(host.acme, "POST", [product("EXISTS")])
    deepStrictEqual(
      errors[0]?.errors?.map(({ message }) => message?.replace(/.* Send/, "Send")),
      [
        "Send a different slug. To change that product, use PUT.",
        "Send a different one. To change that product, use PUT.",
        "Send a different one. To change that product, use PUT."
      ]
    )
    assertTrue(errors[0]?.message?.endsWith("use PUT. See errors for 2 more."))
  })

  it("of many unknown departments the first ten are listed, also beside many other faults", async () => {
    const departments = Array.from({ length: 100_000 }, () => 99)
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]))
    const sizes = Array.from({ length: 1_000 }, () => 1)
    for (const [sent, times] of [
      [{ name: 1, departments }, 11],
      [{ ...keys, sizes, category: "None" }, 1000]
    ] as const) {
      const answer = await rejected(host.acme, "POST", bodyOf([product("MANY", sent)]))
      deepStrictEqual([answer.status, answer.errors.length], [400, times])
    }
    const answer = await write(host.acme, "POST", [product("MANY", { departments })])
    deepStrictEqual([answer.failed, answer.errors[0]?.errors?.length], [1, 10])
  })

  it("the template must exist and belong to a named department", async () => {
    const first = async (body: unknown) => {
      const { code, errors, status } = await rejected(host.acme, "POST", body)
      return [status, code, ...errors.map(({ code, path }) => `${code} ${path}`)]
    }
    deepStrictEqual(await first({ ...bodyOf([product("T")]), template: "nowhere" }), [
      400,
      "VALIDATION_FAILED",
      "UNKNOWN_TEMPLATE /template"
    ])
    deepStrictEqual(await first({ products: [product("T")] }), [400, "VALIDATION_FAILED", "REQUIRED /template"])
    deepStrictEqual(await first(bodyOf([product("T", { departments: [222] })])), [
      400,
      "VALIDATION_FAILED",
      "TEMPLATE_MISMATCH /products/0/departments"
    ])
  })

  it("the body is an object with 1 to 100 products", async () => {
    const code = async (body: unknown) => {
      const answer = await rejected(host.acme, "POST", body)
      return `${answer.status} ${answer.code}`
    }
    strictEqual(await code(undefined), "400 EMPTY_REQUEST")
    strictEqual(await code([product("E")]), "400 VALIDATION_FAILED")
    strictEqual(await code({ template: "apparel" }), "400 VALIDATION_FAILED")
    deepStrictEqual(
      (await rejected(host.acme, "POST", {})).errors.map(({ path }) => path),
      ["/products", "/template"]
    )
    strictEqual(await code({ template: "apparel", products: {} }), "400 VALIDATION_FAILED")
    strictEqual(await code(bodyOf([])), "400 EMPTY_REQUEST")
    const many = Array.from({ length: 101 }, (_, i) => product(`E-${i}`))
    for (const method of ["POST", "PUT", "DELETE"]) {
      strictEqual((await rejected(host.acme, method, bodyOf(many))).code, "TOO_MANY_RECORDS")
    }
    strictEqual((await write(host.acme, "POST", many.slice(1), "?dry_run=true")).success, 100)
  })

  it("values that don't fit the reference data fail only their own product, in the answer and in the status", async () => {
    await done(host.acme, "POST", [product("D-0")])
    const answer = await write(host.acme, "POST", [
      product("D-1"),
      product("D-2", { departments: ["166", "999"] }),
      product("D-3", { category: "t-shirts" }),
      product("D-4", { brand: "Globex" }),
      product("D-5", { tax_identifier: { tax_rule_id: "gst-13" } }),
      product("D-6", { hs_code: "99999999" }),
      product("D-7", { slug: "tee-d-0" }),
      product("D-0", { slug: "d-8", sizes: [size("D-8")] }),
      product("D-9", { sizes: [size("D-0-M")] }),
      product("D-10", { sizes: [size("D-10", { identifiers: [{ gtin_value: "8901234567891", gtin_type: "EAN" }] })] }),
      product("D-11", { sizes: [size("D-11-S", { size: "S" }), size("D-11-T", { size: "S" })] }),
      product("D-12", { sizes: [size("D-12", { size: "S" }), size("D-12", { size: "T" })] }),
      product("D-13", { slug: "tee-d-0", brand: "Zephyr" }),
      product("D-1", { slug: "d-14", sizes: [size("D-14")] }),
      product("D-15", { sizes: [size("D-1-M")] }),
      product("D-16", { slug: "tee-d-1" })
    ])
    const expected = [
      "1 UNKNOWN_DEPARTMENT /products/1/departments/1",
      "2 UNKNOWN_CATEGORY /products/2/category",
      "3 UNKNOWN_BRAND /products/3/brand",
      "4 UNKNOWN_TAX_RULE /products/4/tax_identifier/tax_rule_id",
      "5 UNKNOWN_HS_CODE /products/5/hs_code",
      "6 SLUG_TAKEN /products/6/slug",
      "7 ITEM_CODE_TAKEN /products/7/item_code",
      "8 SKU_TAKEN /products/8/sizes/0/primary_identifier",
      "9 GTIN_CHECK_DIGIT /products/9/sizes/0/identifiers/0/gtin_value",
      "10 DUPLICATE_SIZE /products/10/sizes/1/size",
      "11 SKU_TAKEN /products/11/sizes/1/primary_identifier",
      "13 ITEM_CODE_TAKEN /products/13/item_code",
      "14 SKU_TAKEN /products/14/sizes/0/primary_identifier",
      "15 SLUG_TAKEN /products/15/slug"
    ]
    deepStrictEqual(codes(answer.errors), expected)
    deepStrictEqual(
      [answer.total, answer.success, answer.failed, answer.status, answer.stage],
      [16, 2, 14, "PARTIAL_SUCCESS", "RUNNING"]
    )
    strictEqual(answer.errors["9"]?.suggestion, "8901234567890")
    strictEqual(answer.errors["7"]?.item_code, "D-0")
    const status = await settled(host.acme, answer)
    deepStrictEqual(codes(status.errors), expected)
    deepStrictEqual([status.total, status.success, status.failed, status.status], [16, 2, 14, "PARTIAL_SUCCESS"])
    strictEqual((await read(host.acme, "product?item_code=D-1,D-13,D-2,D-15")).total, 2)
  })

  it("a write with no accepted product is FAILED, and COMPLETED at once", async () => {
    const answer = await write(host.acme, "POST", [product("N", { brand: "None" })])
    deepStrictEqual([answer.success, answer.failed, answer.status, answer.stage], [0, 1, "FAILED", "COMPLETED"])
    strictEqual((await statusOf(host.acme, answer.trace_id)).status, "FAILED")
  })

  it("the answer has a trace_id, and 100 products are COMPLETED within a second", async () => {
    const [began, worked] = [Date.now(), processorMillis()]
    const products = Array.from({ length: 100 }, (_, i) => product(`Q-${i}`))
    const answer = await write(host.acme, "POST", products)
    assertMatch(answer.trace_id, /^[0-9a-f]{16}-\d{13}$/)
    assertTrue(Math.abs(Number(answer.trace_id.slice(17)) - began) < 10_000)
    deepStrictEqual([answer.company_id, answer.status, answer.errors], [1, "SUCCESS", {}])
    const status = await settled(host.acme, answer)
    assertTrue(processorMillis() - worked < 1000)
    deepStrictEqual([status.status, status.success, status.stage], ["SUCCESS", 100, "COMPLETED"])
    strictEqual(typeof status.message, "string")
    assertTrue(!Number.isNaN(Date.parse(status.last_updated_on ?? "")))
    const described = products.map((one) => ({ ...one, description: "New words" }))
    for (const [method, bodies, total] of [
      ["PUT", described, 100],
      ["DELETE", products.map(({ item_code }) => ({ item_code })), 0]
    ] as const) {
      strictEqual((await done(host.acme, method, bodies)).success, 100)
      strictEqual((await read(host.acme, "product?name=Tee%20Q-")).total, total)
    }
  })

  it("stock and prices accept a SKU as soon as its product is processed, and listings show it", async () => {
    await done(host.acme, "POST", [product("LIST")])
    const stock = await host.acme.call<{ data: { success_count: number } }>("PUT", "/ims/v3/inventory", [
      { location_id: "BLR1", sku: "LIST-M", quantity: 3 }
    ])
    strictEqual(stock.body.data.success_count, 1)
    const listed = await host.acme.call<{ data: ReadonlyArray<{ item_code: string; mrp: null }> }>(
      "GET",
      "/ims/v3/listings?skus=LIST-M"
    )
    deepStrictEqual(
      listed.body.data.map(({ item_code, mrp }) => [item_code, mrp]),
      [["LIST", null]],
      "a size's price is no location's price"
    )
  })

  it("an item code and a SKU may have 2,000 characters of any script, and not one more", async () => {
    const [code, sku] = ["é".repeat(2000), "字".repeat(2000)]
    await done(host.acme, "POST", [product(code, { name: "Long", slug: "two-thousand", sizes: [size(sku)] })])
    const record = { location_id: "BLR1", sku, quantity: 3 }
    const stock = await host.acme.call<{ data: { success_count: number } }>("PUT", "/ims/v3/inventory", [record])
    strictEqual(stock.body.data.success_count, 1)
    const order = TestOrders.order([TestOrders.shipmentOf([TestOrders.line(sku)])])
    strictEqual((await TestOrders.place(host.bazaar, order)).shipments.length, 1)
    const longer = product(`${code}é`, { name: "Long", slug: "longer", sizes: [size(`${sku}字`, { size: "M" })] })
    const { errors } = await rejected(host.acme, "POST", bodyOf([longer]))
    deepStrictEqual(
      errors.map(({ code, path }) => `${code} ${path}`),
      ["TOO_LONG /products/0/item_code", "TOO_LONG /products/0/sizes/0/primary_identifier"]
    )
  })

  it("a product with the attribute batch_tracked counts as a listing only if batch products are requested", async () => {
    const attributes = { color: "Black", material: "Cotton", batch_tracked: true }
    await done(host.acme, "POST", [product("BATCH", { attributes })])
    const count = async (value: string) => {
      const { body } = await host.acme.call<{ data: { listing_count: number } }>(
        "GET",
        "/ims/v3/listings/count",
        undefined,
        { "x-batch-product": value }
      )
      return body.data.listing_count
    }
    const [without, all] = [await count("FALSE"), await count("TRUE")]
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "BATCH-M", quantity: 1 }])
    deepStrictEqual([await count("FALSE"), await count("TRUE")], [without, all + 1])
  })

  it("a status is visible to its own company only; an unknown trace is 404, a missing one 400", async () => {
    const { trace_id } = await done(host.acme, "POST", [product("OWN")])
    for (const [api, trace, status] of [
      [host.globex, trace_id, 404],
      [host.acme, "nowhere", 404],
      [host.blr1, trace_id, 200]
    ] as const) {
      strictEqual((await api.call("GET", `/v3/catalog/status?trace_id=${trace}`)).status, status)
    }
    strictEqual((await host.acme.call("GET", "/v3/catalog/status")).status, 400)
  })

  it("item codes, slugs and SKUs are unique within one company only", async () => {
    await done(host.acme, "POST", [product("BOTH")])
    await done(host.globex, "POST", [product("BOTH", { brand: "Globex" })])
    strictEqual((await read(host.globex, "product?item_code=BOTH")).items[0]?.brand, "Globex")
  })

  it("location-level tokens can't write the catalog, whatever the body", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const { code, status } = await rejected(host.blr1, method, { nonsense: true })
      deepStrictEqual([status, code], [403, "FORBIDDEN"])
    }
  })

  it("a dry run returns the same answer and changes nothing", async () => {
    const sent = [product("DRY-1"), product("DRY-2", { brand: "None" }), product("DRY-1")]
    const dry = await write(host.acme, "POST", sent, "?dry_run=true")
    strictEqual((await read(host.acme, "product?item_code=DRY-1")).total, 0)
    strictEqual(Object.hasOwn(dry, "trace_id"), false)
    const real = await write(host.acme, "POST", sent)
    deepStrictEqual(
      [real.errors, real.total, real.success, real.failed, real.status],
      [dry.errors, 3, 1, 2, dry.status]
    )
    await settled(host.acme, real)
    const broken = bodyOf([product("DRY-3", { name: "", slug: "X" })])
    deepStrictEqual(
      (await rejected(host.acme, "POST", broken, "?dry_run=true")).errors,
      (await rejected(host.acme, "POST", broken)).errors
    )
    strictEqual((await rejected(host.acme, "POST", broken, "?dry_run=maybe")).errors[0]?.path, "/dry_run")
  })

  it("an Idempotency-Key returns the first answer with its trace; a dry run does not use it up", async () => {
    const call = (query = "") =>
      host.acme.call<Written>("POST", path + query, bodyOf([product("IDEM")]), { "idempotency-key": "catalog-1" })
    strictEqual((await call("?dry_run=true")).status, 200)
    const [first, second] = [await call(), await call()]
    strictEqual(second.headers["idempotent-replayed"], "true")
    deepStrictEqual(second.body, first.body)
    deepStrictEqual((await settled(host.acme, first.body)).status, "SUCCESS")
  })

  it("a catalog write may have 5 MiB, other bodies 1 MiB", async () => {
    const token = await host.tokenOf("/aggregator/v1/token", "acme")
    const headers = { "x-access-token": token, "content-type": "application/json" }
    const padded = (length: number) => {
      const text = JSON.stringify(bodyOf([product("BIG")]))
      return text + " ".repeat(length - text.length)
    }
    const limit = 5 * 1024 * 1024
    strictEqual((await host.send("POST", `${path}?dry_run=true`, headers, padded(limit))).status, 200)
    for (const method of ["POST", "PUT", "DELETE"]) {
      const over = await host.send(method, path, { ...headers, "content-length": String(limit + 1) }, padded(limit + 1))
      deepStrictEqual([over.status, over.body.code], [413, "BODY_TOO_LARGE"])
    }
    const stock = await host.send("PUT", "/ims/v3/inventory", headers, " ".repeat(1024 * 1024 + 1))
    strictEqual(stock.status, 413)
  })

  it("hostile text of a million characters is answered in milliseconds", async () => {
    const million = 1_000_000
    const hostile = ["a".repeat(million), "a-".repeat(million / 2), "-".repeat(million), "A ".repeat(million / 2)]
    for (const slug of hostile) {
      const body = bodyOf([product("H", { slug })])
      const began = processorMillis()
      const { errors, status } = await rejected(host.acme, "POST", body)
      const took = processorMillis() - began
      assertTrue(took < 400, `${took} ms`)
      deepStrictEqual([status, errors.map(({ code }) => code)], [400, ["TOO_LONG"]])
    }
  })
})

describe("an update", () => {
  const host = useHost()

  const get = async (code: string) => (await read(host.acme, `product?item_code=${code}`)).items[0]

  const partial = (more: object) => {
    const {
      attributes: _,
      brand: __,
      is_dependent: ___,
      item_code: ____,
      slug: _____,
      trader: ______,
      ...rest
    } = product("U")
    return { ...rest, ...more }
  }

  it("requires eight fields (docs/reference/catalog.md#update) and no other", async () => {
    await done(host.acme, "POST", [product("U-8")])
    const whole = partial({ item_code: "U-8", sizes: [size("U-8-M")] })
    strictEqual((await write(host.acme, "PUT", [whole], "?dry_run=true")).failed, 0)
    for (const key of [
      "item_type",
      "name",
      "departments",
      "category",
      "country_of_origin",
      "tax_identifier",
      "hs_code",
      "sizes"
    ]) {
      const { errors, status } = await rejected(host.acme, "PUT", bodyOf([{ ...whole, [key]: undefined }]))
      deepStrictEqual([status, errors.map(({ path }) => path)], [400, [`/products/0/${key}`]])
    }
  })

  it("optional fields, fields of a size and sizes that are left out stay unchanged; new sizes are added", async () => {
    await done(host.acme, "POST", [
      product("U-1", {
        tags: ["summer"],
        description: "old",
        is_dependent: true,
        sizes: [size("U-1-S", { item_weight: 180, size: "S" }), size("U-1-M", { size: "M" })]
      })
    ])
    const change = {
      item_code: "U-1",
      description: "new",
      sizes: [size("U-1-S", { price: 900, size: "S" }), size("U-1-L", { size: "L" })]
    }
    await done(host.acme, "PUT", [partial({ ...change, name: "Renamed" })])
    const item = await get("U-1")
    deepStrictEqual(
      [item?.name, item?.tags, item?.description, item?.is_dependent],
      ["Renamed", ["summer"], "new", true]
    )
    deepStrictEqual(item?.attributes, { color: "Black", material: "Cotton" })
    deepStrictEqual(
      sizesOf(item).map((one) => [one.size, one.price, one.item_weight]),
      [
        ["S", 900, 180],
        ["M", 799, undefined],
        ["L", 799, undefined]
      ]
    )
  })

  it("is_dependent also accepts words", async () => {
    await done(host.acme, "POST", [product("U-2")])
    for (const [word, value] of [
      ["Yes", true],
      ["No", false],
      ["true", true],
      ["false", false],
      [true, true]
    ]) {
      await done(host.acme, "PUT", [partial({ item_code: "U-2", sizes: [size("U-2-M")], is_dependent: word })])
      strictEqual((await get("U-2"))?.is_dependent, value)
    }
    const { errors } = await rejected(host.acme, "PUT", bodyOf([partial({ item_code: "U-2", is_dependent: "maybe" })]))
    deepStrictEqual(
      errors.map(({ path }) => path),
      ["/products/0/is_dependent"]
    )
  })

  it("finds the product by item code, else by slug with brand, else by a size's SKU; other immutable fields can't change", async () => {
    await done(host.acme, "POST", [product("K-1"), product("K-2")])
    const own = { sizes: [size("K-1-M")] }
    const outcome = async (keys: object, template = "apparel") => {
      const body = { template, products: [partial({ ...own, ...keys })] }
      return codes((await host.acme.call<Written>("PUT", `${path}?dry_run=true`, body)).body.errors)
    }
    deepStrictEqual(await outcome({ item_code: "K-1", slug: "tee-k-1", brand: "Acme", brand_uid: "1" }), [])
    deepStrictEqual(await outcome({ slug: "tee-k-1", brand: "Acme", brand_uid: 1 }), [])
    deepStrictEqual(await outcome({ slug: "tee-k-1", brand_uid: 1 }), [])
    deepStrictEqual(await outcome({}), [])
    const immutable = (field: string) => [`0 IMMUTABLE_FIELD ${field}`]
    deepStrictEqual(await outcome({ item_code: "K-1", slug: "other" }), immutable("/products/0/slug"))
    deepStrictEqual(await outcome({ item_code: "K-1", brand: "Zephyr" }), immutable("/products/0/brand"))
    deepStrictEqual(await outcome({ item_code: "K-1", brand_uid: 2 }), immutable("/products/0/brand_uid"))
    deepStrictEqual(
      await outcome({ item_code: "K-9", slug: "tee-k-1", brand: "Acme" }),
      immutable("/products/0/item_code")
    )
    deepStrictEqual(await outcome({ item_code: "K-9" }), immutable("/products/0/item_code"))
    const home = { item_code: "K-1", departments: ["166", "536"] }
    deepStrictEqual(await outcome(home, "home-garden"), immutable("/template"))
    deepStrictEqual(await outcome({ item_code: "K-9", sizes: [size("K-9")] }), [
      "0 UNKNOWN_PRODUCT /products/0/item_code"
    ])
    deepStrictEqual(await outcome({ item_code: "K-1", sizes: [size("K-2-M")] }), [
      "0 SKU_TAKEN /products/0/sizes/0/primary_identifier"
    ])
  })

  it("a product of another company is unknown", async () => {
    await done(host.acme, "POST", [product("OTHER")])
    const answer = await write(host.globex, "PUT", [partial({ item_code: "OTHER", sizes: [size("OTHER-M")] })])
    deepStrictEqual(codes(answer.errors), ["0 UNKNOWN_PRODUCT /products/0/item_code"])
  })

  it("attributes that stay must fit the new category, and no two sizes may have the same name", async () => {
    await done(host.acme, "POST", [
      product("C-1", { category: "Hats", attributes: {} }),
      product("C-2", { sizes: [size("C-2-M", { size: "M" })] })
    ])
    const answer = await write(host.acme, "PUT", [
      partial({ item_code: "C-1", sizes: [size("C-1-M")] }),
      partial({ item_code: "C-2", sizes: [size("C-2-N", { size: "M" })] })
    ])
    deepStrictEqual(codes(answer.errors), [
      "0 REQUIRED /products/0/attributes/color",
      "1 DUPLICATE_SIZE /products/1/sizes/0/size"
    ])
  })

  it("stock and prices of its sizes are kept", async () => {
    await done(host.acme, "POST", [product("KEEP")])
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "KEEP-M", quantity: 7 }])
    await done(host.acme, "PUT", [partial({ item_code: "KEEP", sizes: [size("KEEP-M")], name: "Kept" })])
    const { body } = await host.acme.call<{ data: ReadonlyArray<{ name: string; quantity: number }> }>(
      "GET",
      "/ims/v3/listings?skus=KEEP-M"
    )
    deepStrictEqual(
      body.data.map(({ name, quantity }) => [name, quantity]),
      [["Kept", 7]]
    )
  })
})

describe("a delete", () => {
  const host = useHost()

  const total = async (code: string) => (await read(host.acme, `product?item_code=${code}`)).total
  const rows = async (...skus: ReadonlyArray<string>) =>
    (
      await host.acme.call<{ data: ReadonlyArray<{ sku: string }> }>("GET", `/ims/v3/listings?skus=${skus.join(",")}`)
    ).body.data.map(({ sku }) => sku)

  it("deletes a whole product with its stock and prices; its names are free again and start without stock", async () => {
    await done(host.acme, "POST", [product("X-1")])
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "X-1-M", quantity: 7 }])
    await host.acme.call("PUT", "/ims/v3/price", [
      { location_id: "BOM1", sku: "X-1-M", mrp: 10, esp: 9, currency: "INR" }
    ])
    strictEqual((await rows("X-1-M")).length, 2)
    await done(host.acme, "DELETE", [{ name: "Tee", item_code: "X-1", slug: "tee-x-1", brand: "Acme", brand_uid: "1" }])
    strictEqual(await total("X-1"), 0)
    deepStrictEqual(await rows("X-1-M"), [])
    await done(host.acme, "POST", [product("X-1")])
    deepStrictEqual(await rows("X-1-M"), [])
  })

  it("deletes single sizes, and the product with its last size", async () => {
    await done(host.acme, "POST", [product("X-2", { sizes: [size("X-2-S"), size("X-2-M"), size("X-2-L")] })])
    const one = (...skus: ReadonlyArray<string>) => ({
      item_code: "X-2",
      sizes: skus.map((sku) => ({ primary_identifier: sku, size: "x", identifiers: [] }))
    })
    await done(host.acme, "DELETE", [one("X-2-S")])
    const [item] = (await read(host.acme, "product?item_code=X-2")).items
    deepStrictEqual(
      sizesOf(item).map(({ size }) => size),
      ["X-2-M", "X-2-L"]
    )
    await done(host.acme, "DELETE", [one("X-2-M", "X-2-L")])
    strictEqual(await total("X-2"), 0)
  })

  it("finds the product by item code, else by slug with brand; unknown products and other keys that differ are rejected", async () => {
    await done(host.acme, "POST", [product("X-3")])
    const outcome = async (keys: object) => codes((await write(host.acme, "DELETE", [keys], "?dry_run=true")).errors)
    deepStrictEqual(await outcome({ item_code: "X-3", brand_uid: 1 }), [])
    deepStrictEqual(await outcome({ slug: "tee-x-3", brand: "Acme" }), [])
    deepStrictEqual(await outcome({ slug: "tee-x-3", brand: "Zephyr" }), ["0 UNKNOWN_PRODUCT /products/0/slug"])
    deepStrictEqual(await outcome({ item_code: "X-3", slug: "x" }), ["0 IMMUTABLE_FIELD /products/0/slug"])
    deepStrictEqual(await outcome({ item_code: "X-3", brand_uid: "2" }), ["0 IMMUTABLE_FIELD /products/0/brand_uid"])
    deepStrictEqual(await outcome({ item_code: "nowhere" }), ["0 UNKNOWN_PRODUCT /products/0/item_code"])
    deepStrictEqual(await outcome({ item_code: "X-3", sizes: [{ primary_identifier: "X-9" }] }), [
      "0 UNKNOWN_SKU /products/0/sizes/0/primary_identifier"
    ])
    deepStrictEqual(codes((await write(host.globex, "DELETE", [{ item_code: "X-3" }])).errors), [
      "0 UNKNOWN_PRODUCT /products/0/item_code"
    ])
  })

  it("an empty list of sizes is 400, and never deletes the whole product", async () => {
    await done(host.acme, "POST", [product("X-4"), product("X-6")])
    const { errors, status } = await rejected(
      host.acme,
      "DELETE",
      bodyOf([{ item_code: "X-6" }, { item_code: "X-4", sizes: [] }])
    )
    deepStrictEqual([status, errors.map(({ path }) => path)], [400, ["/products/1/sizes"]])
    deepStrictEqual([await total("X-4"), await total("X-6")], [1, 1])
  })

  it("a department that has no text or number is rejected, whatever its keys are", async () => {
    const wrong = product("X-9", { departments: [{ toString: 1, valueOf: 2 }] })
    for (const method of ["POST", "PUT"]) {
      const { errors, status } = await rejected(host.acme, method, bodyOf([wrong]))
      deepStrictEqual([status, errors[0]?.path], [400, "/products/0/departments/0"])
    }
  })

  it("products with the wrong shape are rejected one by one, and the others are deleted", async () => {
    await done(host.acme, "POST", [product("X-7")])
    const wrong = [
      [null, "/products/0"],
      [{ item_code: 5 }, "/products/0/item_code"],
      [{ item_code: "X-4", sizes: "all" }, "/products/0/sizes"],
      [{ item_code: "X-4", sizes: [{}] }, "/products/0/sizes/0/primary_identifier"],
      [{ brand: "Acme" }, "/products/0/item_code"],
      [{ slug: "tee-x-4" }, "/products/0/item_code"],
      [{ item_code: "X-4", brand_uid: {} }, "/products/0/brand_uid"]
    ] as const
    for (const [keys, at] of wrong) {
      const answer = await write(host.acme, "DELETE", [keys])
      deepStrictEqual(
        [answer.status, answer.stage, codes(answer.errors)],
        ["FAILED", "COMPLETED", [`0 INVALID_RECORD ${at}`]]
      )
    }
    const sent = [null, { item_code: "X-7" }, { item_code: "nowhere" }, { item_code: "X-4", sizes: [{}] }]
    const entries = [
      "0 INVALID_RECORD /products/0",
      "2 UNKNOWN_PRODUCT /products/2/item_code",
      "3 INVALID_RECORD /products/3/sizes/0/primary_identifier"
    ]
    const dry = await write(host.acme, "DELETE", sent, "?dry_run=true")
    const answer = await write(host.acme, "DELETE", sent)
    for (const one of [dry, answer, await settled(host.acme, answer)]) {
      deepStrictEqual([one.status, one.total, one.success, one.failed], ["PARTIAL_SUCCESS", 4, 1, 3])
      deepStrictEqual(codes(one.errors), entries)
    }
    strictEqual((answer.errors["3"] as { readonly item_code?: string }).item_code, "X-4")
    deepStrictEqual([await total("X-4"), await total("X-7")], [1, 0])
  })

  it("is rejected while a shipment with it is open, even if nothing is reserved any more", async () => {
    await done(host.acme, "POST", [product("X-5", { sizes: [size("X-5-S"), size("X-5-M")] })])
    await host.acme.call("PUT", "/ims/v3/inventory", [{ location_id: "BLR1", sku: "X-5-S", quantity: 5 }])
    const placed = await TestOrders.place(
      host.bazaar,
      TestOrders.order([TestOrders.shipmentOf([TestOrders.line("X-5-S", 2)])])
    )
    const keys = { item_code: "X-5" }
    const answer = await write(host.acme, "DELETE", [keys])
    deepStrictEqual(codes(answer.errors), ["0 OPEN_SHIPMENTS /products/0"])
    deepStrictEqual(codes((await statusOf(host.acme, answer.trace_id)).errors), ["0 OPEN_SHIPMENTS /products/0"])
    await done(host.acme, "DELETE", [{ ...keys, sizes: [{ primary_identifier: "X-5-M" }] }])
    const id = placed.shipments[0]?.shipment_id
    const [shipment] = (
      await host.acme.call<ReadonlyArray<{ orderItems: ReadonlyArray<{ orderItemId: string }> }>>(
        "GET",
        `${TestOrders.shipment}?orderId=${id}`
      )
    ).body
    const items = shipment?.orderItems.map(({ orderItemId }) => ({ orderItemId, quantity: 2, reasonCode: "6" }))
    const cancelled = await host.acme.call<{ successCount: number }>("POST", `${TestOrders.shipment}/cancel`, [
      { orderId: id, orderItems: items }
    ])
    strictEqual(cancelled.body.successCount, 1, JSON.stringify(cancelled.body))
    await done(host.acme, "DELETE", [keys])
    strictEqual(await total("X-5"), 0)
  })
})
