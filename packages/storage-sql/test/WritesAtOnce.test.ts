/**
 * Two writes of one company at once on PostgreSQL: those whose decision depends on what the other may add lock it first, and
 * the others need not.
 */
import { Directory } from "@crossdock/access"
import { type AuditRecord, AuditStore, AuditTrail, CompanyWrite } from "@crossdock/audit"
import {
  Billing,
  BillingLedger,
  BillingRun,
  BillingStore,
  nothingAllowed,
  PaymentProviderTest,
  type Plan
} from "@crossdock/billing"
import { CatalogImport, CatalogWrites } from "@crossdock/catalog"
import * as Goods from "@crossdock/histories/Goods"
import * as World from "@crossdock/histories/World"
import { StockFeed } from "@crossdock/inventory"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventEndpoints, Limits, NotificationChannel, NotificationStore, Notifications } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { orderDraft, orderLine, orderShipment } from "@crossdock/orders/testing"
import { noMeta, reportOrReturn, type ShipmentCommand, ShipmentStore, Shipments } from "@crossdock/shipments"
import * as Fresh from "@crossdock/storage-laws/Fresh"
import { StorageSql } from "@crossdock/storage-sql"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { Clock, Effect, Layer, Result } from "effect"
import { atOnce } from "./AtOnce.ts"
import { postgres } from "./Databases.ts"

const client = postgres()

const billing = Layer.provide(Layer.merge(Billing.layer, BillingRun.layer), [
  BillingLedger.layer,
  PaymentProviderTest.layer
])

const host = Layer.merge(EventEndpoints.layer(StockFeed.types), billing).pipe(
  Layer.provideMerge(World.services(Layer.provide(StorageSql.layer, client))),
  Layer.provideMerge(client)
)

/** A company with a brand, so that it can have products. */
const freshCompany = Effect.gen(function* () {
  const id = yield* Fresh.companyId
  yield* (yield* Directory).putCompanies([Fresh.company(id)])
  yield* (yield* CatalogImport.CatalogImport).reference(Goods.reference, Goods.brands([id]))
  return id
})

/** Two products that are the same but for their names: only one can have their SKUs. */
const twins = ["P1", "P2"].map((code) => ({ ...Goods.product(code), sizes: Goods.product("P1").sizes }))

const system = World.host

const plan = (id: string): Plan => ({
  id,
  name: id,
  description: id,
  amount: 99_900,
  currency: "INR",
  interval: "month",
  trialDays: 0,
  productSuite: null,
  isActive: true,
  limits: nothingAllowed,
  createdAt: 0,
  modifiedAt: 0
})

describe("Two writes at once, of which the first isn't written when the second begins", () => {
  it.layer(host, { excludeTestServices: true })((it) => {
    it.effect("import a SKU into one product", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const { products } = yield* CatalogImport.CatalogImport
        const imports = twins.map((product) =>
          products(system, company, [{ template: "apparel", products: [product] }]).pipe(
            Effect.as([]),
            Effect.catchTag("ProductsInvalid", ({ violations }) => Effect.succeed(violations.map(({ code }) => code)))
          )
        )
        deepStrictEqual(yield* atOnce(company, imports), [[], ["SKU_TAKEN"]])
      })
    )

    it.effect("create a product with a SKU of one of them", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const { apply } = yield* CatalogWrites.CatalogWrites
        const creates = twins.map((product) =>
          Effect.map(
            apply(World.seller(company), { operation: "create", template: "apparel", products: [product] }),
            ({ failures }) => failures.map(({ code }) => code)
          )
        )
        deepStrictEqual(yield* atOnce(company, creates), [[], ["SKU_TAKEN"]])
      })
    )

    it.effect("register no more endpoints than a company can have", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const { list, register } = yield* EventEndpoints.EventEndpoints
        const add = (id: string) =>
          register(system, {
            companyId: company,
            id,
            url: "https://erp.example/hook",
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            types: null,
            cursor: null
          })
        for (let nth = 1; nth < Limits.endpointsPerCompany; nth++) yield* add(`e${nth}`)
        const outcomes = yield* atOnce(
          company,
          ["last", "one-more"].map((id) =>
            add(id).pipe(
              Effect.as([]),
              Effect.catchTag("EndpointRejected", ({ violations }) =>
                Effect.succeed(violations.map(({ path }) => path))
              )
            )
          )
        )
        deepStrictEqual(outcomes, [[], ["/companyId"]])
        strictEqual((yield* list(company)).length, Limits.endpointsPerCompany)
      })
    )

    it.effect("credit a payment to the plan that replaces the one that was paid", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const [billing, store, { collect }] = [
          yield* Billing.Billing,
          yield* BillingStore,
          yield* BillingRun.BillingRun
        ]
        const plans = [yield* Fresh.text("plan"), yield* Fresh.text("plan")] as const
        yield* store.putPlans(plans.map(plan))
        yield* billing.putCustomer(system, company, { uniqueId: null, detail: { name: "One" } })
        const activated = (planId: string) =>
          Effect.asVoid(billing.activate(system, company, { planId, uniqueId: null, coupon: null }))
        yield* activated(plans[0])
        yield* atOnce(company, [activated(plans[1]), Effect.asVoid(collect)])
        deepStrictEqual(
          (yield* store.running(company, "plan")).map(({ credit, entityId }) => [entityId, credit > 0]),
          [[plans[1], true]]
        )
      })
    )

    it.effect("count a record that both of them drop from a trail once", () =>
      Effect.gen(function* () {
        const company = yield* freshCompany
        const { retain, verify } = yield* AuditTrail.AuditTrail
        const { run } = yield* CompanyWrite.CompanyWrite
        const entity = { type: "test", id: "1", action: "set" }
        const save = () => Effect.succeed({ logs: null, events: [] })
        const written = run(system, {
          load: Effect.void,
          decide: (_, at) => Effect.succeed({ answer: at, changes: [{ companyId: company, entity, save }] })
        })
        for (let nth = 0; nth < 3; nth++) yield* written
        const later = (yield* Clock.currentTimeMillis) + 60_000
        // The second one may also drop what the first one has recorded, but for the newest record.
        deepStrictEqual(
          yield* atOnce(company, [retain(system, company, later), retain(system, company, later)]),
          [2, 1]
        )
        strictEqual((yield* verify(company)).broken, undefined)
      })
    )
  })
})

describe("Two writes at once whose decisions rest on what they have locked, or what is checked by its version", () => {
  const bazaar = World.marketplace("bazaar")

  /** An order whose only shipment is delivered. */
  const delivered = (externalOrderId: string) =>
    Effect.gen(function* () {
      const [seller] = World.companies
      const { moveAsMarketplace, moveAsSeller } = yield* Shipments.Shipments
      const { ofOrder } = yield* ShipmentStore
      const line = orderLine({ externalLineId: "1", sku: "P1-S" })
      const location = `bazaar-${seller}-L1`
      const draft = orderShipment({ externalShipmentId: "S1", location, selfShip: true, lines: [line] })
      const { place } = yield* Orders.Orders
      const { id } = yield* place(bazaar, orderDraft({ externalOrderId, shipments: [draft] }))
      const [placed] = yield* ofOrder(id)
      const { id: shipmentId, items } = placed ?? (yield* Effect.die(new Error("An order without a shipment")))
      const request = (command: ShipmentCommand) => [Result.succeed({ shipmentId, path: "/0", command: () => command })]
      const units = items.map((item) => ({ itemId: item.id, quantity: 1 }))
      const invoiced = units.map(({ itemId }) => ({ itemId, quantity: null, imei: [] }))
      const invoice = { number: id, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null }
      for (const [family, command] of [
        ["confirm", { _tag: "Confirm", items: units }],
        ["invoiceUpdate", { _tag: "InvoiceSale", invoice, items: invoiced, packages: null }],
        ["pack", { _tag: "Pack" }],
        ["dispatch", { _tag: "Dispatch", items: null }]
      ] as const) {
        strictEqual((yield* moveAsSeller(World.seller(seller), family, request(command))).status, "SUCCESS")
      }
      const report = (status: string) => {
        const asked = { by: "marketplace", items: null, returnId: null, meta: noMeta, status } as const
        const command = (newShipmentId: string) => reportOrReturn({ ...asked, newShipmentId })
        const reported = moveAsMarketplace(bazaar, "status", [Result.succeed({ shipmentId, path: "/0", command })])
        return Effect.map(reported, ({ status }): string => status)
      }
      yield* report("delivery_done")
      return { id, report }
    })

  const [company] = World.companies

  /** The last records of the company's trail, newest last. */
  const lastOf = (count: number) =>
    Effect.map(
      Effect.flatMap(AuditStore, (log) => log.read(company, 0, 1000)),
      (records) => records.slice(-count)
    )

  const actionsOf = (records: ReadonlyArray<AuditRecord>) => records.map(({ action }) => action)

  it.layer(Layer.provideMerge(Layer.effectDiscard(World.settle(World.make(() => 0))), host), {
    excludeTestServices: true
  })((it) => {
    const erased = (id: string) =>
      Effect.flatMap(Orders.Orders, (orders) =>
        orders.erase(system, "bazaar", id).pipe(
          Effect.map((isErased) => (isErased ? "erased" : "erased before")),
          Effect.catchTag("OrderInProgress", () => Effect.succeed("in progress"))
        )
      )

    it.effect("erase an order once", () =>
      Effect.gen(function* () {
        const { id } = yield* delivered("O1")
        deepStrictEqual(yield* atOnce(company, [erased(id), erased(id)]), ["erased", "erased before"])
        deepStrictEqual(actionsOf(yield* lastOf(2)), ["status", "erase"])
      })
    )

    it.effect("open a return of an order, which is not erased then", () =>
      Effect.gen(function* () {
        const { id, report } = yield* delivered("O2")
        deepStrictEqual(yield* atOnce(company, [report("return_initiated"), erased(id)]), ["SUCCESS", "in progress"])
      })
    )

    it.effect("open a return of all units once", () =>
      Effect.gen(function* () {
        const { id, report } = yield* delivered("O3")
        const opened = [report("return_initiated"), report("return_initiated")]
        deepStrictEqual(yield* atOnce(company, opened), ["SUCCESS", "SUCCESS"])
        deepStrictEqual(
          (yield* (yield* ShipmentStore).ofOrder(id)).map(({ journey }) => journey),
          ["forward", "return"]
        )
      })
    )

    const channel = { marketplace: "bazaar", companyId: company }
    const rejected = (id: string) => ({
      since: 0,
      failures: 1,
      failure: "500",
      nextAt: Number.MAX_SAFE_INTEGER,
      webhookId: id,
      fingerprint: "",
      size: null
    })

    it.effect("reconcile a marketplace, and send it a dead letter again", () =>
      Effect.gen(function* () {
        const [store, { reconcile, resend }] = [yield* NotificationStore, yield* Notifications.Notifications]
        const event = { sku: "P1-S", location: "L1" }
        const letter = { ...channel, id: yield* Fresh.text("letter"), failures: 1, since: 0, at: 0, failure: "500" }
        const sent = { eventId: "e1", code: "B", quantity: 1, changeNumber: 1, sequence: 1, occurredAt: 0 }
        yield* store.addDeadLetter({ ...letter, events: [{ ...sent, ...event }] })
        yield* store.save((yield* store.find(channel)) ?? NotificationChannel.fresh(channel))
        yield* atOnce(company, [
          Effect.asVoid(reconcile(system, "bazaar", [company])),
          Effect.asVoid(resend(system, channel, letter.id))
        ])
        const after = yield* store.find(channel)
        deepStrictEqual([after?.again, (after?.floor.sequence ?? 0) > 0], [[event], true])
        deepStrictEqual(actionsOf(yield* lastOf(2)), ["reconcile", "resend"])
      })
    )

    it.effect("reconcile a marketplace, which leaves nothing to be woken", () =>
      Effect.gen(function* () {
        const [store, { reconcile, wake }] = [yield* NotificationStore, yield* Notifications.Notifications]
        const known = (yield* store.find(channel)) ?? NotificationChannel.fresh(channel)
        yield* store.save({ ...known, outstanding: rejected("w1") })
        yield* atOnce(company, [reconcile(system, "bazaar", [company]), wake(system, "bazaar")])
        strictEqual((yield* store.find(channel))?.outstanding, null)
        deepStrictEqual(actionsOf(yield* lastOf(1)), ["reconcile"])
      })
    )

    it.effect("each record what the marketplace was before", () =>
      Effect.gen(function* () {
        const { register } = yield* Marketplaces.Marketplaces
        const registration = World.make(() => 0).registrations.souk
        yield* atOnce(company, [
          register(system, { ...registration, name: "First" }),
          register(system, { ...registration, name: "Second" })
        ])
        deepStrictEqual(
          (yield* lastOf(2)).map(({ body }) => JSON.parse(body).logs.before.name),
          [registration.name, "First"]
        )
      })
    )

    it.effect("disable a marketplace once", () =>
      Effect.gen(function* () {
        const { setEnabled } = yield* Marketplaces.Marketplaces
        const before = yield* (yield* Directory).account("marketplace", "souk")
        yield* atOnce(company, [setEnabled(system, "souk", false), setEnabled(system, "souk", false)])
        const after = yield* (yield* Directory).account("marketplace", "souk")
        deepStrictEqual([after?.enabled, after?.generation], [false, (before?.generation ?? 0) + 1])
        deepStrictEqual(actionsOf(yield* lastOf(2)), ["register", "disable"])
      })
    )
  })
})
