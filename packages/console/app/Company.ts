/** The screens of a company's records: home, billing and the audit trail. */
import type { Operator, Platform } from "@crossdock/client"
import type { Login } from "@crossdock/console"
import { useEffect, useState } from "preact/hooks"
import {
  Act,
  badge,
  type Column,
  command,
  copy,
  facts,
  html,
  money,
  part,
  Screen,
  table,
  useLoaded,
  useSearch,
  when
} from "./parts.ts"
import { base, type Props, valued } from "./session.ts"

const recordColumns: ReadonlyArray<Column<Platform.LogDocs>> = [
  ["When (UTC)", ({ date }) => when(date)],
  ["Change", ({ _id, entity: { action, type } }) => html`<a href="#/audit/${_id}">${type} ${action}</a>`],
  ["Id", ({ entity: { id, ids = [] } }) => (ids.length < 2 ? id : `${ids[0]} and ${ids.length - 1} more`)],
  ["By", ({ recorded_by: { id, kind } }) => `${id} (${kind.replace("_", " ")})`]
]

const loginColumns: ReadonlyArray<Column<Login>> = [
  [
    "Interface",
    ({ kind }) =>
      ({ integration: "Seller", marketplace: "Marketplace", platform_client: "Platform", operator: "Operator" })[kind]
  ],
  ["Username", ({ username }) => html`<code>${username}</code>`],
  ["Password", ({ password }) => html`<code>${password}</code>`],
  ["Company", ({ company }) => company ?? "–"]
]

export const Home = ({ session: { about, audit, company, shipments } }: Props) => {
  const placed = useLoaded(
    () => valued(shipments.info({ query: { orderStatus: "CREATED", pageSize: 1 } })),
    [shipments]
  )
  const records = useLoaded(() => valued(audit.logs({ query: { qs: "{}", limit: 8 } })), [audit])
  return html`<${Screen} title="Home" lead="You act for ${company}.">
    ${part(
      "Next step",
      placed.show(({ orders: [first] }) =>
        first === undefined
          ? [html`<p>No order is pending. Place one as a marketplace:</p>`, command(`trigger order --url ${base}`)]
          : html`<p>${first.orderingChannel} has ordered: <a href="#/orders/${first.id}">confirm shipment ${first.id}</a>.</p>`
      )
    )}
    ${part(
      "What happened last",
      records.show(({ docs }) => table("Audit records", docs, "Nothing yet.", recordColumns))
    )}
    ${about.logins.length > 0 && part("Accounts of the sandbox", table("Accounts", about.logins, "", loginColumns))}
  <//>`
}

const RecordList = ({ session: { audit, companyId, operator } }: Props) => {
  const [words, search] = useSearch("Words, or keys such as entity.type:order")
  const [cursor, older] = useState<string>()
  useEffect(() => older(undefined), [words])
  const query = { qs: words.trim() || "{}", limit: 25, ...(cursor === undefined ? {} : { cursor }) }
  const found = useLoaded(() => valued(audit.logs({ query })), [audit, words, cursor])
  const chain = useLoaded(
    () => valued(operator.companies.auditChain({ params: { company_id: companyId } })),
    [operator]
  )
  return html`<${Screen} title="Audit" lead="Every change of the company's data, newest first.">
    ${part(
      "Chain",
      html`<p>Each record's hash covers the one before it, so no record can be changed or removed unnoticed.</p>`,
      chain.show(({ broken, hash, records, sequence }) =>
        facts(
          ["State", badge(broken === null ? "intact" : "broken")],
          ["Fault", broken && `Record ${broken.sequence} ${broken.reason}`],
          ["Verified records", records],
          ["Last record", sequence],
          ["Its hash", html`<code>${hash}</code>`]
        )
      )
    )}
    ${part(
      "Records",
      search,
      found.show(({ docs, page: { has_next, next_cursor } }) => [
        table("Audit records", docs, "No record matches.", recordColumns),
        has_next && html`<p><button type="button" onClick=${() => older(next_cursor)}>Older records</button></p>`
      ])
    )}
  <//>`
}

const Record = ({ rest: [id = ""], session: { audit } }: Props) => {
  const found = useLoaded(() => valued(audit.log({ params: { id } })), [audit, id])
  return html`<${Screen} title="Record ${id}">${found.show((record) => [
    facts(...recordColumns.map(([name, cell]) => [name, cell({ ...record, application: "" })] as const), [
      "Request",
      record.request_id
    ]),
    part("In full", copy(JSON.stringify(record, null, 2), "record"))
  ])}<//>`
}

export const Audit = (props: Props) => html`<${props.rest[0] === undefined ? RecordList : Record} ...${props} />`

const planColumns: ReadonlyArray<Column<Operator.Plan>> = [
  ["Id", ({ id }) => html`<code>${id}</code>`],
  ["Name", ({ name }) => name],
  ["Price", ({ currency, interval, price }) => `${money(price, currency)} a ${interval}`, "number"],
  ["Trial", ({ trialDays = 0 }) => (trialDays === 0 ? "none" : `${trialDays} days`)],
  ["State", ({ isActive }) => badge(isActive ? "offered" : "withdrawn")]
]

/** Moves the clock of a sandbox ahead. */
const advanceClock = async (by: string) => {
  const headers = { "x-crossdock-clock": "1" }
  const answer = await fetch(`${base}/sandbox/clock?advance=${encodeURIComponent(by)}`, { method: "POST", headers })
  const { message, now = "" }: { readonly now?: string; readonly message?: string } = await answer.json()
  if (!answer.ok) throw new Error(message)
  return `It is ${when(now)} UTC now. What is due by then follows within seconds.`
}

export const Billing = ({ session: { about, billing, company, operator } }: Props) => {
  const plans = useLoaded(async () => (await valued(operator.plans.list())).items, [operator])
  const found = useLoaded(async () => {
    const current = await valued(billing.current())
    return { ...current, invoices: (await valued(billing.invoices({ query: { page: 1, limit: 25 } }))).data }
  }, [billing])
  const preview = async ({ coupon_code = "", plan = "" }) => {
    const { discount_amount } = await valued(billing.checkValidity({ query: { plan, coupon_code } }))
    return `${coupon_code} takes ${discount_amount} off the price of ${plan}.`
  }
  const activate = async ({ coupon_code = "", name = "", plan: plan_id = "" }) => {
    await valued(billing.putCustomer({ payload: { name } }))
    const { data } = await valued(billing.activate({ payload: { plan_id, coupon_code: coupon_code || null } }))
    found.reload()
    return `${data.plan_data.name} runs until ${when(data.current_period.end)} UTC.`
  }
  const clock = async ({ by = "" }) => {
    const said = await advanceClock(by)
    found.reload()
    return said
  }
  const fields = [
    ["Plan", "plan", "basic"] as const,
    ["Coupon", "coupon_code"] as const,
    ["Customer's name", "name", company] as const
  ]
  return html`<${Screen} title="Billing" lead="The company's agreement with this platform.">
    ${found.show(({ invoices, mandate_amount, subscription }) => [
      part(
        "Plan",
        subscription === undefined
          ? html`<p>None is active. Activate one below.</p>`
          : facts(
              [
                "Plan",
                `${subscription.plan_data.name}, ${money(subscription.plan_data.amount, subscription.plan_data.currency)}`
              ],
              ["Status", badge(subscription.current_status)],
              ["Trial until (UTC)", subscription.trial && when(subscription.trial.end)],
              ["Period until (UTC)", when(subscription.current_period.end)],
              [
                "Next invoice, before credit and tax",
                mandate_amount && money(Number(mandate_amount), subscription.plan_data.currency)
              ]
            )
      ),
      part(
        "Activate a plan",
        html`<${Act} fields=${fields} does=${{ "Preview the coupon": preview, "Activate the plan": activate }} />`
      ),
      part(
        "Plans",
        plans.show((all) => table("Plans", all, "None. Add one: crossdock plan add.", planColumns))
      ),
      part(
        "Invoices",
        table("Invoices", invoices, "None yet. A trial has none before its end.", [
          ["Number", ({ invoice_url, number }) => (invoice_url ? html`<a href=${invoice_url}>${number}</a>` : number)],
          ["Status", ({ current_status }) => badge(current_status)],
          ["Items", ({ invoice_items }) => invoice_items.map(({ amount, name }) => `${name} ${amount}`).join(" + ")],
          ["Total", ({ currency, total }) => money(total, currency), "number"],
          ["Period (UTC)", ({ period }) => `${period.start.slice(0, 10)} – ${period.end.slice(0, 10)}`]
        ])
      ),
      about.logins.length > 0 &&
        part(
          "Clock of the sandbox",
          html`<p>Ahead of time, a trial ends, an invoice is paid, and a rejected webhook is tried again.</p>
            <${Act} kind="line" fields=${[["Time to skip, such as 14d or 90s", "by", "14d"]]} does=${{ Advance: clock }} />`
        )
    ])}
  <//>`
}
