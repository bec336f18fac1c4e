import { Directory, type Integration, type MarketplaceCaller } from "@crossdock/access"
import { CompanyWrite } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { Inventory } from "@crossdock/inventory"
import { CompanyId, Ids } from "@crossdock/kernel"
import {
  beginShipment,
  type Courier,
  Couriers,
  isOpen,
  type MoveBatch,
  noMeta,
  type OperationalStatus,
  type Shipment,
  type ShipmentCommand,
  ShipmentStore,
  Shipments
} from "@crossdock/shipments"
import { shipmentItem } from "@crossdock/shipments/testing"
import { StorageMemory } from "@crossdock/storage-memory"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Exit, Layer, Logger, Result } from "effect"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"

const companies = [1, 2, 3].map((id) => CompanyId.make(id))

/**
 * A host whose courier port gives the next of `couriers` each time, and null after them. What it logs goes to `logged`.
 */
const host = (couriers: ReadonlyArray<Courier> = [], logged: Array<unknown> = []) => {
  let asked = 0
  const logger = Logger.make(({ message }) => {
    logged.push(message)
  })
  const port = Layer.succeed(Couriers.Couriers, {
    assign: () => Effect.sync(() => couriers[asked++] ?? null),
    trackingUrl: () => null
  })
  return Shipments.layer.pipe(
    Layer.provide(Layer.merge(Inventory.layer, port)),
    Layer.provide(CompanyWrite.layer),
    Layer.provideMerge(Layer.mergeAll(StorageMemory.layer, DigestNode.layer, Ids.layer)),
    Layer.merge(Logger.layer([logger]))
  )
}

const same = [1, 2].map(() => ({ name: "Swift", code: "SW", awbNumbers: ["SAME"] }))

const marketplace = {
  principal: { kind: "marketplace", id: "bazaar" } satisfies MarketplaceCaller,
  requestId: null
}

const sellerOf = (companyId: CompanyId) => ({
  principal: {
    kind: "integration",
    id: "s",
    integrationId: "s",
    companyId,
    locations: null,
    stockPolicy: "set"
  } satisfies Integration,
  requestId: null
})

const idOf = (company: CompanyId, nth: number): string => `${company}-${nth}`

/** Two shipments of each company. */
const shipmentsIn = (status: OperationalStatus, fulfillment: "SELLER" | "MARKETPLACE"): ReadonlyArray<Shipment> =>
  companies.flatMap((companyId) =>
    [1, 2].map((nth) =>
      beginShipment(
        {
          id: idOf(companyId, nth),
          companyId,
          location: "L1",
          marketplace: "bazaar",
          orderId: "o",
          externalOrderId: "o",
          externalShipmentId: idOf(companyId, nth),
          fulfillment,
          selfShip: false,
          currency: "INR",
          linesBefore: 0,
          items: [shipmentItem({ ordered: 2 })],
          packAfter: null,
          packBy: null,
          dispatchBy: null,
          deliverBy: null,
          sla: 0,
          orderDate: 0
        },
        0,
        status
      )
    )
  )

const put = (shipments: ReadonlyArray<Shipment>) =>
  Effect.gen(function* () {
    const [directory, store] = [yield* Directory, yield* ShipmentStore]
    yield* directory.putCompanies(companies.map((id) => ({ id, name: `C${id}`, legalName: `C${id}` })))
    yield* store.insert(shipments)
  })

/** All shipments of the order, cancelled parts and returns too. */
const stored = Effect.flatMap(ShipmentStore, (store) => store.ofOrder("o"))

/** Runs the law on values that are drawn, each on a fresh host. */
const law = <A>(
  arbitrary: FastCheck.Arbitrary<A>,
  check: (value: A) => Effect.Effect<void, unknown>
): Effect.Effect<void> =>
  Effect.promise(() =>
    FastCheck.assert(
      FastCheck.asyncProperty(arbitrary, (value) => Effect.runPromise(check(value))),
      { numRuns: runs(100) }
    )
  )

interface Given {
  readonly shipmentId: string
  readonly awb: string
}

const awbRequest = ({ awb, shipmentId }: Given, at: number) =>
  Result.succeed<MoveBatch.MoveRequest>({
    shipmentId,
    path: `/${at}`,
    command: () => ({ _tag: "AssignAwb", by: "marketplace", awbNumber: awb, courierName: "Swift", autoDispatch: false })
  })

const given = FastCheck.record({
  company: FastCheck.constantFrom(...companies),
  nth: FastCheck.constantFrom(1, 2),
  awb: FastCheck.constantFrom("X", "Y", "Z")
}).map(({ awb, company, nth }): Given => ({ shipmentId: idOf(company, nth), awb }))

const companyOf = (shipmentId: string): string => shipmentId.slice(0, 1)

/**
 * The records of a request that are rejected, and the AWBs after it: a shipment gets an AWB that no other shipment of the
 * request's companies has, or keeps its own.
 */
const expected = (before: ReadonlyMap<string, string>, request: ReadonlyArray<Given>) => {
  const has = new Map(before)
  const named = new Set(request.map(({ shipmentId }) => companyOf(shipmentId)))
  const rejected = request.flatMap(({ awb, shipmentId }, at) => {
    const others = [...has].filter(([id, other]) => id !== shipmentId && other === awb && named.has(companyOf(id)))
    if (has.get(shipmentId) !== awb && others.length > 0) return [at]
    has.set(shipmentId, awb)
    return []
  })
  return { has, rejected }
}

describe("One AWB of a courier", () => {
  it.effect("is on one open shipment of the companies that a marketplace's request names, and a repeat is safe", () =>
    law(
      FastCheck.array(FastCheck.array(given, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      (requests) =>
        Effect.gen(function* () {
          const shipments = yield* Shipments.Shipments
          yield* put(shipmentsIn("dp_assigned", "MARKETPLACE"))
          let has: ReadonlyMap<string, string> = new Map()
          for (const request of requests) {
            const wanted = expected(has, request)
            const { failures } = yield* shipments.moveAsMarketplace(marketplace, "awb", request.map(awbRequest))
            deepStrictEqual(
              failures.map(({ code, index }) => [index, code]),
              wanted.rejected.map((at) => [at, "A409"])
            )
            has = wanted.has
            const found = (yield* stored).flatMap(({ courier, id }) =>
              (courier?.awbNumbers ?? []).map((awb) => [id, awb])
            )
            deepStrictEqual(found.sort(), [...has].sort())
            // What every shipment of the request has now can be sent again, in any order.
            const own = [...has].filter(([id]) => request.some(({ shipmentId }) => shipmentId === id))
            for (const repeat of [own, own.toReversed()]) {
              const again = repeat.map(([shipmentId, awb], at) => awbRequest({ shipmentId, awb }, at))
              deepStrictEqual((yield* shipments.moveAsMarketplace(marketplace, "awb", again)).failures, [])
            }
          }
        }).pipe(Effect.provide(host()))
    )
  )

  const invoice = (shipmentId: string) =>
    Result.succeed<MoveBatch.MoveRequest>({
      shipmentId,
      path: "/0",
      command: () => ({
        _tag: "InvoiceSale",
        invoice: { number: shipmentId, irn: null, qrCode: null, signedInvoice: null, ackNumber: null, ackDate: null },
        items: [],
        packages: null
      })
    })

  const giveBack = (shipmentId: string, at: number) =>
    Result.succeed<MoveBatch.MoveRequest>({
      shipmentId,
      path: "/0",
      command: (newShipmentId) => ({
        _tag: "InitiateReturn",
        by: "marketplace",
        items: [{ itemId: "1", externalLineId: null, quantity: 1, reason: null }],
        returnId: `${shipmentId}-${at}`,
        newShipmentId,
        meta: noMeta
      })
    })

  const courier = FastCheck.record({
    name: FastCheck.constantFrom("Swift", "SWIFT ", "Other"),
    code: FastCheck.constant(null),
    awbNumbers: FastCheck.array(FastCheck.constantFrom("S/1", "S/2", "S/3"), { minLength: 1, maxLength: 2 })
  })

  /** Every AWB of an open shipment, once for each. */
  const inUse = (all: ReadonlyArray<Shipment>) =>
    all
      .filter(isOpen)
      .flatMap(({ companyId, courier }) =>
        courier === null
          ? []
          : [...new Set(courier.awbNumbers)].map((awb) =>
              JSON.stringify([companyId, courier.name.trim().toUpperCase(), awb])
            )
      )

  it.effect("is on one open shipment, whatever the courier port gives", () =>
    law(
      FastCheck.record({
        couriers: FastCheck.array(courier, { maxLength: 8 }),
        bulks: FastCheck.array(FastCheck.subarray([1, 2], { minLength: 1 }), { minLength: 1, maxLength: 2 }),
        returns: FastCheck.array(FastCheck.array(FastCheck.constantFrom(1, 2), { minLength: 1, maxLength: 3 }), {
          maxLength: 3
        })
      }),
      ({ bulks, couriers, returns }) =>
        Effect.gen(function* () {
          const shipments = yield* Shipments.Shipments
          const [company = CompanyId.make(1), other = CompanyId.make(2)] = companies
          yield* put([
            ...shipmentsIn("bag_confirmed", "SELLER").filter(({ companyId }) => companyId === company),
            ...shipmentsIn("delivery_done", "SELLER").filter(({ companyId }) => companyId === other)
          ])
          for (const bulk of bulks) {
            const records = bulk.map((nth) => invoice(idOf(company, nth)))
            yield* shipments.moveAsSeller(sellerOf(company), "invoiceUpdate", records)
          }
          for (const bulk of returns) {
            const records = bulk.map((nth, at) => giveBack(idOf(other, nth), at))
            yield* shipments.moveAsMarketplace(marketplace, "status", records)
          }
          const found = inUse(yield* stored)
          deepStrictEqual(found, [...new Set(found)])
        }).pipe(Effect.provide(host(couriers)))
    )
  )

  it.effect("is not given to a second shipment by the courier port: that one needs a courier as before", () => {
    const logged: Array<unknown> = []
    return Effect.gen(function* () {
      const [shipments, store] = [yield* Shipments.Shipments, yield* ShipmentStore]
      const [company = CompanyId.make(1)] = companies
      yield* put(shipmentsIn("bag_confirmed", "SELLER"))
      const ids = [1, 2].map((nth) => idOf(company, nth))
      const statuses = Effect.map(store.load(company, ids), (found) => found.map(({ status }) => status))
      const [first = "", second = ""] = ids

      const bulk = yield* shipments.moveAsSeller(sellerOf(company), "invoiceUpdate", ids.map(invoice))
      deepStrictEqual([bulk.status, yield* statuses], ["SUCCESS", ["dp_assigned", "bag_invoiced"]])

      const next = { name: "Swift", code: "SW", awbNumbers: ["NEXT"] }
      const system = { principal: { kind: "system", id: "operator" }, requestId: null } as const
      const assigned = yield* shipments.assignCouriers(system, company, [{ shipmentId: second, courier: next }])
      deepStrictEqual([assigned.failures, yield* statuses], [[], ["dp_assigned", "dp_assigned"]])
      deepStrictEqual((yield* shipments.track(sellerOf(company), { awbNumber: " SAME\u00a0" }))?.shipment.id, first)
      deepStrictEqual(logged, [["The courier port gave AWBs that other open shipments use", { shipments: [second] }]])
    }).pipe(Effect.provide(host(same, logged)))
  })

  it.effect("is not given by the courier port while a shipment of an earlier request uses it", () =>
    Effect.gen(function* () {
      const [shipments, store] = [yield* Shipments.Shipments, yield* ShipmentStore]
      const [company = CompanyId.make(1)] = companies
      yield* put(shipmentsIn("bag_confirmed", "SELLER"))
      const ids = [1, 2].map((nth) => idOf(company, nth))
      for (const id of ids) yield* shipments.moveAsSeller(sellerOf(company), "invoiceUpdate", [invoice(id)])
      deepStrictEqual(
        (yield* store.load(company, ids)).map(({ courier, status }) => [status, courier?.awbNumbers]),
        [
          ["dp_assigned", ["SAME"]],
          ["bag_invoiced", undefined]
        ]
      )
    }).pipe(Effect.provide(host(same)))
  )
})

describe("A move", () => {
  const [first = CompanyId.make(1)] = companies
  const shipmentId = idOf(first, 1)
  const request = (command: ShipmentCommand) =>
    Result.succeed<MoveBatch.MoveRequest>({ shipmentId, path: "/0", command: () => command })

  it.effect("counts as its caller's, whatever party its command states", () =>
    Effect.gen(function* () {
      const shipments = yield* Shipments.Shipments
      yield* put(shipmentsIn("placed", "SELLER"))
      const report = { _tag: "Report", status: "cancelled_customer", meta: noMeta } as const
      const bySeller = [request({ ...report, by: "marketplace" })]
      const rejected = yield* shipments.moveAsSeller(sellerOf(first), "status", bySeller)
      deepStrictEqual(
        rejected.failures.map(({ code }) => code),
        ["S400"]
      )
      const byMarketplace = [request({ ...report, by: "seller" })]
      deepStrictEqual((yield* shipments.moveAsMarketplace(marketplace, "status", byMarketplace)).failures, [])
    }).pipe(Effect.provide(host()))
  )

  it.effect("is a defect when its command is of another operation, or not one of its caller", () =>
    Effect.gen(function* () {
      const shipments = yield* Shipments.Shipments
      yield* put(shipmentsIn("placed", "SELLER"))
      const seller = sellerOf(first)
      const cancel = { _tag: "Cancel", items: [{ itemId: "1", quantity: 2, reasonCode: null }], partId: "" } as const
      const courier = { name: "Swift", code: null, awbNumbers: ["X"] }
      const calls = [
        shipments.moveAsSeller(seller, "confirm", [request(cancel)]),
        shipments.moveAsSeller(seller, "lock", [request({ _tag: "Lock" })]),
        shipments.moveAsSeller(seller, "awb", [request({ _tag: "AssignCourier", by: "courier", courier })]),
        shipments.moveAsMarketplace(marketplace, "cancel", [request(cancel)])
      ]
      for (const call of calls) deepStrictEqual(Exit.hasDies(yield* Effect.exit(call)), true)
      deepStrictEqual(
        (yield* stored).map(({ status }) => status),
        shipmentsIn("placed", "SELLER").map(({ status }) => status)
      )
    }).pipe(Effect.provide(host()))
  )
})
