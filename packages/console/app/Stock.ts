/** Stock: the levels, and one level as a sum of what caused it. */
import { orderStatuses } from "./Orders.ts"
import { html, money, part, Screen, table, useLoaded, useSearch, when, wordsOf } from "./parts.ts"
import { type Props, type Session, valued } from "./session.ts"

/** The largest page of levels, of shipments and of audit records. */
const most = 100

const List = ({ session }: Props) => {
  const [sku, search] = useSearch("SKU")
  const query = { page_size: most, ...(sku === "" ? {} : { skus: [sku] }) }
  const all = useLoaded(() => valued(session.listings.page({ query })), [session, sku])
  const link = (sku: string, location: string) => `#/stock/${encodeURIComponent(location)}/${encodeURIComponent(sku)}`
  return html`<${Screen} title="Stock" lead="The first ${most} levels. Open a number to see what it is the sum of.">
    ${search}${all.show(({ data }) =>
      table("Stock levels", data, html`None. <code>npx crossdock trigger stock</code> sends some.`, [
        ["SKU", ({ sku }) => html`<code>${sku}</code>`],
        ["Name", ({ name }) => name],
        ["Location", ({ location_id }) => location_id],
        ["On hand", ({ quantity }) => quantity, "number"],
        ["Reserved", ({ reserved }) => reserved, "number"],
        [
          "Sellable",
          ({ location_id, sellable, sku }) =>
            html`<a href=${link(sku, location_id)} aria-label="${sellable} of ${sku} at ${location_id}">${sellable}</a>`,
          "number"
        ],
        ["Price", ({ currency, esp }) => (esp === null ? "–" : money(esp, currency)), "number"]
      ])
    )}
  <//>`
}

/** A cause of a number: units, and where they are from. */
interface Cause {
  readonly at: string
  readonly units: number
  readonly what: string
  readonly href: string
}

/** While a forward shipment has one of these, its units are reserved; later they have left. */
const reserving: ReadonlyArray<string> = orderStatuses.slice(0, 4)

/** An audit record of a stock update: levels, and their units before and after. */
interface Update {
  readonly request: ReadonlyArray<readonly [location: string, sku: string]>
  readonly before: ReadonlyArray<number>
  readonly after: ReadonlyArray<number>
}

/** What changed a level, as far as one page of each source reaches. */
const explained = async ({ audit, listings, shipments }: Session, locationCode: string, sku: string) => {
  const shipmentsOf = (orderStatus: (typeof orderStatuses)[number]) =>
    valued(shipments.read({ query: { orderStatus, locationCode, pageSize: most } }))
  const [{ data }, { docs }, ...pages] = await Promise.all([
    valued(listings.page({ query: { skus: [sku], page_size: 500 } })),
    valued(audit.logs({ query: { qs: `entity.type:inventory ${JSON.stringify(sku)}`, limit: most } })),
    ...orderStatuses.map(shipmentsOf)
  ])
  const level = data.find(({ location_id }) => location_id === locationCode)
  if (level === undefined) throw new Error(`There is no stock of ${sku} at ${locationCode}.`)
  const updates = docs.map(({ _id, date: at, logs, recorded_by }): Cause => {
    const { after, before, request } = logs as Update
    const nth = request.findIndex(([location, one]) => location === locationCode && one === sku)
    const units = (after[nth] ?? 0) - (before[nth] ?? 0)
    return { at, units, what: `stock update by ${recorded_by.id}`, href: `#/audit/${_id}` }
  })
  /** The units of the shipments' items with this SKU. */
  const causes = (verb: string, unitsOf: (status: string, item: (typeof pages)[0][0]["orderItems"][0]) => number) =>
    pages.flat().flatMap(({ id, journeyType, modifiedDate: at, orderItems, orderStatus }) => {
      const status = journeyType === "return" ? "return" : orderStatus
      const what = `${verb} by shipment ${id}, ${wordsOf(orderStatus)}`
      const units = orderItems.reduce((sum, item) => (item.sku === sku ? sum + unitsOf(status, item) : sum), 0)
      return { at, units, what, href: `#/orders/${id}` }
    })
  const isReserved = (status: string) => reserving.includes(status)
  const hasLeft = (status: string) => !isReserved(status) && status !== "CANCELLED" && status !== "return"
  return {
    level,
    onHand: [
      ...updates,
      ...causes("taken", (status, { quantity }) => (hasLeft(status) ? -quantity : 0)),
      ...causes("brought back", (_, { qc }) => qc?.good ?? 0)
    ],
    reserved: causes("reserved", (status, { quantity }) => (isReserved(status) ? quantity : 0)),
    unsellable: causes("brought back bad", (_, { qc }) => qc?.bad ?? 0)
  }
}

/** A number as the sum of its causes. A rest is from before them, or of changes without a record here. */
const sum = (name: string, value: number, all: ReadonlyArray<Cause>) => {
  const causes = all.filter(({ units }) => units !== 0).sort((a, b) => b.at.localeCompare(a.at))
  const rest = causes.reduce((left, { units }) => left - units, value)
  return part(
    `${name}: ${value}`,
    table<Cause>(name, causes, "Nothing has changed it.", [
      ["When (UTC)", ({ at }) => when(at)],
      ["Units", ({ units }) => (units > 0 ? `+${units}` : `−${-units}`), "number"],
      ["Cause", ({ href, what }) => html`<a href=${href}>${what}</a>`]
    ]),
    rest === 0
      ? html`<p class="done">${value} is the sum of ${causes.length === 1 ? "this one" : `these ${causes.length}`}.</p>`
      : html`<p>These add up to ${value - rest}; ${rest} came before them or by an import.</p>`
  )
}

const One = ({ rest: [location = "", sku = ""], session }: Props) => {
  const found = useLoaded(() => explained(session, location, sku), [session, location, sku])
  return html`<${Screen} title="${sku} at ${location}">${found.show(({ level, onHand, reserved, unsellable }) => [
    html`<p class="equation"><b>${level.sellable}</b> sellable = <b>${level.quantity}</b> on hand − <b>${level.reserved}</b> reserved</p>`,
    html`<p class="quiet">${level.name}, ${level.size}. Changed ${when(level.modified_on)} UTC.</p>`,
    sum("On hand", level.quantity, onHand),
    sum("Reserved", level.reserved, reserved),
    level.unsellable > 0 && sum("Unsellable", level.unsellable, unsellable)
  ])}<//>`
}

export const Stock = (props: Props) => html`<${props.rest[1] === undefined ? List : One} ...${props} />`
