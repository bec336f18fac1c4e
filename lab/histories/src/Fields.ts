/** The host's custom fields. Reads and events show the values that were sent, and personal values only where allowed. */
import { CustomFields } from "@crossdock/catalog"
import type { CompanyId } from "@crossdock/kernel"
import type { OrderDraft } from "@crossdock/orders"
import type { Shipment } from "@crossdock/shipments"
import type { Random } from "@crossdock/system-tests/Random"
import * as Choice from "./Choice.ts"
import type * as World from "./World.ts"

const personal = "Asha"

export const declared = {
  order: { po_number: { type: "str", maxLength: 20, filter: true }, gift_note: { type: "str", personal: true } },
  shipment: {
    priority: { type: "int", range: { min: 1, max: 99 }, filter: true },
    door: { type: "str", personal: true }
  },
  item: { batch: { type: "str" }, engraving: { type: "str", personal: true } },
  product: { recycled: { type: "bool", filter: true }, care: { type: "str", allowedValues: ["30°", "40°"] } },
  company: { tier: { type: "int" }, owner: { type: "str", personal: true } },
  location: { dock: { type: "int" }, contact: { type: "str", personal: true } }
} as const satisfies CustomFields.Declared

export const policy = CustomFields.make(declared)

type Values = CustomFields.Values | undefined

const texts = {
  po_number: (nth: number) => `PO-${nth}`,
  gift_note: (nth: number) => `${nth} times for ${personal}`,
  priority: (nth: number) => nth,
  door: (nth: number) => `${personal}, ${nth}`,
  batch: (nth: number) => `B${nth}`,
  engraving: (nth: number) => `${personal} ${nth}`,
  recycled: (nth: number) => nth % 2 === 0,
  care: (nth: number) => (nth % 2 === 0 ? "30°" : "40°"),
  tier: (nth: number) => nth,
  owner: (nth: number) => `${personal} of ${nth}`,
  dock: (nth: number) => nth,
  contact: (nth: number) => `${nth}, ${personal}`
} as const

/** Values for some fields of a record, or for none. */
export const drawn = (
  draw: Random,
  record: CustomFields.RecordName
): { readonly customFields?: CustomFields.Values } => {
  if (Choice.isChance(draw, 0.4)) return {}
  const names = Choice.some(draw, Object.keys(declared[record])) as ReadonlyArray<keyof typeof texts>
  return { customFields: Object.fromEntries(names.map((name) => [name, texts[name](Choice.between(draw, 1, 20))])) }
}

/** The draft with one faulty value. Nothing of the draft may be stored. */
export const spoiled = (draft: OrderDraft): OrderDraft => ({ ...draft, customFields: { ...draft.customFields, po: 1 } })

const keyOf = (company: CompanyId, code: string) => `${company} ${code}`

/** Notes a product that was written. An update without values keeps the earlier values. */
export const write = (
  { products }: World.World,
  company: CompanyId,
  product: { readonly item_code: string; readonly custom_fields?: CustomFields.Values },
  operation: "create" | "update" | "delete"
): void => {
  const key = keyOf(company, product.item_code)
  if (operation === "create" || product.custom_fields !== undefined) products.set(key, product.custom_fields)
}

export const ofProduct = ({ products }: World.World, company: CompanyId, code: string): Values =>
  products.get(keyOf(company, code))

/** The values of a shipment, its order and its items. */
export interface Shown {
  readonly order: Values
  readonly own: Values
  readonly items: ReadonlyArray<Values>
}

/** The values that a shipment must have, or its event (`publicly`). Parts and returns have the forward shipment's values. */
export const expected = (world: World.World, shipment: Shipment, publicly = false): Shown => {
  const { sent, shipments } = world.placed.get(shipment.orderId) ?? {}
  const isKept = publicly || world.erased.has(shipment.orderId)
  const of = (record: CustomFields.RecordName, values: Values): Values =>
    values === undefined || !isKept ? values : policy.kept(record, values)
  const forward = shipments?.find(({ id }) => id === shipment.forwardId)
  const own = sent?.shipments.find(({ externalShipmentId }) => externalShipmentId === forward?.externalShipmentId)
  return {
    order: of("order", sent?.customFields),
    own: of("shipment", own?.customFields),
    items: shipment.items.map(({ sku }) => of("item", own?.lines.find((line) => line.sku === sku)?.customFields))
  }
}

const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : (value ?? null)

/** The faults of the values at `where`. */
export const faults = (where: string, shown: unknown, must: unknown): ReadonlyArray<string> => {
  const [found, known] = [JSON.stringify(shown, sorted), JSON.stringify(must, sorted)]
  return found === known ? [] : [`${where} shows ${found}, not ${known}`]
}

/** The faults of a text that is never erased: it must have no personal value. */
export const personalIn = (where: string, text: string): ReadonlyArray<string> =>
  text.includes(personal) ? [`${where} has a personal value: ${text}`] : []

/** Values to search for. Values of an erased order are preferred, because they must not be found. */
export const used = ({ draw, erased, placed }: World.World) => {
  const all = [...placed.values()].map(({ sent }) => sent)
  const deleted = [...erased].flatMap((id) => placed.get(id)?.sent ?? [])
  const some = deleted.length > 0 && Choice.isChance(draw, 0.5) ? deleted : all
  const values = (found: ReadonlyArray<Values>, name: string, other: unknown) =>
    Choice.oneOf(draw, [other, ...found.flatMap((one) => one?.[name] ?? [])].slice(-10))
  return {
    poNumber: values(
      some.map(({ customFields }) => customFields),
      "po_number",
      "PO-1"
    ),
    priority: values(
      some.flatMap(({ shipments }) => shipments.map(({ customFields }) => customFields)),
      "priority",
      1
    )
  }
}

/** The shipments of a company that a filter must find. */
export const found = (
  world: World.World,
  company: CompanyId,
  matches: (shown: Shown) => boolean
): ReadonlyArray<string> =>
  [...world.placed].flatMap(([orderId, { shipments }]) =>
    world.erased.has(orderId)
      ? []
      : shipments.flatMap((one) => (one.companyId === company && matches(expected(world, one)) ? [one.id] : []))
  )
