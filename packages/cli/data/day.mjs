/** Writes day.json: the requests of a retailer's day. Their new ids begin at `ids`, so that later ones can name them. */
import { writeFileSync } from "node:fs"

const place = { city: "Bengaluru", state: "Karnataka", pincode: "560001", country: "India" }
const customers = [
  ["Asha Rao", "12 Lake View Road"],
  ["Kabir Shah", "4 Temple Street"],
  ["Meera Iyer", "27 Park Lane"]
].map(([name, address1]) => ({ name, phone: "+91 80 0000 0000", address1, ...place }))
/** SKU, MRP, ESP and stock. */
const goods = [
  ["85123A", 320, 299.5, 100],
  ["22423", 1599, 1338.75, 60],
  ["84029G", 450, 355.95, 40],
  ["22752", 990, 803.25, 25]
]
const ops = "/service/platform"
const billing = `${ops}/billing/v1.0/company/1`

const product = (item_code, name, more = {}) => ({
  item_type: "standard",
  name,
  slug: name.toLowerCase().replaceAll(" ", "-"),
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
  is_dependent: false,
  ...more
})

/** An order's first id is its own, then come its shipment's and its item's. */
const shipmentOf = (number) => `1769860800000${number}002`
const itemOf = (number) => `1769860800000${number}003`
const returnOf = (number) => `1769860800000${number}101`
const linesOf = (number) => [{ orderItemId: itemOf(number), quantity: 2 }]

const order = (number, terms = {}) => {
  const [sku, mrp, esp] = goods[number % goods.length]
  const customer = customers[number % customers.length]
  const external_order_id = `BZ-${number}`
  const tax = { rate: 12, amount: Math.round((esp * 2 * 12 * 100) / 112) / 100 }
  const lines = [{ external_line_id: "1", sku, quantity: 2, mrp, esp, tax }]
  return {
    send: "POST /order/api/v1/bazaar/create",
    ids: Number(`${number}000`),
    body: {
      external_order_id,
      ordering_currency: "INR",
      payment: { mode: number % 5 === 3 ? "COD" : "PREPAID" },
      billing_address: customer,
      shipping_address: customer,
      shipments: [{ external_shipment_id: `${external_order_id}-1`, location_id: "BLR1", ...terms, lines }]
    }
  }
}

const move = (name, record, method = "POST") => ({
  send: `${method} /oms/v3/shipment/${name}`,
  body: [record]
})

const status = (orderStatus) => (number) => move("status", { orderId: shipmentOf(number), orderStatus }, "PUT")
const reported = (orderStatus) => (number) => move("status", { orderId: returnOf(number), orderStatus }, "PUT")
const awbOf = (orderId, awbNumber) =>
  move("awb", { orderId, awbNumber, courierName: "Road Runner", autoDispatch: false }, "PUT")

const confirm = (number) => move("confirm", { orderId: shipmentOf(number), orderItems: linesOf(number) })
const invoice = (number) =>
  move("invoiceUpdate", { orderId: shipmentOf(number), invoiceNumber: `ACME-${number}`, invoiceType: "sale" })
const courier = (number) => awbOf(shipmentOf(number), `AWB${number}`)
const pack = (number) => move("pack", { orderId: shipmentOf(number) })
const dispatch = (number) => move("dispatch", { orderId: shipmentOf(number) })
const cancel = (number) => {
  const orderItems = linesOf(number).map((line) => ({ ...line, reasonCode: "out of stock" }))
  return move("cancel", { orderId: shipmentOf(number), orderItems })
}
const byMarketplace = (name, more) => (number) => ({
  send: "PUT /order/api/v1/bazaar/status",
  ids: Number(`${number}100`),
  body: [{ order_id: shipmentOf(number), isSelfShip: true, status: name, ...more?.(number) }]
})
const meta = (number) => ({
  meta: { return_id: `RET-${number}`, items: [{ external_line_id: "1", quantity: 1, reason: "too small" }] }
})
const inspect = (number) =>
  move("return", {
    orderId: returnOf(number),
    badQc: false,
    orderItems: [{ orderItemId: itemOf(number), quantity: 1 }]
  })
const credit = (number) =>
  move("invoiceUpdate", { orderId: returnOf(number), invoiceNumber: `CN-${number}`, invoiceType: "return" })

const invoiced = [confirm, invoice]
const packed = [...invoiced, courier, pack]
const picked = [...packed, dispatch]
const out = [...picked, status("out_for_delivery")]
const rejected = [...out, status("rejected_by_customer")]
const failed = [...out, status("delivery_attempt_failed")]
const delivered = [...out, status("delivery_done")]
const returned = [...delivered, byMarketplace("return_initiated", meta)]
const sentBack = [...returned, (number) => awbOf(returnOf(number), `AWB${number}R`)]
const inTransit = [...sentBack, reported("return_bag_in_transit")]
const back = [...inTransit, reported("return_bag_delivered")]
const accepted = [...back, inspect]
const byCourier = { fulfillment_type: "MARKETPLACE", is_self_ship: false }

/** The earliest orders are the furthest. */
const orders = [
  [[...accepted, credit]],
  [accepted],
  [[...back, reported("deadstock")]],
  [back],
  [inTransit],
  [sentBack],
  [returned],
  [delivered],
  [[...picked, status("bag_lost")]],
  [[...rejected, status("rto_in_transit"), status("rto_bag_delivered")]],
  [[...rejected, status("rto_in_transit")]],
  [rejected],
  [[...failed, status("delivery_reattempt_requested")]],
  [failed],
  [[...invoiced, status("handed_over_to_customer")]],
  [out],
  [picked],
  [packed],
  [[...invoiced, courier]],
  [invoiced],
  [invoiced, byCourier],
  [[confirm]],
  [[cancel]],
  [[byMarketplace("cancelled_customer")]],
  [[]],
  [[]]
].flatMap(([moves, terms], at) => [order(1001 + at, terms), ...moves.map((make) => make(1001 + at))])

const write = (method, ids, ...products) => ({
  send: `${method} /v3/catalog/product`,
  ids,
  body: { template: "apparel", products }
})

const address = { line1: "1 Market Road", city: "Bengaluru", state: "Karnataka", country: "India" }

/** Before the day. */
const before = [
  write("POST", 1000, product("TEE-2", "Striped T-shirt"), product("TEE-3", "Polo shirt")),
  write(
    "PUT",
    2000,
    product("TEE-2", "Striped T-shirt", { brand: "Zephir" }),
    product("TEE-3", "Polo shirt in cotton", { slug: "polo-shirt" })
  ),
  {
    send: "PUT /ims/v3/price",
    body: goods.map(([sku, mrp, esp]) => ({ location_id: "BLR1", sku, mrp, esp, currency: "INR" }))
  },
  {
    send: "PUT /ims/v3/inventory",
    body: goods.flatMap(([sku, , , quantity]) =>
      ["BLR1", "BOM1"].map((location_id, nth) => ({ location_id, sku, quantity: nth === 0 ? quantity : quantity / 5 }))
    )
  },
  {
    send: `POST ${billing}/subscription/customer-detail`,
    body: {
      unique_id: "1",
      name: "Acme Retail",
      email: "billing@acme.example",
      phone: { phone_country_code: "91", phone_number: "80 0000 0000" },
      billing_address: { ...address, postal_code: "560001" }
    }
  }
]

const recurring = { pricing_type: "recurring", term: "monthly", recurring: { interval: "month" } }
const charge = { name: "Setup", price: { amount: 500, currency_code: "INR" }, pricing_type: "one_time", term: "once" }
const return_url = "https://extension.example.com/return"

const day = [
  {
    send: `POST ${billing}/subscription/activate`,
    ids: 3000,
    body: { unique_id: "1", plan_id: "basic", coupon_code: "WELCOME10" }
  },
  {
    send: `POST ${billing}/extension/ext1/subscription`,
    ids: 4000,
    accepts: true,
    body: {
      name: "Pro",
      return_url,
      line_items: [{ name: "Pro plan", price: { amount: 1000, currency_code: "INR" }, ...recurring }]
    }
  },
  {
    send: `POST ${billing}/extension/ext1/one_time_charge`,
    ids: 5000,
    body: { name: "Setup", return_url, charge }
  },
  {
    send: `POST ${ops}/audit-trail/v1.0/company/1/logs`,
    ids: 6000,
    body: {
      log_meta: {
        application: "channel-manager",
        entity: { type: "sales-channel", id: "web", action: "update" },
        modifier: { user_id: "u-1", user_details: { name: "Asha Rao" } },
        device_info: { user_agent: "Mozilla/5.0 (X11; Linux x86_64)" }
      },
      log_payload: { before: { status: "draft" }, after: { status: "paused" } }
    }
  },
  ...orders
]

/** What bazaar's receiver rejected for three days. */
const deadLetter = {
  id: "msg_19c13ec9e000000000000001",
  marketplace: "bazaar",
  failures: 30,
  failure: "HTTP 503",
  events: [
    {
      eventId: "19c13ec9e000000000000002",
      sku: "85123A",
      location: "BLR1",
      code: "BLR1",
      quantity: 100,
      changeNumber: 1,
      sequence: 1,
      occurredAt: 1769860800000
    }
  ]
}

const lines = (steps) => steps.map((step) => `    ${JSON.stringify(step)}`).join(",\n")
const sections = Object.entries({ before, day }).map(([name, steps]) => `  "${name}": [\n${lines(steps)}\n  ],\n`)
const text = `{\n${sections.join("")}  "deadLetter": ${JSON.stringify(deadLetter)}\n}\n`
writeFileSync(new URL("day.json", import.meta.url), text)
