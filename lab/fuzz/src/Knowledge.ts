/** Knowledge that the documents don't have: the sandbox's codes and names, and ids from answers. */

import * as Choice from "@crossdock/histories/Choice"
import type { Random } from "@crossdock/system-tests/Random"
import { isObject } from "./JsonText.ts"

const sandbox: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  company_id: ["1"],
  marketplace_slug: ["bazaar"],
  extension_id: ["ext1"],
  location: ["BLR1", "BOM1"],
  sku: "22752 21730 22633 22632 84879 22745 22748 22749 22310 22639".split(" "),
  otherSku: ["GX-TEE-S", "GX-TEE-M"],
  otherLocation: ["DEL1", "S-BOM"],
  plan: ["basic", "growth"],
  coupon: ["WELCOME10", "EXPIRED"],
  template: ["home-garden", "apparel"],
  category: ["T-Shirts", "Home Fragrance Accessories"],
  department: ["166", "536"],
  currency: ["INR"],
  country: ["India"],
  url: ["https://example.com/return?from=crossdock"],
  time: ["2026-05-04T10:20:30Z", "2026-05-04T10:20:30.123+05:30"],
  day: ["04-05-2026", "31-12-2027"],
  email: ["a.customer@example.com"],
  phone: ["+91 80 0000 0000"],
  gstin: ["29AAAAA0000A1Z5"],
  pincode: ["560001"],
  poNumber: ["PO-1", "PO-2"],
  courier: ["Swift", "BlueDart"],
  qs: ["{}", "entity.type:shipment", '{"entity.type":"inventory"}', "acme", '"quoted words" from:2026-01-01'],
  auditSort: ['{"_id": 1}', '{"_id": -1}'],
  operational: [
    "bag_picked",
    "delivery_done",
    "out_for_delivery",
    "rto_in_transit",
    "return_initiated",
    "cancelled_customer",
    "bag_lost"
  ]
}

const kinds: Readonly<Record<string, string>> = {
  location_id: "location",
  locationCode: "location",
  skus: "sku",
  primary_identifier: "sku",
  orderId: "shipment",
  order_id: "shipment",
  shipment_id: "shipment",
  orderItemId: "item",
  awb_number: "awb",
  awbNumber: "newId",
  invoiceNumber: "newId",
  external_order_id: "newId",
  external_shipment_id: "newId",
  return_id: "newId",
  item_code: "itemCode",
  trace_id: "trace",
  platform_order_id: "order",
  subscription_id: "subscription",
  charge_id: "charge",
  invoice_id: "invoice",
  plan_id: "plan",
  coupon_code: "coupon",
  currency_code: "currency",
  ordering_currency: "currency",
  return_url: "url",
  courierName: "courier",
  orderStatus: "operational",
  status: "operational",
  sort: "auditSort",
  orderDateFrom: "day",
  orderDateTo: "day",
  order_date: "time",
  pack_after: "time",
  pack_by: "time",
  dispatch_by: "time",
  deliver_by: "time",
  promised_delivery_date: "time",
  estimated_delivery_date: "time",
  slug: "slug",
  cursor: "cursor",
  unique_id: "company_id",
  "custom_fields.order.po_number": "poNumber"
}

/** The kind of the ids in answers, by field. */
const learned: Readonly<Record<string, string>> = {
  trace_id: "trace",
  platform_order_id: "order",
  shipment_id: "shipment",
  orderItemId: "item",
  item_code: "itemCode",
  slug: "slug",
  next_cursor: "cursor"
}

/** How many ids of each kind are remembered: the newest ones. */
const remembered = 40

export interface Knowledge {
  /** Whether the host is the fuzzer's own host, with its additional fields and series. */
  readonly isOwn: boolean
  /** A value for a field or parameter with this name. It is undefined if no value is known. */
  readonly valueOf: (name: string) => unknown
  readonly oneOf: (kind: string) => unknown
  /** A text that no request has used. */
  readonly newId: () => string
  readonly add: (kind: string, value: string) => void
  /** Keeps this id out of all later requests. */
  readonly reserve: (id: string) => void
  /** Remembers the ids in an answer. */
  readonly learn: (json: unknown) => void
}

/** Makes the knowledge. `seed` is part of new ids, so a run with another seed on this host has other ids. */
export const make = (draw: Random, seed: number, isOwn: boolean): Knowledge => {
  const values = new Map<string, Array<unknown>>(Object.entries(sandbox).map(([kind, all]) => [kind, [...all]]))
  const reserved = new Set<string>()
  let made = 0
  const newId = () => `N${seed}-${++made}`
  const add = (kind: string, value: string) => {
    const all = values.get(kind) ?? []
    if (all.includes(value) || reserved.has(value)) return
    all.push(value)
    if (all.length > remembered) all.shift()
    values.set(kind, all)
  }
  const oneOf = (kind: string) => {
    if (kind === "newId") return newId()
    const all = values.get(kind)
    return all === undefined || all.length === 0 ? undefined : Choice.oneOf(draw, all)
  }
  const learn = (json: unknown): void => {
    if (Array.isArray(json)) {
      for (const one of json.slice(0, 5)) learn(one)
      return
    }
    if (!isObject(json)) return
    for (const [name, value] of Object.entries(json)) {
      const kind = learned[name]
      if (kind !== undefined && typeof value === "string") add(kind, value)
      else learn(value)
    }
  }
  return {
    isOwn,
    valueOf: (name) => oneOf(kinds[name] ?? name),
    oneOf,
    newId,
    add,
    reserve: (id) => void reserved.add(id),
    learn
  }
}
