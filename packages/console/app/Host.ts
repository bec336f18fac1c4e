/** Webhooks and health: what the host says of its background work. */
import type { Operator } from "@crossdock/client"
import { Act, badge, type Column, command, copy, facts, html, part, Screen, table, useLoaded, when } from "./parts.ts"
import { base, type Props, valued } from "./session.ts"

interface Worker {
  readonly name: string
  readonly state: string
  readonly since: string
}

/** Metrics and readiness. A host may serve no metrics here. */
const read = async () => {
  const [metrics, ready] = await Promise.all([fetch(`${base}/metrics`), fetch(`${base}/health/ready`)])
  const lines = (metrics.ok ? await metrics.text() : "").matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)
  const samples = Array.from(lines, ([, name = "", labels = "", value]) => ({ name, labels, value: Number(value) }))
  const sum = (name: string, label = "") => {
    const series = samples.filter((one) => one.name === `crossdock_${name}` && one.labels.includes(label))
    return series.length === 0 ? undefined : series.reduce((all, { value }) => all + value, 0)
  }
  const { workers = [] }: { readonly workers?: ReadonlyArray<Worker> } = await ready.json()
  return { isReady: ready.ok, samples, sum, workers }
}

const workerTable = (workers: ReadonlyArray<Worker>) =>
  table("Workers", workers, "None on this host: another one on its database does it.", [
    ["Worker", ({ name }) => name],
    ["State", ({ state }) => badge(state)],
    ["Since (UTC)", ({ since }) => when(since)]
  ])

const refresh = (reload: () => void) => html`<p><button type="button" onClick=${reload}>Refresh</button></p>`

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** Verifies a signature by the Standard Webhooks specification. */
const verify = async ({ body, id, secret = "", signature = "", timestamp }: Readonly<Record<string, string>>) => {
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", bytesOf(secret.replace("whsec_", "")), hmac, false, ["verify"])
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const each = signature
    .split(" ")
    .map((one) => crypto.subtle.verify("HMAC", key, bytesOf(one.replace("v1,", "")), text))
  if ((await Promise.all(each)).includes(true)) return "Right: the secret signed this body."
  throw new Error("Wrong: another secret signed it, or the body isn't as it arrived, byte by byte.")
}

const signed = [
  ...[["webhook-id", "id"] as const, ["webhook-timestamp", "timestamp"] as const],
  ...[["webhook-signature", "signature"] as const, ["Secret", "secret", "", "password"] as const],
  ["Body", "body", "", "area"] as const
]

type Delivery = Operator.Delivery

const addressOf = ({ kind, receiver }: Pick<Delivery, "kind" | "receiver">, ...more: ReadonlyArray<string>) =>
  `#/webhooks/${[kind, receiver, ...more].map(encodeURIComponent).join("/")}`

const kindOf = (kind: string) => (kind === "marketplace" ? "stock, to a marketplace" : "events, to a backend")

const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  ["Receiver", (one) => html`<a href=${addressOf(one)}>${one.receiver}</a>`],
  ["Sends", ({ kind }) => kindOf(kind)],
  ["State", ({ state }) => (state === "off" ? "no webhook" : badge(state))],
  ["Accepted", ({ accepted, last }) => `${accepted} of ${last}`, "number"],
  ["Rejected tries", ({ failures }) => failures, "number"],
  ["Next try (UTC)", ({ nextAt }) => (nextAt === null ? "–" : when(nextAt))],
  ["Dead letters", ({ deadLetters }) => deadLetters, "number"]
]

const letterColumns: ReadonlyArray<Column<Operator.DeadLetter>> = [
  ["Id", (one) => html`<a href=${addressOf(one, one.id)}><code>${one.id}</code></a>`],
  ["Receiver", ({ receiver }) => receiver],
  ["Given up (UTC)", ({ at }) => when(at)],
  ["Tries", ({ failures }) => failures, "number"],
  ["Last answer", ({ failure }) => failure]
]

const signatureCheck = (id = "", body = "") => {
  const known: Readonly<Record<string, string>> = { id, body }
  const fields = signed.map(([label, name, , kind]) => [label, name, known[name] ?? "", kind])
  return part("Check a signature", html`<${Act} fields=${fields} does=${{ "Check the signature": verify }} />`)
}

const WebhookList = ({ session }: Props) => {
  const { companyId: company_id, operator } = session
  const host = useLoaded(read, [session])
  const found = useLoaded(async () => {
    const input = { params: { company_id } }
    const [deliveries, letters] = [operator.webhooks.deliveries(input), operator.webhooks.deadLetters(input)]
    return { deliveries: (await valued(deliveries)).items, letters: (await valued(letters)).items }
  }, [session])
  return html`<${Screen} title="Webhooks" lead="Notifications of stock for marketplaces, and events for the company's backend.">
    ${found.show(({ deliveries, letters }) => [
      part(
        "Deliveries",
        table(
          "Deliveries",
          deliveries,
          "No marketplace sells for the company, and it has no endpoint.",
          deliveryColumns
        ),
        refresh(found.reload)
      ),
      part("Dead letters", table("Dead letters", letters, "None: nothing was given up.", letterColumns))
    ])}
    ${part(
      "This host",
      host.show(({ sum, workers }) => [
        facts(
          ["Accepted notifications", sum("notifications_total", 'outcome="accepted"') ?? 0],
          ["Rejected tries", sum("notifications_total", 'outcome="rejected"') ?? 0]
        ),
        workerTable(workers.filter(({ name }) => /notif|webhook/.test(name)))
      ]),
      html`<p>Receive bodies on this machine:</p>`,
      command("listen")
    )}
    ${signatureCheck()}
  <//>`
}

const jsonOf = (body: unknown) => JSON.stringify(body, null, 2)

const OneDelivery = ({ rest: [kind = "", receiver = ""], session: { companyId, operator } }: Props) => {
  const params = { company_id: companyId, kind: kind as Delivery["kind"], receiver }
  const found = useLoaded(() => valued(operator.webhooks.delivery({ params })), [operator, kind, receiver])
  const wake = async () => {
    await valued(operator.webhooks.wake({ params }))
    found.reload()
    return "It is tried again now."
  }
  return html`<${Screen} title=${receiver} lead=${`Webhooks of ${kindOf(kind)}.`}>${found.show(({ body, ...one }) => [
    facts(
      ...deliveryColumns.slice(2).map(([name, cell]) => [name, cell(one)] as const),
      ["Last answer", one.failure],
      ["Address", one.url && html`<code>${one.url}</code>`],
      ["Types of events", one.types?.join(", ")]
    ),
    ["rejected", "disabled", "unsubscribed"].includes(one.state) && html`<${Act} does=${{ "Send now": wake }} />`,
    part(
      "Next body",
      body === null ? html`<p class="quiet">None: everything was accepted.</p>` : copy(jsonOf(body), "body")
    )
  ])}<//>`
}

const OneLetter = ({ rest: [kind = "", receiver = "", id = ""], session: { companyId, operator } }: Props) => {
  const params = { company_id: companyId, kind: kind as Delivery["kind"], receiver, id }
  const found = useLoaded(async () => {
    const { items } = await valued(operator.webhooks.deadLetters({ params: { company_id: companyId } }))
    return items.find((one) => one.id === id && one.receiver === receiver) ?? null
  }, [operator, id])
  const resend = async () => {
    await valued(operator.webhooks.resend({ params }))
    return "It is sent again, before newer webhooks."
  }
  return html`<${Screen} title="Dead letter ${id}" lead=${`Given up after three days of tries. Of ${kindOf(kind)}.`}>${found.show(
    (letter) =>
      letter === null
        ? html`<p>It is no longer there: it was sent again, or deleted by retention.</p>`
        : [
            facts(...letterColumns.slice(1).map(([name, cell]) => [name, cell(letter)] as const), [
              "First try (UTC)",
              when(letter.since)
            ]),
            html`<${Act} does=${{ "Send again": resend }} />`,
            part("Body", copy(jsonOf(letter.body), "body")),
            signatureCheck(id, JSON.stringify(letter.body))
          ]
  )}<//>`
}

export const Webhooks = (props: Props) =>
  html`<${[WebhookList, WebhookList, OneDelivery, OneLetter][props.rest.length]} ...${props} />`

const findingColumns: ReadonlyArray<Column<Operator.Finding>> = [
  ["State", ({ state }) => badge(state)],
  ["Check", ({ check }) => check],
  ["Found", ({ says }) => says],
  ["To do", ({ todo }) => todo ?? "–"]
]

export const Health = ({ session: { operator } }: Props) => {
  const host = useLoaded(read, [])
  const found = useLoaded(async () => (await valued(operator.host.findings())).items, [operator])
  return html`<${Screen} title="Health" lead="This host, now.">
    ${part(
      "Checks",
      found.show((all) => {
        const worst = ["fault", "warning", "ok"]
        const sorted = all.toSorted((one, other) => worst.indexOf(one.state) - worst.indexOf(other.state))
        return table("Checks", sorted, "This host has no checks of its own: crossdock doctor has.", findingColumns)
      })
    )}
    ${host.show(({ isReady, samples, sum, workers }) => [
      facts(
        ["Ready", badge(isReady ? "ready" : "failing")],
        ["Requests", sum("http_requests_total")],
        ["Of them 5xx", sum("http_requests_total", 'status="5') ?? 0],
        ["Rejected records", sum("records_rejected_total") ?? 0],
        ["Event loop's delay in s, 99 %", sum("event_loop_delay_seconds", '"0.99"')?.toFixed(3)],
        ["Database in kB", sum("database_size_bytes") && Math.round((sum("database_size_bytes") ?? 0) / 1000)]
      ),
      part("Background work", workerTable(workers)),
      part(
        "Answers",
        table(
          "Answers",
          samples
            .filter(({ name }) => name === "crossdock_http_requests_total")
            .sort((a, b) => b.value - a.value)
            .slice(0, 15),
          "This host serves no metrics here.",
          [
            ["Route", ({ labels }) => labels.replaceAll(/(\w+)="([^"]*)",?/g, "$2 ")],
            ["Answers", ({ value }) => value, "number"]
          ]
        )
      ),
      refresh(host.reload)
    ])}
  <//>`
}
