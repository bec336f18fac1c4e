/** Webhooks and health: what the host says of its background work. */
import { Act, badge, command, facts, html, part, Screen, table, useLoaded, when } from "./parts.ts"
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

export const Webhooks = ({ session }: Props) => {
  const host = useLoaded(read, [session])
  const logsOf = (type: string) => valued(session.audit.logs({ query: { qs: `entity.type:${type}`, limit: 20 } }))
  const receivers = useLoaded(() => Promise.all(["marketplace", "event_endpoint"].map(logsOf)), [session])
  return html`<${Screen} title="Webhooks" lead="Notifications of stock for marketplaces, and events for the company's backend.">
    ${part(
      "Deliveries of this host",
      host.show(({ sum, workers }) => [
        facts(
          ["Accepted notifications", sum("notifications_total", 'outcome="accepted"') ?? 0],
          ["Rejected tries", sum("notifications_total", 'outcome="rejected"') ?? 0],
          ["Pending notifications", sum("queue_entries", 'queue="notifications"')],
          ["Late endpoints", sum("queue_entries", 'queue="endpoints"')],
          ["Dead letters of stock", sum("dead_letters")],
          ["Dead letters of events", sum("event_dead_letters")]
        ),
        workerTable(workers.filter(({ name }) => /notif|webhook/.test(name))),
        refresh(host.reload)
      ]),
      html`<p>Receive bodies on this machine:</p>`,
      command("listen")
    )}
    ${part(
      "Changes of receivers",
      receivers.show((pages) =>
        table(
          "Changes of receivers",
          pages.flatMap(({ docs }) => docs),
          "None in the company's trail.",
          [
            ["When (UTC)", ({ date }) => when(date)],
            ["Receiver", ({ entity: { id } }) => id],
            ["Change", ({ _id, entity: { action } }) => html`<a href="#/audit/${_id}">${action}</a>`]
          ]
        )
      )
    )}
    ${part("Check a signature", html`<${Act} fields=${signed} does=${{ "Check the signature": verify }} />`)}
    ${part(
      "Dead letters",
      html`<p>List them with their bodies:</p>`,
      ["marketplace dead-letters SLUG", `endpoint dead-letters ${session.companyId} ENDPOINT`].map(command),
      html`<p>Send one again, once its receiver works:</p>`,
      [`marketplace resend SLUG ${session.companyId} ID`, `endpoint resend ${session.companyId} ENDPOINT ID`].map(
        command
      )
    )}
    ${part(
      "Pending notifications",
      html`<p>Send them now instead of at their next try:</p>`,
      ["marketplace wake SLUG", `endpoint wake ${session.companyId} ENDPOINT`].map(command)
    )}
  <//>`
}

export const Health = () => {
  const host = useLoaded(read, [])
  return html`<${Screen} title="Health" lead="This host, now.">
    ${host.show(({ isReady, samples, sum, workers }) => [
      facts(
        ["Ready", badge(isReady ? "ready" : "failing")],
        ["Requests", sum("http_requests_total")],
        ["Of them 5xx", sum("http_requests_total", 'status="5') ?? 0],
        ["Rejected records", sum("records_rejected_total") ?? 0],
        ["Event loop's delay, 99 %", sum("event_loop_delay_seconds", '"0.99"')?.toFixed(3)],
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
    ${part("Settings, database, clocks", html`<p>Checked where the host runs, each with its remedy:</p>`, command("doctor"))}
  <//>`
}
