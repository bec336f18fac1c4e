/**
 * The examples of the OpenAPI documents: requests to a new sandbox with its day, in any order, and the answers that a test
 * compares. Source: docs/reference/host.md#day.
 */
import answers from "./answers.json" with { type: "json" }

/** A request of an operation. */
export interface Example {
  /** Such as `seller stock.update`. */
  readonly operation: string
  /** Names the example among those of its operation. */
  readonly title: string
  /** The key by which links refer to its answer. */
  readonly key?: string
  /** The sandbox account whose token is sent. */
  readonly as?: Account
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The request's whole address: a place in an earlier answer. */
  readonly link?: readonly [key: string, pointer: string]
  /** The request is repeated until its answer has this value at this place: background work may still be running. */
  readonly until?: readonly [pointer: string, value: unknown]
}

type Account = "acme" | "bazaar" | "ops"

/** The recorded answer to an example. An answer that is not JSON has no body here. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly body?: unknown
}

/** The value at a JSON Pointer; undefined if it doesn't exist. */
export const valueAt = (body: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), body)

/** An example with its link, by the answers so far. */
export const resolved = ({ link, ...example }: Example, bodyOf: (key: string) => unknown) => ({
  ...example,
  link: link && String(valueAt(bodyOf(link[0]), link[1]))
})

const by =
  (interfaceName: "seller" | "marketplace" | "platform", as: Account, path?: Readonly<Record<string, string>>) =>
  (operation: string, title: string, more: Omit<Example, "operation" | "title" | "as"> = {}): Example => ({
    operation: `${interfaceName} ${operation}`,
    title,
    as,
    ...more,
    ...(path === undefined ? {} : { path: { ...path, ...more.path } })
  })

const acme = by("seller", "acme")
const bazaar = by("marketplace", "bazaar", { marketplace_slug: "bazaar" })
const ops = by("platform", "ops", { company_id: "1" })

const product = (item_code: string, name: string, slug: string) => ({
  item_type: "standard",
  name,
  slug,
  departments: ["166"],
  category: "T-Shirts",
  brand: "Acme",
  item_code,
  country_of_origin: "India",
  tax_identifier: { tax_rule_id: "gst-12" },
  hs_code: "610910",
  sizes: [
    {
      primary_identifier: `${item_code}-M`,
      size: "M",
      price: 799,
      price_effective: 499,
      item_length: 30,
      item_width: 25,
      item_height: 2,
      item_weight: 180,
      track_inventory: true
    }
  ],
  trader: [{ type: "Manufacturer", name: "Kaveri Mills", address: ["1 Market Road", "Bengaluru 560001"] }],
  attributes: { color: "Black", material: "Cotton" },
  is_dependent: false
})

const address = {
  name: "Asha Rao",
  phone: "+91 80 0000 0000",
  address1: "12 Lake View Road",
  city: "Bengaluru",
  state: "Karnataka",
  pincode: "560001",
  country: "India"
}

const order = (external_order_id: string, mode: "COD" | "PREPAID", quantity: number) => ({
  external_order_id,
  ordering_currency: "INR",
  order_date: "2026-01-31T09:00:00.000Z",
  payment: { mode },
  billing_address: address,
  shipping_address: address,
  shipments: [
    {
      external_shipment_id: `${external_order_id}-1`,
      location_id: "BLR1",
      lines: [
        {
          external_line_id: "1",
          sku: "85123A",
          quantity,
          mrp: 320,
          esp: 299.5,
          tax: { rate: 12, amount: 32.09 * quantity }
        }
      ]
    }
  ]
})

const charge = { name: "Setup", price: { amount: 500, currency_code: "INR" }, pricing_type: "one_time", term: "once" }

const extension = { extension_id: "ext1" }

/** The shipments and items of the day's orders, by the order's number. */
const shipment = (order: number) => `1769860800000${order}002`
const item = (order: number) => ({ orderItemId: `1769860800000${order}003`, quantity: 2 })
const returned = (order: number) => `1769860800000${order}101`

const reported = (order: number, status: string, more: object = {}) => ({
  body: [{ order_id: shipment(order), isSelfShip: true, status, ...more }]
})

/** Every request. Only those of links need the answer to an earlier one. */
export const examples: ReadonlyArray<Example> = [
  { operation: "seller token.body", title: "Sign in", body: { username: "acme", password: "acme-secret" } },
  { operation: "seller token.query", title: "Sign in", query: { username: "acme", password: "acme-secret" } },
  acme("catalog.departments", "By name", { query: { name: "app" } }),
  acme("catalog.categories", "Level 3 of a department", { query: { level: "3", department: "166", page_size: "2" } }),
  acme("catalog.brands", "All brands"),
  acme("catalog.templates", "Of a department", { query: { department: "apparel" } }),
  acme("catalog.attributes", "Of T-shirts", { query: { category: "T-Shirts" } }),
  acme("catalog.hsCodes", "By a part of the code", { query: { search: "6109", page_size: "2" } }),
  acme("catalog.taxRules", "By name", { query: { rule_name: "12", page_size: "1" } }),
  acme("products.create", "A T-shirt in one size", {
    body: { template: "apparel", products: [product("TEE-1", "Plain T-shirt", "plain-t-shirt")] }
  }),
  acme("products.status", "After a create", { query: { trace_id: "e000000000001001-1769860800000" } }),
  acme("products.status", "After an update of which a product was rejected", {
    query: { trace_id: "e000000000002001-1769860800000" }
  }),
  acme("catalog.products", "By item code", { query: { item_code: "TEE-2" } }),
  acme("products.update", "Another name", {
    body: { template: "apparel", products: [product("TEE-2", "Black striped T-shirt", "striped-t-shirt")] }
  }),
  acme("products.delete", "By item code", { body: { template: "apparel", products: [{ item_code: "TEE-3" }] } }),
  acme("price.update", "One SKU", {
    body: [{ location_id: "BLR1", sku: "85123A", mrp: 320, esp: 299.5, currency: "INR" }]
  }),
  acme("stock.update", "One SKU", { body: [{ location_id: "BLR1", sku: "85123A", quantity: 100 }] }),
  acme("stock.update", "One SKU, and one that is unknown", {
    body: [
      { location_id: "BLR1", sku: "85123A", quantity: 90 },
      { location_id: "BLR1", sku: "NO-SUCH-SKU", quantity: 5 }
    ]
  }),
  acme("listings.page", "Of one SKU", { query: { skus: "85123A" } }),
  acme("listings.count", "Without batch-tracked articles"),
  {
    operation: "marketplace token.body",
    title: "Sign in",
    path: { marketplace_slug: "bazaar" },
    body: { username: "bazaar", password: "bazaar-secret" }
  },
  {
    operation: "marketplace token.query",
    title: "Sign in",
    path: { marketplace_slug: "bazaar" },
    query: { username: "bazaar", password: "bazaar-secret" }
  },
  bazaar("orders.create", "Prepaid", { body: order("BZ-2001", "PREPAID", 2) }),
  bazaar("orders.create", "Cash on delivery", { body: order("BZ-2002", "COD", 1) }),
  bazaar("orders.read", "By its id", { query: { platform_order_id: "19c13ec9e000000001008001" } }),
  acme("shipments.read", "New ones at a location", {
    query: { orderStatus: "CREATED", locationCode: "BLR1", pageSize: "1" }
  }),
  acme("shipments.read", "By its id", { query: { orderId: shipment(1026) } }),
  acme("shipments.info", "New ones", { query: { orderStatus: "CREATED", pageSize: "1" } }),
  acme("shipments.confirm", "All items", {
    body: [{ orderId: shipment(1026), orderItems: [item(1026)] }]
  }),
  acme("shipments.cancel", "A whole shipment", {
    body: [
      {
        orderId: shipment(1025),
        orderItems: [{ ...item(1025), reasonCode: "out of stock" }]
      }
    ]
  }),
  acme("shipments.invoiceUpdate", "An invoice", {
    body: [
      {
        orderId: shipment(1022),
        invoiceNumber: "ACME-1022",
        invoiceType: "sale",
        packages: [
          { packageId: "P1", packageLengthCm: 30, packageWidthCm: 20, packageHeightCm: 15, packageWeightGms: 900 }
        ]
      }
    ]
  }),
  acme("shipments.awb", "Without dispatching", {
    body: [{ orderId: shipment(1020), awbNumber: "AWB1020", courierName: "Road Runner", autoDispatch: false }]
  }),
  acme("shipments.pack", "One shipment", { body: [{ orderId: shipment(1019) }] }),
  acme("documents.labels", "On A6", { query: { printSize: "a6" }, body: [{ orderId: shipment(1018) }] }),
  acme("documents.invoice", "On A4", { query: { printSize: "a4" }, body: [{ orderId: shipment(1018) }] }),
  acme("shipments.read", "With its documents", { key: "packed", query: { orderId: shipment(1018) } }),
  { operation: "seller documentLinks.open", title: "A label", link: ["packed", "/0/labelPdfUrl"] },
  acme("shipments.courierDetails", "One shipment, and one that is unknown", {
    body: [{ orderId: shipment(1018) }, { orderId: "10000000000000000000" }]
  }),
  acme("shipments.dispatch", "One shipment", { body: [{ orderId: shipment(1018) }] }),
  acme("shipments.status", "Out for delivery", {
    body: [{ orderId: shipment(1017), orderStatus: "out_for_delivery", meta: { dpLocation: "Bengaluru hub" } }]
  }),
  acme("shipments.track", "By its AWB number", { body: { awb_number: "AWB1016" } }),
  bazaar("orders.status", "Delivered", reported(1016, "delivery_done")),
  bazaar(
    "orders.status",
    "A return",
    reported(1008, "return_initiated", {
      meta: { return_id: "RET-1", items: [{ external_line_id: "1", quantity: 1, reason: "too small" }] }
    })
  ),
  bazaar("orders.read", "With a return", {
    query: { platform_order_id: "19c13ec9e000000001007001" }
  }),
  bazaar("orders.awb", "Of a return", {
    body: [
      {
        orderId: returned(1007),
        awbNumber: "AWB2001",
        courierName: "Road Runner",
        autoDispatch: false,
        isSelfShip: true
      }
    ]
  }),
  bazaar("orders.status", "On its way back", {
    body: [
      { order_id: returned(1006), isSelfShip: true, status: "return_bag_in_transit" },
      { order_id: returned(1006), isSelfShip: true, status: "return_bag_delivered" }
    ]
  }),
  acme("shipments.return", "One bad unit", {
    body: [
      {
        orderId: returned(1004),
        badQc: true,
        orderItems: [{ ...item(1004), quantity: 1, reasonCode: 113 }]
      }
    ]
  }),
  {
    operation: "platform token.token",
    title: "Sign in",
    path: { company_id: "1" },
    headers: { authorization: `Basic ${btoa("ops:ops-secret")}` },
    body: { grant_type: "client_credentials" }
  },
  ops("audit.create", "A change of a sales channel", {
    body: {
      log_meta: {
        application: "channel-manager",
        entity: { type: "sales-channel", id: "web", action: "update" },
        modifier: { user_id: "u-1", user_details: { name: "Asha Rao" } },
        device_info: { user_agent: "Mozilla/5.0 (X11; Linux x86_64)" }
      },
      log_payload: { before: { status: "paused" }, after: { status: "live" } }
    }
  }),
  ops("audit.logs", "Of one kind", { query: { qs: "entity.type:sales-channel", limit: "1" } }),
  ops("audit.log", "By its id", { path: { id: "00000000000c000000006001" } }),
  ops("audit.entityTypes", "All"),
  ops("billing.putCustomer", "All fields", {
    body: {
      unique_id: "1",
      name: "Acme Retail",
      email: "billing@acme.example",
      phone: { phone_country_code: "91", phone_number: "80 0000 0000" },
      billing_address: {
        line1: "1 Market Road",
        city: "Bengaluru",
        state: "Karnataka",
        country: "India",
        postal_code: "560001"
      }
    }
  }),
  ops("billing.customer", "The company's"),
  ops("billing.checkValidity", "Ten percent off", { query: { plan: "basic", coupon_code: "WELCOME10" } }),
  ops("billing.activate", "A plan without a trial", { body: { unique_id: "1", plan_id: "growth" } }),
  ops("billing.invoices", "The newest", {
    query: { limit: "1" },
    until: ["/data/0/current_status", "paid"]
  }),
  ops("billing.current", "The company's"),
  ops("billing.currentLimit", "The company's"),
  ops("billing.invoice", "By its id", { key: "invoice", path: { invoice_id: "4bfe72ba469386cbc79fbaa1" } }),
  { operation: "platform invoiceDocuments.open", title: "An invoice", link: ["invoice", "/invoice/invoice_url"] },
  ops("billing.createSubscription", "Monthly, with a trial", {
    path: extension,
    body: {
      name: "Pro",
      return_url: "https://extension.example.com/return",
      trial_days: 7,
      line_items: [
        {
          name: "Pro plan",
          term: "monthly",
          pricing_type: "recurring",
          recurring: { interval: "month" },
          price: { amount: 1000, currency_code: "INR" }
        }
      ]
    }
  }),
  ops("billing.subscription", "Accepted", {
    path: { ...extension, subscription_id: "19c13ec9e000000000004002" }
  }),
  ops("billing.cancel", "A subscription", {
    path: { ...extension, subscription_id: "19c13ec9e000000000004002" }
  }),
  ops("billing.createCharge", "A setup", {
    key: "charge",
    path: extension,
    body: { name: "Setup", return_url: "https://extension.example.com/return", charge }
  }),
  ops("billing.charge", "By its id", { path: { ...extension, charge_id: "19c13ec9e000000000005002" } }),
  { operation: "platform confirm.page", title: "Of a charge", link: ["charge", "/confirm_url"] },
  {
    operation: "platform confirm.decide",
    title: "Accept",
    link: ["charge", "/confirm_url"],
    body: { decision: "accept" }
  }
]

/** The recorded answers, in the order of the examples. */
export const recorded: ReadonlyArray<Answer> = answers

/** The examples of the documents, with their answers. */
export const shown = (): ReadonlyArray<readonly [ReturnType<typeof resolved>, Answer | undefined]> => {
  const bodies = new Map(examples.map(({ key }, at) => [key, recorded[at]?.body]))
  return examples.map((example, at) => [resolved(example, (key) => bodies.get(key)), recorded[at]])
}
