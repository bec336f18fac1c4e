import { SkuShipments } from "@crossdock/catalog"
import { type CompanyId, Instant, Page, StaleWrite, Text } from "@crossdock/kernel"
import { OrderStore, type Order as PlacedOrder, shipmentOrderOf } from "@crossdock/orders"
import {
  isOpen,
  mayMoveStock,
  type OrderedShipment,
  orderStatusOf,
  type Shipment,
  type ShipmentChange,
  type ShipmentFilter,
  ShipmentStore
} from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const orders = Table.make<PlacedOrder>("orders")

const orderIds = Table.make<string>("orderIds")

const externalKey = (marketplace: string, externalOrderId: string): string =>
  JSON.stringify([marketplace, externalOrderId])

const find = (tables: Table.Tables, marketplace: string, id: string): PlacedOrder | undefined => {
  const order = orders.get(tables, Table.noCompany, id)
  return order?.marketplace === marketplace ? order : undefined
}

const orderStore = adapter(OrderStore, (database) => ({
  insert: (order) =>
    database.decide((tables) => {
      const key = externalKey(order.marketplace, order.draft.externalOrderId)
      const isTaken =
        orderIds.get(tables, Table.noCompany, key) !== undefined ||
        orders.get(tables, Table.noCompany, order.id) !== undefined
      if (isTaken) return Result.fail(new StaleWrite({ operation: "OrderStore.insert" }))
      const named = orderIds.put(tables, Table.noCompany, [[key, order.id]])
      return Result.succeed([undefined, orders.put(named, Table.noCompany, [[order.id, order]])])
    }),
  replace: (order) =>
    database.write((tables) =>
      find(tables, order.marketplace, order.id) === undefined
        ? tables
        : orders.put(tables, Table.noCompany, [[order.id, order]])
    ),
  purge: Effect.void,
  byExternalId: (marketplace, externalOrderId) =>
    database.read((tables) => {
      const id = orderIds.get(tables, Table.noCompany, externalKey(marketplace, externalOrderId))
      return id === undefined ? undefined : find(tables, marketplace, id)
    }),
  page: (after, limit) =>
    database.read((tables) =>
      orders
        .rows(tables, Table.noCompany)
        .filter(({ id }) => after === null || Text.order(id, after) > 0)
        .sort((one, other) => Text.order(one.id, other.id))
        .slice(0, limit)
    ),
  byId: (marketplace, id) => database.read((tables) => find(tables, marketplace, id))
}))

/** By id. */
export const shipments = Table.make<Shipment>("shipments")

const owners = Table.make<CompanyId>("shipmentOwners")
const idsOfOrder = Table.make<ReadonlyArray<string>>("orderShipments")

const shipmentOfNumber = Table.make<string>("shipmentNumbers")

const papers = ["invoice", "creditNote"] as const

const numbersOf = (shipment: Shipment) =>
  papers.flatMap((paper) => {
    const number = shipment[paper]?.number
    return number === undefined ? [] : [[`${paper} ${number}`, shipment.id] as const]
  })

const byId = Order.mapInput(Text.order, (shipment: Shipment) => shipment.id)
const newestFirst = Order.flip(Table.byNumberThenText((shipment: Shipment) => shipment.orderDate, "id"))

const openFirst = Order.combine(Order.mapInput(Order.flip(Order.Boolean), isOpen), Order.flip(byId))

const all = (tables: Table.Tables, company: CompanyId): ReadonlyArray<Shipment> => shipments.rows(tables, company)

const ofAnybody = (tables: Table.Tables, id: string): ReadonlyArray<Shipment> => {
  const owner = owners.get(tables, Table.noCompany, id)
  const shipment = owner === undefined ? undefined : shipments.get(tables, owner, id)
  return shipment === undefined ? [] : [shipment]
}

const withOrder = (tables: Table.Tables, shipment: Shipment): ReadonlyArray<OrderedShipment<Shipment>> => {
  const order = orders.get(tables, Table.noCompany, shipment.orderId)
  return order === undefined ? [] : [{ shipment, order: shipmentOrderOf(order) }]
}

type Written = Result.Result<Table.Tables, StaleWrite>

/** Writes the shipment in place of `before`, unless another one has one of its paper numbers. */
const putShipment = (tables: Table.Tables, operation: string, shipment: Shipment, before?: Shipment): Written => {
  const { companyId, id } = shipment
  const [had, has] = [before === undefined ? [] : numbersOf(before), numbersOf(shipment)]
  const freed =
    had.length === 0
      ? tables
      : shipmentOfNumber.remove(
          tables,
          companyId,
          had.map(([number]) => number)
        )
  if (has.some(([number]) => shipmentOfNumber.get(freed, companyId, number) !== undefined))
    return Result.fail(new StaleWrite({ operation }))
  const numbered = has.length === 0 ? freed : shipmentOfNumber.put(freed, companyId, has)
  return Result.succeed(shipments.put(numbered, companyId, [[id, shipment]]))
}

const insertOne = (tables: Table.Tables, shipment: Shipment): Written => {
  const { companyId, id, orderId } = shipment
  if (owners.get(tables, Table.noCompany, id) !== undefined)
    return Result.fail(new StaleWrite({ operation: "ShipmentStore.insert" }))
  const owned = owners.put(tables, Table.noCompany, [[id, companyId]])
  const before = idsOfOrder.get(owned, Table.noCompany, orderId) ?? []
  const listed = idsOfOrder.put(owned, Table.noCompany, [[orderId, [...before, id]]])
  return putShipment(listed, "ShipmentStore.insert", shipment)
}

const updateOne =
  (company: CompanyId) =>
  (tables: Table.Tables, { after, before }: ShipmentChange): Written =>
    shipments.get(tables, company, after.id)?.version === before.version
      ? putShipment(tables, "ShipmentStore.update", after, before)
      : Result.fail(new StaleWrite({ operation: "ShipmentStore.update" }))

const matches =
  ({ fields = [], from, id, locations, marketplace, orderStatus, to }: ShipmentFilter) =>
  (shipment: Shipment): boolean =>
    (locations === null || locations.includes(shipment.location)) &&
    (id === undefined || shipment.id === id) &&
    (orderStatus === undefined || orderStatusOf(shipment) === orderStatus) &&
    (marketplace === undefined || shipment.marketplace === marketplace) &&
    (from === undefined || shipment.orderDate >= from * Instant.dayMillis) &&
    (to === undefined || shipment.orderDate < (to + 1) * Instant.dayMillis) &&
    fields.every((one) => shipment.filters?.includes(one))

const shipmentStore = adapter(ShipmentStore, (database) => ({
  // One writer at a time: nothing to lock.
  load: (company, ids) =>
    database.read((tables) => [...new Set(ids)].flatMap((id) => shipments.get(tables, company, id) ?? [])),
  withOrders: (company, ids) =>
    database.read((tables) =>
      [...new Set(ids)]
        .flatMap((id) => shipments.get(tables, company, id) ?? [])
        .flatMap((shipment) => withOrder(tables, shipment))
    ),
  returnsOf: (company, forwardIds) =>
    database.read((tables) =>
      all(tables, company)
        .filter((one) => one.journey === "return" && forwardIds.includes(one.forwardId))
        .sort(byId)
    ),
  companiesOf: (marketplace, ids) =>
    database.read((tables) =>
      [...new Set(ids)]
        .flatMap((id) => ofAnybody(tables, id))
        .filter((one) => one.marketplace === marketplace)
        .map(({ companyId, id }) => ({ id, companyId }))
    ),
  ofOrder: (orderId) =>
    database.read((tables) =>
      (idsOfOrder.get(tables, Table.noCompany, orderId) ?? []).flatMap((id) => ofAnybody(tables, id)).sort(byId)
    ),
  insert: (many) => database.decide((tables) => Table.writeEach(tables, many, insertOne)),
  update: (company, changes) => database.decide((tables) => Table.writeEach(tables, changes, updateOne(company))),
  usedInvoiceNumbers: (company, numbers) =>
    database.read((tables) =>
      [...new Set(numbers)].filter((number) =>
        papers.some((paper) => shipmentOfNumber.get(tables, company, `${paper} ${number}`) !== undefined)
      )
    ),
  openAwbs: (company, awbs) =>
    database.read((tables) =>
      all(tables, company)
        .filter(isOpen)
        .flatMap(({ courier, id }) =>
          courier === null
            ? []
            : [...new Set(courier.awbNumbers)]
                .filter((awb) => awbs.includes(awb))
                .map((awb) => ({ shipmentId: id, courier: courier.name, awb }))
        )
    ),
  byAwb: (company, awb) =>
    database.read((tables) =>
      all(tables, company)
        .filter(({ courier }) => courier?.awbNumbers.includes(awb))
        .sort(openFirst)
    ),
  page: (company, filter, page) =>
    database.read((tables) => {
      const found = all(tables, company).filter(matches(filter)).sort(newestFirst)
      const items = found.flatMap((shipment) => withOrder(tables, shipment))
      return { items: items.slice(Page.offset(page), Page.offset(page) + page.size), total: found.length }
    })
}))

const skuShipments = adapter(SkuShipments, (database) => ({
  open: (company, skus) =>
    database.read((tables) => {
      const wanted = new Set(skus)
      const open = shipments.entries(tables, company).filter(([, shipment]) => mayMoveStock(shipment))
      return new Set(open.flatMap(([, { items }]) => items.map(({ sku }) => sku).filter((sku) => wanted.has(sku))))
    })
}))

export const layer = Layer.mergeAll(orderStore, shipmentStore, skuShipments)
