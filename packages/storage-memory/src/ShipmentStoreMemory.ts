import { SkuShipments } from "@crossdock/catalog"
import { type CompanyId, Instant, type StaleWrite, Text } from "@crossdock/kernel"
import { OrderStore, type Order as PlacedOrder, shipmentOrderOf } from "@crossdock/orders"
import type { OrderedShipment, Shipment, ShipmentChange, ShipmentFilter } from "@crossdock/shipments"
import { isOpen, mayMoveStock, orderStatusOf, ShipmentStore } from "@crossdock/shipments"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const externalKey = (marketplace: string, externalOrderId: string): string =>
  JSON.stringify([marketplace, externalOrderId])

const orders = Table.keyed<PlacedOrder>("orders", ({ id }) => id)

const orderIds = Table.make<string>("orderIds")

const find = (tables: Table.Tables, marketplace: string, id: string): PlacedOrder | undefined => {
  const order = orders.get(tables, id)
  return order?.marketplace === marketplace ? order : undefined
}

const orderStore = adapter(OrderStore, (database) => ({
  insert: (order) =>
    database.decide((tables) => {
      const key = externalKey(order.marketplace, order.draft.externalOrderId)
      return orderIds.get(tables, key) === undefined && orders.find(tables, order) === undefined
        ? Table.written(orders.save(orderIds.put(tables, [[key, order.id]]), [order]))
        : Table.stale("OrderStore.insert")
    }),
  replace: (order) =>
    database.write((tables) =>
      find(tables, order.marketplace, order.id) === undefined ? tables : orders.save(tables, [order])
    ),
  purge: Effect.void,
  byExternalId: (marketplace, externalOrderId) =>
    database.read((tables) => {
      const known = orderIds.get(tables, externalKey(marketplace, externalOrderId))
      return known === undefined ? undefined : find(tables, marketplace, known)
    }),
  page: (after, limit) =>
    database.read((tables) =>
      orders
        .rows(tables)
        .filter(({ id }) => after === null || Text.order(id, after) > 0)
        .sort(Table.byText("id"))
        .slice(0, limit)
    ),
  byId: (marketplace, id) => database.read((tables) => find(tables, marketplace, id))
}))

const shipments = Table.ofCompanies<Shipment>("shipments", ({ id }) => id)

const owners = Table.make<CompanyId>("shipmentOwners")
const idsOfOrder = Table.make<ReadonlyArray<string>>("orderShipments")

const shipmentOfNumber = Table.make<string>("shipmentNumbers")

const papers = ["invoice", "creditNote"] as const

const numbersOf = (shipment: Shipment) =>
  papers.flatMap((paper) => {
    const number = shipment[paper]?.number
    return number === undefined ? [] : [[`${paper} ${number}`, shipment.id] as const]
  })

const byId: Order.Order<Shipment> = Table.byText("id")
const newestFirst = Order.flip(Table.byNumberThenText((shipment: Shipment) => shipment.orderDate, "id"))

const openFirst = Order.combine(Order.mapInput(Order.flip(Order.Boolean), isOpen), Order.flip(byId))

const ofAnybody = (tables: Table.Tables, id: string): ReadonlyArray<Shipment> => {
  const owner = owners.get(tables, id)
  const shipment = owner && shipments.get(tables, id, owner)
  return shipment === undefined ? [] : [shipment]
}

const withOrder = (tables: Table.Tables, shipment: Shipment): ReadonlyArray<OrderedShipment> => {
  const order = orders.get(tables, shipment.orderId)
  return order === undefined ? [] : [{ shipment, order: shipmentOrderOf(order) }]
}

type Written = Result.Result<Table.Tables, StaleWrite>

/** Stores `shipment` in place of `before`. Fails if its invoice or credit note has a number that another shipment uses. */
const putShipment = (tables: Table.Tables, operation: string, shipment: Shipment, before?: Shipment): Written => {
  const { companyId } = shipment
  const had = (before === undefined ? [] : numbersOf(before)).map(([number]) => number)
  const [freed, has] = [shipmentOfNumber.remove(tables, had, companyId), numbersOf(shipment)]
  return has.some(([number]) => shipmentOfNumber.get(freed, number, companyId) !== undefined)
    ? Table.stale(operation)
    : Result.succeed(shipments.save(shipmentOfNumber.put(freed, has, companyId), [shipment]))
}

const insertOne = (tables: Table.Tables, shipment: Shipment): Written => {
  const { companyId, id, orderId } = shipment
  if (owners.get(tables, id) !== undefined) return Table.stale("ShipmentStore.insert")
  const owned = owners.put(tables, [[id, companyId]])
  const listed = idsOfOrder.put(owned, [[orderId, [...(idsOfOrder.get(owned, orderId) ?? []), id]]])
  return putShipment(listed, "ShipmentStore.insert", shipment)
}

const updateOne =
  (company: CompanyId) =>
  (tables: Table.Tables, { after, before }: ShipmentChange): Written =>
    shipments.get(tables, after.id, company)?.version === before.version
      ? putShipment(tables, "ShipmentStore.update", after, before)
      : Table.stale("ShipmentStore.update")

const matches =
  ({ fields = [], from, id, isOpen: open, locations, marketplace, orderStatus, to }: ShipmentFilter) =>
  (shipment: Shipment): boolean =>
    (locations === null || locations.includes(shipment.location)) &&
    (id === undefined || shipment.id === id) &&
    (orderStatus === undefined || orderStatusOf(shipment) === orderStatus) &&
    (open === undefined || isOpen(shipment)) &&
    (marketplace === undefined || shipment.marketplace === marketplace) &&
    (from === undefined || shipment.orderDate >= from * Instant.dayMillis) &&
    (to === undefined || shipment.orderDate < (to + 1) * Instant.dayMillis) &&
    fields.every((one) => shipment.filters?.includes(one))

const shipmentStore = adapter(ShipmentStore, (database) => ({
  load: (company, ids) =>
    database.read((tables) => [...new Set(ids)].flatMap((id) => shipments.get(tables, id, company) ?? [])),
  withOrders: (company, ids) =>
    database.read((tables) =>
      [...new Set(ids)]
        .flatMap((id) => shipments.get(tables, id, company) ?? [])
        .flatMap((shipment) => withOrder(tables, shipment))
    ),
  returnsOf: (company, forwardIds) =>
    database.read((tables) =>
      shipments
        .rows(tables, company)
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
      (idsOfOrder.get(tables, orderId) ?? []).flatMap((id) => ofAnybody(tables, id)).sort(byId)
    ),
  insert: (many) => database.decide((tables) => Table.writeEach(tables, many, insertOne)),
  update: (company, changes) => database.decide((tables) => Table.writeEach(tables, changes, updateOne(company))),
  usedInvoiceNumbers: (company, numbers) =>
    database.read((tables) =>
      [...new Set(numbers)].filter((number) =>
        papers.some((paper) => shipmentOfNumber.get(tables, `${paper} ${number}`, company) !== undefined)
      )
    ),
  openAwbs: (company, awbs) =>
    database.read((tables) =>
      shipments
        .rows(tables, company)
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
      shipments
        .rows(tables, company)
        .filter(({ courier }) => courier?.awbNumbers.includes(awb))
        .sort(openFirst)
    ),
  page: (company, filter, page) =>
    database.read((tables) => {
      const found = shipments.rows(tables, company).filter(matches(filter)).sort(newestFirst)
      const { items, total } = Table.pageOf(found, page)
      return { items: items.flatMap((shipment) => withOrder(tables, shipment)), total }
    })
}))

const skuShipments = adapter(SkuShipments, (database) => ({
  open: (company, skus) =>
    database.read((tables) => {
      const wanted = new Set(skus)
      const open = shipments.rows(tables, company).filter(mayMoveStock)
      return new Set(open.flatMap(({ items }) => items.map(({ sku }) => sku).filter((sku) => wanted.has(sku))))
    })
}))

export const layer = Layer.mergeAll(orderStore, shipmentStore, skuShipments)
