/** Shipments: the newest of each status, and one with its lifecycle, its history and the moves that it allows. */
import type { Move } from "@crossdock/console"
import { drawing } from "./drawing.ts"
import {
  Act,
  badge,
  copy,
  facts,
  html,
  money,
  part,
  Screen,
  table,
  useLoaded,
  useSearch,
  when,
  wordsOf
} from "./parts.ts"
import { curl, type Props, type Session, valued } from "./session.ts"

export const orderStatuses = [
  ...(["CREATED", "CONFIRMED", "PROCESSING", "COMPLETED", "TRANSIT"] as const),
  ...(["HANDED_OVER_TO_CUSTOMER", "DELIVERED", "RETURN_PROCESSING", "RETURN_DELIVERED", "CANCELLED"] as const)
]

const ordered = ({ cancelledQuantity, quantity }: { readonly [K in "cancelledQuantity" | "quantity"]: number }) =>
  quantity + cancelledQuantity

const List = ({ session }: Props) => {
  const [status, search] = useSearch("Status", ["", ...orderStatuses])
  const pageOf = (orderStatus: (typeof orderStatuses)[number]) =>
    valued(session.shipments.info({ query: { orderStatus, pageSize: 50 } }))
  const all = useLoaded(async () => {
    const pages = await Promise.all(orderStatuses.filter((one) => status === "" || one === status).map(pageOf))
    return pages.flatMap(({ orders }) => orders).sort((a, b) => b.id.localeCompare(a.id))
  }, [session, status])
  return html`<${Screen} title="Orders" lead="The newest 50 shipments and returns of each status.">
    ${search}${all.show((shipments) =>
      table("Shipments", shipments, html`None. <code>npx crossdock trigger order</code> places one.`, [
        ["Shipment", ({ id }) => html`<a href="#/orders/${id}">${id}</a>`],
        ["Order", ({ marketplaceOrderId, orderingChannel }) => `${marketplaceOrderId} of ${orderingChannel}`],
        ["Status", ({ orderStatus }) => badge(orderStatus)],
        ["Items", ({ orderItems }) => orderItems.map((one) => `${ordered(one)} × ${one.sku}`).join(", ")],
        ["Total", ({ orderPrice: { currency, totalPrice } }) => money(totalPrice, currency), "number"],
        ["Ordered (UTC)", ({ orderDate }) => when(orderDate)]
      ])
    )}
  <//>`
}

/** The label of each operation's button, the client's operation, and its record besides the orderId. */
const buttonOf = (
  { operation, to }: Move,
  id: string,
  items: ReadonlyArray<{ orderItemId: string; quantity: number }>
) => {
  const orderItems = items.flatMap(({ orderItemId, quantity }) => (quantity > 0 ? [{ orderItemId, quantity }] : []))
  const one = orderItems.slice(0, 1).map((item) => ({ ...item, quantity: 1 }))
  const short = id.slice(-8)
  const awb = { awbNumber: `AWB${short}`, courierName: "A Courier" }
  const all = {
    confirm: ["Confirm", "confirm", { orderItems }],
    cancelPart: ["Cancel one unit", "cancel", { orderItems: one }],
    cancel: ["Cancel everything", "cancel", { orderItems }],
    invoiceSale: ["Invoice", "invoiceUpdate", { invoiceNumber: `INV-${short}`, invoiceType: "sale" }],
    creditNote: ["Issue a credit note", "invoiceUpdate", { invoiceNumber: `CN-${short}`, invoiceType: "return" }],
    pack: ["Pack", "pack", {}],
    dispatch: ["Dispatch", "dispatch", {}],
    awb: ["Assign an AWB", "awb", { ...awb, autoDispatch: false }],
    awbDispatch: ["Assign an AWB and dispatch", "awb", { ...awb, autoDispatch: true }],
    return: ["Accept the return as good", "return", {}],
    status: [`Report ${wordsOf(to)}`, "status", { orderStatus: to }]
  } as const
  return all[operation as keyof typeof all]
}

interface Button extends Pick<Session, "shipments"> {
  readonly button: ReturnType<typeof buttonOf>
  readonly id: string
  readonly done: () => void
}

const moveButton = ({ button: [label, name, more], done, id, shipments }: Button) => {
  const payload = [{ orderId: id, ...more }]
  const run = async () => {
    const { errors } = await valued((shipments[name] as unknown as typeof shipments.pack)({ payload }))
    if (errors[0] !== undefined) throw new Error(errors[0].message)
    done()
    return `${label}: done.`
  }
  return html`<li key=${label}>
    <${Act} kind=${name === "cancel" ? "plain grave" : "plain"} does=${{ [label]: run }} />
    <details><summary>curl<span class="hidden"> of ${label}</span></summary>${copy(curl("shipments", name, { payload }))}</details>
  </li>`
}

const One = ({ rest: [id = ""], session }: Props) => {
  const { about, shipments } = session
  const found = useLoaded(async () => {
    const [[shipment], { data }] = await Promise.all([
      valued(shipments.read({ query: { orderId: id } })),
      valued(shipments.track({ payload: { shipment_id: id } }))
    ])
    if (shipment === undefined) throw new Error(`There is no shipment ${id}.`)
    return { shipment, track: data }
  }, [session, id])
  return html`<${Screen} title="Shipment ${id}">${found.show(({ shipment, track }) => {
    const { operational_status: status, events } = track
    const { currency, totalPrice } = shipment.orderPrice
    const from = about.moves.filter((move) => move.from === status)
    const [own, others] = [true, false].map((mine) => from.filter(({ by }) => by.includes("seller") === mine))
    const buttons = own?.map((move) =>
      moveButton({ button: buttonOf(move, id, shipment.orderItems), done: found.reload, id, shipments })
    )
    const papers = [["label", shipment.labelPdfUrl] as const, ["invoice", shipment.A4invoicePdfUrl] as const]
    return html`<div class="shipment"><div>
      ${facts(
        ["Status", badge(shipment.orderStatus)],
        ["Step", wordsOf(status)],
        ["Order", `${shipment.marketplaceOrderId} of ${shipment.orderingChannel}`],
        ["Price", `${money(totalPrice, currency)}, ${shipment.paymentType}`],
        ["Pack by (UTC)", when(shipment.packByDate ?? shipment.sla)],
        ["Courier", shipment.courierName && `${shipment.courierName} ${shipment.awbNumber.join(", ")}`],
        ["Papers", shipment.labelPdfUrl && papers.map(([name, url]) => url && html`<a href=${url}>${name}</a> `)]
      )}
      ${part(
        "Allowed moves",
        shipment.lockStatus ? html`<p>None: it is locked.</p>` : html`<ul class="moves">${buttons}</ul>`,
        from.length === 0 && html`<p class="quiet">None: this is an end.</p>`,
        others?.map(
          ({ by, to }) => html`<p class="quiet">The ${by.join() || "host"} may move it to ${wordsOf(to)}.</p>`
        )
      )}
      ${part(
        "Items",
        table("Items", shipment.orderItems, "", [
          ["SKU", ({ sku }) => html`<code>${sku}</code>`],
          ["Title", ({ title }) => title],
          ["Units", ({ quantity }) => quantity, "number"],
          ["Cancelled", ({ cancelledQuantity }) => cancelledQuantity, "number"],
          ["Returned good", ({ qc }) => qc?.good ?? "–", "number"],
          ["Returned bad", ({ qc }) => qc?.bad ?? "–", "number"]
        ])
      )}
      ${part(
        "Timeline",
        html`<ol class="timeline">${events.map(
          ({ remark, status, timestamp }) =>
            html`<li><strong>${wordsOf(status)}</strong> <time datetime=${timestamp}>${when(timestamp)}</time> ${remark}</li>`
        )}</ol>`
      )}</div>
      ${part(
        "Lifecycle",
        drawing(
          about,
          events.map((one) => one.status),
          status
        )
      )}
    </div>`
  })}<//>`
}

export const Orders = (props: Props) => html`<${props.rest[0] === undefined ? List : One} ...${props} />`
