/** Short sequences of requests with known answers. Reads return what was written, but only to callers that may see it. */
import * as Choice from "@crossdock/histories/Choice"
import type { Answer } from "./Connection.ts"
import type { FuzzRun } from "./FuzzRun.ts"
import { isObject } from "./JsonText.ts"
import { named } from "./Operation.ts"
import * as Place from "./Place.ts"
import * as Request from "./Request.ts"
import * as Sample from "./Sample.ts"
import * as Shipping from "./Shipping.ts"

export type Story = () => Promise<void>

type Parts = Parameters<typeof Request.make>[2]

/** SKUs whose stock and prices only stories change. */
const [stocked, priced] = ["84029G", "84029E"]

const plenty = 100_000_000

const at = (answer: Answer, ...place: Place.Place): unknown => Place.valueAt(answer.json, place)

export const make = (session: FuzzRun, shipping: Shipping.Shipping): ReadonlyArray<Story> => {
  const { caller, draw, fail, known, send } = session

  /** Sends a request of this caller and reports an unexpected answer. */
  const ask = async (
    who: string,
    id: string,
    parts: Parts,
    what = "the answer",
    isRight: (answer: Answer) => boolean = () => true
  ) => {
    const its = caller(who)
    const path =
      its.interface === "marketplace"
        ? { marketplace_slug: "bazaar" }
        : its.interface === "platform"
          ? { company_id: String(its.company) }
          : {}
    const request = Request.make(named(id), its, { expected: [200], ...parts, path: { ...path, ...parts.path } })
    const answer = await send(request)
    if (!isRight(answer)) fail(request, answer, `${what} is not as expected`)
    return answer
  }

  const succeeded = (answer: Answer) => at(answer, "meta", "status") === "SUCCESS" || at(answer, "status") === "SUCCESS"
  const row = (answer: Answer, location = "BLR1") => {
    const rows = at(answer, "data")
    return Array.isArray(rows) ? rows.find((one) => one.location_id === location) : undefined
  }
  const listing = (sku: string, what: string, isRight: (listed: Readonly<Record<string, unknown>>) => boolean) =>
    ask(
      "acme",
      "seller listings.page",
      { query: [["skus", sku]] },
      what,
      (answer) => isObject(row(answer)) && isRight(row(answer))
    )

  const supply: Story = async () => {
    const body = Shipping.skus.map((sku) => ({ location_id: "BLR1", sku, quantity: plenty }))
    await ask("acme", "seller stock.update", { body }, "the supply", succeeded)
  }

  const stock: Story = async () => {
    const quantity = Choice.between(draw, 0, 1_000_000_000)
    const record = { location_id: "BLR1", sku: stocked, quantity }
    await ask("acme", "seller stock.update", { body: [record] }, "setting stock", succeeded)
    await listing(stocked, "the stock that was set", (listed) => listed.quantity === quantity)
    const change = Choice.between(draw, -2_000, 2_000)
    const total = quantity + change
    const isPossible = total >= 0 && total <= 1_000_000_000
    const adjusted = await ask(
      "acme-adjust",
      "seller stock.update",
      { body: [{ ...record, quantity: change }] },
      "adjusting stock",
      (answer) => succeeded(answer) === isPossible
    )
    if (!isPossible && total < 0 && at(adjusted, "data", "errors", 0, "code") !== "NEGATIVE_STOCK") {
      await ask(
        "acme-adjust",
        "seller stock.update",
        { body: [{ ...record, quantity: change }] },
        "the code of negative stock",
        () => false
      )
    }
    const present = isPossible ? total : quantity
    await listing(stocked, "the stock that was adjusted", (listed) => listed.quantity === present)
    const stale = { ...record, quantity: 1, expected_quantity: present === 7 ? 8 : 7 }
    await ask(
      "acme",
      "seller stock.update",
      { body: [stale] },
      "a stale quantity",
      (answer) =>
        at(answer, "data", "errors", 0, "code") === "STALE_QUANTITY" &&
        at(answer, "data", "errors", 0, "current_quantity") === present
    )
  }

  const price: Story = async () => {
    const [esp, mrp] = [Choice.between(draw, 1, 500) / 4, 125.01]
    const record = { location_id: "BLR1", sku: priced, esp, mrp, currency: "INR" }
    await ask("acme", "seller price.update", { body: [record] }, "setting a price", succeeded)
    await listing(priced, "the price that was set", (listed) => listed.esp === esp && listed.mrp === mrp)
    await ask(
      "acme",
      "seller price.update",
      { body: [{ ...record, esp: mrp + 1 }] },
      "a price above the MRP",
      (answer) => at(answer, "data", "errors", 0, "code") === "ESP_ABOVE_MRP"
    )
  }

  const completed = (trace: unknown) =>
    ask(
      "acme",
      "seller products.status",
      { query: [["trace_id", String(trace)]] },
      "the stage of a write",
      (answer) => at(answer, "stage") === "COMPLETED"
    )

  const product: Story = async () => {
    const create = Sample.make(named("seller products.create"), caller("acme"), draw, known, true)
    const code = String(Place.valueAt(create.body, ["products", 0, "item_code"]))
    const listed = (count: number, what: string) =>
      ask(
        "acme",
        "seller catalog.products",
        { query: [["item_code", code]] },
        what,
        (answer) => at(answer, "total") === count
      )
    const written = await ask(
      "acme",
      "seller products.create",
      { body: create.body },
      "creating a product",
      (answer) => at(answer, "success") === 1
    )
    await completed(at(written, "trace_id"))
    await listed(1, "the product that was created")
    if (Choice.isChance(draw, 0.5)) return known.add("ownItem", code)
    const changed = Place.set(create.body, ["products", 0, "name"], `Other ${code}`)
    const again = await ask(
      "acme",
      "seller products.update",
      { body: changed },
      "changing a product",
      (answer) => at(answer, "success") === 1
    )
    await completed(at(again, "trace_id"))
    const removal = { template: "apparel", products: [{ item_code: code }] }
    await ask(
      "acme",
      "seller products.delete",
      { query: [["dry_run", "true"]], body: removal },
      "trying to delete a product",
      (answer) => at(answer, "success") === 1
    )
    const removed = await ask(
      "acme",
      "seller products.delete",
      { body: removal },
      "deleting a product",
      (answer) => at(answer, "success") === 1
    )
    await completed(at(removed, "trace_id"))
    await listed(0, "the product that was deleted")
  }

  const confirmLink = (answer: Answer) =>
    new URL(String(at(answer, "confirm_url") ?? "http://x/")).pathname.split("/").at(-1) ?? ""

  const decide = async (link: string, decision: string) => {
    const path = { link }
    await send(Request.make(named("platform confirm.page"), undefined, { path, expected: [200] }))
    await send(Request.make(named("platform confirm.decide"), undefined, { path, body: { decision }, expected: [303] }))
    known.add("link", link)
  }

  const subscription: Story = async () => {
    const id = "platform billing.createSubscription"
    const path = { extension_id: "ext1" }
    const { body } = Sample.make(named(id), caller("ops"), draw, known, true)
    const created = await ask("ops", id, { path, body })
    const subscription_id = String(at(created, "subscription", "_id"))
    known.add("subscription", subscription_id)
    const accepts = Choice.isChance(draw, 0.7)
    await decide(confirmLink(created), accepts ? "accept" : "decline")
    const whole = { ...path, subscription_id }
    await ask(
      "viewer",
      "platform billing.subscription",
      { path: whole },
      "a subscription's status",
      (answer) => at(answer, "status") === (accepts ? "active" : "declined")
    )
    await ask("globex-ops", "platform billing.subscription", { path: whole, expected: [404] })
    await ask("viewer", "platform billing.cancel", { path: whole, expected: [403] })
    await ask("ops", "platform billing.cancel", { path: whole, expected: [accepts ? 200 : 400] })
    await ask("ops", "platform billing.cancel", { path: whole, expected: [400] })
  }

  const charge: Story = async () => {
    const id = "platform billing.createCharge"
    const path = { extension_id: "ext1" }
    const { body } = Sample.make(named(id), caller("ops"), draw, known, true)
    const created = await ask("ops", id, { path, body })
    const charge_id = String(at(created, "charge", "_id"))
    known.add("charge", charge_id)
    await decide(confirmLink(created), "accept")
    await ask(
      "ops",
      "platform billing.charge",
      { path: { ...path, charge_id } },
      "a charge's status",
      (answer) => at(answer, "status") === "success"
    )
  }

  const plan: Story = async () => {
    const customer = {
      unique_id: "1",
      name: "Acme",
      email: "billing@example.com",
      phone: { phone_country_code: "91", phone_number: "8000000000" }
    }
    await ask(
      "ops",
      "platform billing.putCustomer",
      { body: customer },
      "the customer",
      (answer) => at(answer, "name") === "Acme"
    )
    await ask(
      "viewer",
      "platform billing.customer",
      {},
      "the customer",
      (answer) => at(answer, "email") === "billing@example.com"
    )
    const plan_id = Choice.oneOf(draw, ["basic", "growth"])
    await ask(
      "viewer",
      "platform billing.activate",
      { body: { plan_id } },
      "activating a plan",
      (answer) => at(answer, "data", "plan_id") === plan_id
    )
    await ask(
      "viewer",
      "platform billing.current",
      {},
      "the current plan",
      (answer) => at(answer, "subscription", "plan_id") === plan_id
    )
    await ask(
      "ops",
      "platform billing.currentLimit",
      {},
      "the limits",
      (answer) => at(answer, "application", "hard_limit") === (plan_id === "basic" ? 5 : 25)
    )
    const invoices = await ask("ops", "platform billing.invoices", {})
    const invoice_id = at(invoices, "data", 0, "_id")
    if (typeof invoice_id !== "string") return
    known.add("invoice", invoice_id)
    const read = await ask("viewer", "platform billing.invoice", { path: { invoice_id } })
    const url = at(read, "invoice", "invoice_url")
    if (typeof url === "string") await open("platform invoiceDocuments.open", url)
  }

  const open = async (id: string, url: string) => {
    const { pathname, search } = new URL(url)
    const target = `${pathname}${search}`
    known.add(id, target)
    await send(Request.make(named(id), undefined, { target, expected: [200] }))
  }

  const audit: Story = async () => {
    const { body } = Sample.make(named("platform audit.create"), caller("ops"), draw, known, true)
    await ask("ops", "platform audit.create", { body })
    await ask("viewer", "platform audit.create", { body, expected: [403] })
    const qs = `entity.id:${Place.valueAt(body, ["log_meta", "entity", "id"])}`
    const found = await ask(
      "viewer",
      "platform audit.logs",
      { query: [["qs", qs]] },
      "the record that was written",
      (answer) => Array.isArray(at(answer, "docs")) && at(answer, "docs", 1) === undefined
    )
    const id = String(at(found, "docs", 0, "_id"))
    known.add("id", id)
    await ask(
      "viewer",
      "platform audit.log",
      { path: { id } },
      "the record that was read",
      (answer) => at(answer, "_id") === id
    )
    await ask("globex-ops", "platform audit.log", { path: { id }, expected: [400] })
    await ask("ops", "platform audit.log", { path: { company_id: "2", id }, expected: [403] })
  }

  const repeated: Story = async () => {
    const headers = { "idempotency-key": `key-${known.newId()}` }
    const record = { location_id: "BLR1", sku: stocked, quantity: Choice.between(draw, 0, 1_000) }
    const first = await ask("acme", "seller stock.update", { headers, body: [record] })
    await ask(
      "acme",
      "seller stock.update",
      { headers, body: [record] },
      "a repeated answer",
      (answer) => answer.text === first.text && answer.headers["idempotent-replayed"] === "true"
    )
    await ask("acme", "seller stock.update", {
      headers,
      body: [{ ...record, quantity: record.quantity + 1 }],
      expected: [422]
    })
    await ask(
      "acme",
      "seller price.update",
      { headers, body: [{ location_id: "BLR1", sku: priced, esp: 1, mrp: 2, currency: "INR" }] },
      "a key on another path",
      succeeded
    )
  }

  const documents: Story = async () => {
    const packed = shipping.inStatus("bag_packed", "bag_picked", "out_for_delivery").slice(-3)
    const unpacked = shipping.inStatus("placed").slice(-1)
    if (packed.length === 0) return
    const body = packed.map((orderId) => ({ orderId }))
    const printed = Choice.oneOf(draw, ["a4", "a6"])
    await ask("acme", Choice.oneOf(draw, ["seller documents.labels", "seller documents.invoice"]), {
      body,
      query: [["printSize", printed]]
    })
    if (unpacked.length > 0)
      await ask("acme", "seller documents.labels", { body: [...body, { orderId: unpacked[0] }], expected: [400] })
    const read = await ask("acme", "seller shipments.read", { query: [["orderId", packed[0] ?? ""]] })
    const url = at(read, 0, "labelPdfUrl")
    if (typeof url === "string") await open("seller documentLinks.open", url)
  }

  const foreign: Story = async () => {
    const [orderId] = shipping.inStatus("placed", "bag_confirmed", "bag_packed").slice(-1)
    if (orderId === undefined) return
    const unseen = (answer: Answer) => at(answer, "successCount") === 0 || at(answer, "data", "success_count") === 0
    await ask("globex", "seller shipments.read", { query: [["orderId", orderId]], expected: [404] })
    await ask("globex", "seller shipments.track", { body: { shipment_id: orderId }, expected: [404] })
    await ask("globex", "seller documents.labels", { body: [{ orderId }], expected: [400] })
    await ask("globex", "seller shipments.pack", { body: [{ orderId }] }, "another company's pack", unseen)
    await ask(
      "globex",
      "seller shipments.status",
      { body: [{ orderId, orderStatus: "bag_lost" }] },
      "another company's status",
      unseen
    )
    await ask(
      "globex",
      "seller stock.update",
      { body: [{ location_id: "BLR1", sku: stocked, quantity: 1 }] },
      "another company's stock",
      unseen
    )
    await ask(
      "souk",
      "marketplace orders.status",
      {
        path: { marketplace_slug: "souk" },
        body: [{ order_id: orderId, isSelfShip: true, status: "cancelled_customer" }]
      },
      "another marketplace's status",
      unseen
    )
    await ask("souk", "marketplace orders.read", {
      query: [["platform_order_id", shipping.orderIds().at(-1) ?? ""]],
      expected: [403]
    })
    await ask("souk", "marketplace orders.read", {
      path: { marketplace_slug: "souk" },
      query: [["platform_order_id", shipping.orderIds().at(-1) ?? ""]],
      expected: [404]
    })
    const { body } = Sample.make(named("seller products.create"), caller("acme"), draw, known, true)
    await ask("acme-blr1", "seller products.create", { body, expected: [403] })
    await ask(
      "acme-blr1",
      "seller stock.update",
      { body: [{ location_id: "BOM1", sku: stocked, quantity: 1 }] },
      "another location's stock",
      unseen
    )
    await ask("acme-blr1", "seller shipments.read", {
      query: [
        ["orderStatus", "CREATED"],
        ["locationCode", "BOM1"]
      ],
      expected: [403]
    })
  }

  /** A marketplace sends the host's fields. It and its seller must be able to read them, and find the shipment by them. */
  const fields: Story = async () => {
    if (!known.isOwn) return
    const { body } = Sample.make(named("marketplace orders.create"), caller("bazaar"), draw, known, true)
    const po_number = known.newId()
    const supplied = Place.set(body, ["shipments", 0, "lines", 0, "sku"], Shipping.skus[0])
    const placed = Place.set(supplied, ["shipments", 0, "location_id"], "BLR1")
    const sent = { ...(placed as object), custom_fields: { po_number, gift_note: "for Asha" } }
    const created = await ask("bazaar", "marketplace orders.create", { body: sent })
    const platform_order_id = String(at(created, "platform_order_id"))
    const shown = (...place: Place.Place) => JSON.stringify(Place.valueAt(sent, place))
    const isSame = (answer: Answer, ...places: ReadonlyArray<readonly [Place.Place, Place.Place]>) =>
      places.every(([of, sentAt]) => JSON.stringify(at(answer, ...of)) === shown(...sentAt))
    const ofShipment = ["shipments", 0, "custom_fields"]
    const ofLine = ["shipments", 0, "lines", 0, "custom_fields"]
    await ask(
      "bazaar",
      "marketplace orders.read",
      { query: [["platform_order_id", platform_order_id]] },
      "the fields that the marketplace reads",
      (answer) =>
        isSame(
          answer,
          [["custom_fields"], ["custom_fields"]],
          [["shipments", 0, "custom_fields"], ofShipment],
          [["shipments", 0, "bags", 0, "custom_fields"], ofLine]
        )
    )
    await ask(
      "acme",
      "seller shipments.info",
      { query: [["custom_fields.order.po_number", po_number]] },
      "the shipment that its field finds",
      (answer) =>
        at(answer, "orders", 1) === undefined &&
        isSame(
          answer,
          [["orders", 0, "order_custom_fields"], ["custom_fields"]],
          [["orders", 0, "custom_fields"], ofShipment],
          [["orders", 0, "orderItems", 0, "custom_fields"], ofLine]
        )
    )
    const wrong = { ...sent, external_order_id: known.newId(), custom_fields: { po_number: 4711 } }
    await ask(
      "bazaar",
      "marketplace orders.create",
      { body: wrong, expected: [400] },
      "the fault of a field",
      (answer) => at(answer, "errors", 0, "path") === "/custom_fields/po_number"
    )
  }

  /** The writes of an operator can be read, and the chain of the audit trail is intact. */
  const operators: Story = async () => {
    const name = known.newId()
    const path = { company_id: "7" }
    const location = { code: "NGT1", name, currency: "INR" }
    const locationOf = (answer: Answer) => {
      const all = at(answer, "locations")
      return Array.isArray(all) ? all.find(({ code }) => code === location.code) : undefined
    }
    const isSame = (answer: Answer) => at(answer, "name") === name && locationOf(answer)?.name === name
    const body = { name, legalName: name, locations: [location] }
    await ask("root", "operator companies.put", { path, body }, "the company that was put", isSame)
    await ask("root", "operator companies.read", { path }, "the company that was read", isSame)
    await ask("root", "operator companies.auditChain", { path }, "the chain", (answer) => at(answer, "broken") === null)
    const account = { path: { kind: "seller", username: name }, body: { companyId: 7, password: "a long random text" } }
    await ask("root", "operator accounts.put", account, "the account", (answer) => at(answer, "enabled") === true)
    const disabled = { path: account.path, body: { enabled: false } }
    await ask("root", "operator accounts.change", disabled, "the account", (answer) => at(answer, "enabled") === false)
    const wrong = { body: { ...account.body, companyId: 999_999_999 }, path: account.path, expected: [404] }
    await ask("root", "operator accounts.put", wrong)
  }

  const clock: Story = async () => {
    if (!known.isOwn) return
    const seconds = Choice.between(draw, 1, 90)
    const before = await session.advance("1s")
    const after = await session.advance(`${seconds}s`)
    const isRight = after >= before + seconds * 1_000 && after < before + seconds * 1_000 + 60_000
    if (!isRight || !Number.isNaN(await session.advance("0s")))
      throw new Error(`The clock went from ${before} to ${after} by ${seconds} s`)
  }

  return [
    supply,
    operators,
    fields,
    clock,
    stock,
    price,
    product,
    subscription,
    charge,
    plan,
    audit,
    repeated,
    documents,
    foreign
  ]
}
