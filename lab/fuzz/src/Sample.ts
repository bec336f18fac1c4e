/** Valid requests of an operation, made from its schemas. Bodies whose parts depend on each other are written out. */

import * as Charges from "@crossdock/histories/Charges"
import * as Choice from "@crossdock/histories/Choice"
import type { Random } from "@crossdock/system-tests/Random"
import type { Knowledge } from "./Knowledge.ts"
import type { Operation, Schema } from "./Operation.ts"
import * as Request from "./Request.ts"
import type { SignedIn } from "./SignedIn.ts"

/** How to make values. With `full`, every optional field is present. */
interface Making {
  readonly draw: Random
  readonly known: Knowledge
  readonly full: boolean
}

const numbers = ({ draw }: Making, { maximum, minimum }: Schema): number => {
  const from = typeof minimum === "number" && minimum > -1e6 ? minimum : 1
  const to = typeof maximum === "number" ? Math.min(maximum, from + 9) : from + 9
  return Choice.between(draw, from, to)
}

const fits = (schema: Schema, value: unknown): boolean =>
  schema.type === undefined || typeof value === schema.type || (schema.type === "integer" && Number.isInteger(value))

/** A value of the schema, for a field with this name. */
const sampleOf = (making: Making, schema: Schema, name: string): unknown => {
  const { draw, full, known } = making
  if (Array.isArray(schema.enum)) return Choice.oneOf(draw, schema.enum)
  if (Array.isArray(schema.anyOf)) {
    const all = schema.anyOf as ReadonlyArray<Schema>
    return sampleOf(making, all.find(({ type }) => type !== "null") ?? {}, name)
  }
  const remembered = known.valueOf(name)
  if (remembered !== undefined && fits(schema, remembered)) return remembered
  switch (schema.type) {
    case "object": {
      const required = Array.isArray(schema.required) ? schema.required : []
      const fields = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>).filter(
        ([key]) => full || required.includes(key) || Choice.isChance(draw, 0.5)
      )
      return Object.fromEntries(fields.map(([key, one]) => [key, sampleOf(making, one, key)]))
    }
    case "array":
      return Array.from({ length: full ? 1 : Choice.between(draw, 1, 3) }, () =>
        sampleOf(making, (schema.items ?? {}) as Schema, name)
      )
    case "integer":
      return numbers(making, schema)
    case "number":
      return numbers(making, schema) + 0.25
    case "boolean":
      return Choice.isChance(draw, 0.5)
    case "null":
      return null
    default:
      return `${name} ${Choice.between(draw, 1, 99)}`
  }
}

/** The host's own fields, for a record that has all of them. */
const fieldsOf = ({ known }: Making, custom_fields: object) => (known.isOwn ? { custom_fields } : {})

const product = (making: Making, code = making.known.newId()) => ({
  item_type: "standard",
  name: `Tee ${code}`,
  slug: `tee-${code.toLowerCase()}`,
  departments: ["166"],
  category: "T-Shirts",
  brand: "Acme",
  item_code: code,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [
    {
      primary_identifier: `SKU-${code}`,
      size: "M",
      price: 799,
      price_effective: 499.5,
      item_length: 30,
      item_width: 25,
      item_height: 2,
      item_weight: 180,
      track_inventory: true
    }
  ],
  trader: [{ type: "Seller", name: "Acme", address: ["1 Market Road"] }],
  attributes: { color: "Black", material: "Cotton" },
  is_dependent: Choice.isChance(making.draw, 0.5),
  ...fieldsOf(making, { recycled: Choice.isChance(making.draw, 0.5), care: "30°" })
})

const changedProduct = (making: Making) => {
  const code = making.known.oneOf("ownItem") ?? making.known.newId()
  return { ...product(making, String(code)), name: `Changed ${code}` }
}

const address = {
  name: "A Customer",
  phone: "+91 80 0000 0000",
  address1: "1 Market Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const order = (making: Making) => {
  const { draw, full, known } = making
  const quantity = Choice.between(draw, 1, 3)
  const sent = 100 * quantity - 5 - 2 + 3 + 10
  const total = known.isOwn ? Charges.totalWith("COD", sent * 100) / 100 : sent
  const line = {
    external_line_id: "L1",
    sku: known.oneOf("sku"),
    quantity,
    mrp: 120,
    esp: 100,
    discount: 5,
    coupon_discount: 2,
    delivery_charge: 3,
    tax: { rate: 12, amount: 9.5 },
    ...fieldsOf(making, { batch: "B7", engraving: "for Asha" })
  }
  const shipment = {
    external_shipment_id: "S1",
    location_id: known.oneOf("location"),
    fulfillment_type: Choice.oneOf(draw, ["SELLER", "MARKETPLACE"]),
    is_self_ship: Choice.isChance(draw, 0.5),
    lines: [line]
  }
  const least = {
    external_order_id: known.newId(),
    ordering_currency: "INR",
    billing_address: address,
    shipping_address: address
  }
  if (!full)
    return {
      ...least,
      payment: { mode: "PREPAID" },
      shipments: [{ ...shipment, lines: [{ sku: line.sku, quantity, esp: 100 }] }]
    }
  const whole = { ...address, email: "a.customer@example.com", address2: "Floor 2", landmark: "the market" }
  const times = {
    pack_after: "2026-05-04T10:20:30Z",
    pack_by: "2026-05-05T10:20:30Z",
    dispatch_by: "2026-05-06T10:20:30Z",
    deliver_by: "2026-05-07T10:20:30+05:30"
  }
  return {
    ...least,
    order_date: "2026-05-04T10:20:30Z",
    payment: { mode: "COD", methods: [{ mode: "COD", name: "Cash", amount: total }] },
    customer: { name: "A Customer", phone: "+91 80 0000 0000", email: "a.customer@example.com" },
    billing_address: whole,
    shipping_address: whole,
    coupon: { code: "SUMMER", amount: 2, ownership: Choice.oneOf(draw, ["SELLER", "MARKETPLACE"]) },
    charges: [{ name: "Gift wrap", type: "gift", amount: 10, tax: { rate: 18, amount: 1.5 } }],
    tax_info: { gstin: "29AAAAA0000A1Z5" },
    total_amount: total,
    shipments: [{ ...shipment, delivery: times, ...fieldsOf(making, { priority: 7, door: "the second" }) }],
    meta: { channel: "app", nested: { list: [1, "two", null] } },
    ...fieldsOf(making, { po_number: known.oneOf("poNumber"), gift_note: "for Asha" })
  }
}

const price = { amount: 100, currency_code: "INR" }
const charge = {
  name: "Extra",
  price,
  capped_amount: 500,
  is_test: false,
  metadata: { key: "value" },
  term: "once",
  pricing_type: "one_time"
}
const returnUrl = "https://example.com/return?from=crossdock"

const stated = ({ draw, known }: Making) => ({
  log_meta: {
    application: "app-1",
    entity: { type: Choice.oneOf(draw, ["sales-channel", "order"]), id: known.newId(), action: "update" },
    modifier: { user_id: "u-1", as_administrator: false, user_details: { name: "A User" } },
    device_info: { user_agent: "Mozilla/5.0 (X11; Linux x86_64)", extra_meta: {} },
    location: { country: "India" },
    sessions: "s-1"
  },
  log_payload: { request: { a: 1 }, response: "ok", before: { status: "x" }, password: "hidden" }
})

/** Bodies that are written out. Deletes are limited to products that the fuzzer made. */
const bodies: Readonly<Record<string, (making: Making, caller: SignedIn | undefined) => unknown>> = {
  "seller token.body": () => ({ username: "acme", password: "acme-secret" }),
  "operator token.body": () => ({ username: "root", password: "root-secret" }),
  "operator companies.put": ({ draw, full }) => ({
    ...{ name: `Company ${Choice.between(draw, 1, 99)}`, legalName: "Company Ltd" },
    ...(full ? { locations: [{ code: "NGT1", name: "Night Market 1", currency: "INR", handlingHours: 12 }] } : {})
  }),
  "operator companies.sellers": ({ draw, known }) =>
    [known.newId(), known.newId()].map((username) => ({
      ...{ id: Choice.between(draw, 100, 999_999), name: username, legalName: username, locations: [], username },
      password: "a long random text"
    })),
  "operator accounts.put": () => ({ companyId: 7, password: "a long random text" }),
  "operator accounts.change": ({ draw }) => ({ enabled: Choice.isChance(draw, 0.5) }),
  "operator marketplaces.put": () => ({
    ...{ name: "Night Market", currency: "INR", password: "a long random text" },
    locations: [{ companyId: 7, location: "NGT1", code: "N-1" }]
  }),
  "operator plans.put": ({ draw }) => ({
    name: "Night",
    price: Choice.between(draw, 0, 900),
    currency: "INR",
    interval: "month"
  }),
  "operator brands.put": ({ draw }) => ({
    brands: [{ uid: Choice.between(draw, 9_000, 9_009), name: `Brand ${Choice.between(draw, 1, 9_999)}` }]
  }),
  "marketplace token.body": () => ({ username: "bazaar", password: "bazaar-secret" }),
  "seller products.create": (making) => ({ template: "apparel", products: [product(making)] }),
  "seller products.update": (making) => ({ template: "apparel", products: [changedProduct(making)] }),
  "seller products.delete": ({ known }) => ({
    template: "apparel",
    products: [{ item_code: known.oneOf("ownItem") ?? known.newId() }]
  }),
  "seller price.update": ({ draw, known }) => [
    {
      location_id: known.oneOf("location"),
      sku: known.oneOf("sku"),
      esp: Choice.between(draw, 1, 50),
      mrp: 99.5,
      currency: "INR"
    }
  ],
  "marketplace orders.create": order,
  "platform audit.create": stated,
  "platform billing.createSubscription": ({ draw }) => ({
    name: "Pro",
    return_url: returnUrl,
    is_test: Choice.isChance(draw, 0.5),
    trial_days: 7,
    line_items: [
      {
        ...charge,
        term: "monthly",
        pricing_type: "recurring",
        recurring: { interval: Choice.oneOf(draw, ["month", "year"]) },
        trial_days: 7
      }
    ]
  }),
  "platform billing.createCharge": () => ({ name: "Setup", return_url: returnUrl, is_test: false, charge })
}

const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "seller token.query": { username: "acme", password: "acme-secret" },
  "marketplace token.query": { username: "bazaar", password: "bazaar-secret" }
}

const basic = `Basic ${Buffer.from("ops:ops-secret").toString("base64")}`

/** A valid request with known ids. It may still fail. */
export const make = (
  operation: Operation,
  caller: SignedIn | undefined,
  draw: Random,
  known: Knowledge,
  full: boolean
): Request.Request => {
  const making = { draw, known, full }
  const body = bodies[operation.id]
  const link = operation.path.includes("{document}") ? known.oneOf(operation.id) : undefined
  const wanted = operation.parameters.filter(
    ({ in: place, required }) => place === "query" && (required || full || Choice.isChance(draw, 0.4))
  )
  const query = Object.entries(
    queries[operation.id] ??
      Object.fromEntries(wanted.map(({ name, schema }) => [name, String(sampleOf(making, schema, name))]))
  )
  const slug = caller?.interface === "marketplace" ? { marketplace_slug: caller.name } : {}
  const company = caller?.interface === "platform" ? { company_id: String(caller.company) } : {}
  // Operators change only data that other requests don't use.
  const ofOperator = { company_id: "7", slug: `night-${Choice.between(draw, 1, 9)}`, username: "night", id: "night" }
  const own = operation.interface === "operator" ? ofOperator : {}
  const path = operation.parameters
    .filter((one) => one.in === "path")
    .map(({ name, schema }) => [name, String(sampleOf(making, schema, name))] as const)
  return Request.make(operation, caller, {
    path: { ...Object.fromEntries(path), ...slug, ...company, ...own },
    query: link === undefined ? query : [],
    headers: operation.id === "platform token.token" ? { authorization: basic } : {},
    body:
      operation.body === undefined
        ? undefined
        : body === undefined
          ? sampleOf(making, operation.body.schema, operation.id)
          : body(making, caller),
    ...(link === undefined ? {} : { target: String(link) })
  })
}
