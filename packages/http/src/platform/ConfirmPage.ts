/**
 * The page on which a company accepts or declines a charge: plain HTML and a form, no script.
 */

import type { Agreement, Billing, BillingCalendar } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpPolicy } from "../RequestContext.ts"
import { confirmPath } from "./ConfirmApi.ts"

/**
 * Makes the URL of a confirm page from its link.
 */
export const confirmUrl = Effect.map(
  HttpPolicy,
  ({ publicUrl }) =>
    (link: string): string =>
      `${publicUrl.replace(/\/$/, "")}${confirmPath}/${link}`
)

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => escapes[c] ?? c)

const every = { month: "a month", year: "a year" } as const satisfies Record<BillingCalendar.Interval, string>

const money = (amount: number, currency: string): string => `${currency} ${Money.toText(amount, currency)}`

const priceText = (line: Agreement.Line, currency: string): string => {
  const price = money(line.amount, currency)
  if (line.pricing === "recurring" && line.interval !== null) return `${price} ${every[line.interval]}`
  if (line.pricing === "one_time") return `${price} once`
  return line.cap === null ? "by use, without a limit" : `by use, at most ${money(line.cap, currency)}`
}

const row = (currency: string) => (line: Agreement.Line) =>
  `<tr><th scope="row">${escaped(line.name)}${
    line.term === null ? "" : `<span class="term">${escaped(line.term)}</span>`
  }</th><td>${escaped(priceText(line, currency))}</td></tr>`

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const days = (count: number): string => `${count} ${count === 1 ? "day" : "days"}`

/**
 * What is said of usage lines. One without a cap has no limit, which the payer must know.
 */
const use = (lines: ReadonlyArray<Agreement.Line>): ReadonlyArray<readonly [string, string]> => {
  const used = lines.filter(({ pricing }) => pricing === "usage")
  if (used.length === 0) return []
  const limit = used.every(({ cap }) => cap !== null)
    ? "up to the most that is stated below"
    : "and for some of it there is no limit, as stated below"
  return [["Use", `What you use is charged with the next payment, ${limit}`]]
}

/**
 * What accepting costs, as pairs of a name and a text: today, next, and what else the payer must know.
 */
const costs = (offer: Billing.Offer): ReadonlyArray<readonly [string, string]> => {
  const { agreement, next, obstacle, replaces, tax, today } = offer
  if (obstacle !== null) return [["Can't be accepted now", obstacle]]
  const { currency, lines, trialDays } = agreement
  const taxed = tax === null ? "" : `, with ${tax.hundredths / 100} % ${tax.name}`
  return [
    ["Due today", `${money(today, currency)}${today > 0 ? taxed : ""}`],
    ...(trialDays > 0 ? [["Trial", `You pay nothing during the trial of ${days(trialDays)}`] as const] : []),
    ...(next === null
      ? []
      : [
          [
            "Next payment",
            `${money(next.amount, currency)}${taxed} on ${date.format(next.at)}. Then as listed below, until it is cancelled`
          ] as const
        ]),
    ...use(lines),
    ...(replaces.length > 0
      ? [["Replaces", `${replaces.join(", ")}. What you paid for it and have not used is taken off`] as const]
      : [])
  ]
}

const accept = ({ agreement, obstacle, today }: Billing.Offer): string =>
  obstacle === null
    ? `
<button class="accept" name="decision" value="accept">Accept${today > 0 ? ` and pay ${escaped(money(today, agreement.currency))}` : ""}</button>`
    : ""

const form = (offer: Billing.Offer) => `<form method="post">${accept(offer)}
<button name="decision" value="decline">Decline</button>
</form>
<p class="note">Accepting obliges ${escaped(offer.client.name)} to the payments above. Declining costs nothing and changes nothing.</p>`

const decided: Readonly<Record<string, string>> = {
  active: "This charge was accepted.",
  success: "This charge was accepted.",
  declined: "This charge was declined. Nothing is charged.",
  expired: "This charge expired before it was accepted or declined. Nothing is charged.",
  cancelled: "This charge was cancelled."
}

const style = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1c2430;--soft:#566070;--line:#d9dde3;--main:#0b5bd3;--on-main:#fff}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--text:#eef1f5;--soft:#a5b0bf;--line:#36404d;--main:#7db1ff;--on-main:#0b1420}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:.5rem 0}.kind,.term,.note,caption,dt{color:var(--soft)}
.test{padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem}
dl{margin:1.25rem 0;padding:1rem 0;border-block:1px solid var(--line)}
dt{font-size:.875rem}dd{margin:0 0 .75rem;overflow-wrap:anywhere}dd:last-child{margin:0}dd:first-of-type{font-size:1.5rem;font-weight:600}
table{width:100%;border-collapse:collapse}caption{text-align:left;padding-bottom:.25rem}
th,td{padding:.5rem 0;text-align:left;vertical-align:top;font-weight:400;border-top:1px solid var(--line);overflow-wrap:anywhere}
td{text-align:right;padding-left:1rem}.term{display:block;font-size:.875rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
button{flex:1 1 10rem;min-height:3rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--text);background:transparent;border:1px solid var(--soft);border-radius:.5rem;cursor:pointer}
button.accept{color:var(--on-main);background:var(--main);border-color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:3px}
@media (max-width:30rem){body{padding:0}main{margin:0;border:0;border-radius:0;min-height:100vh}}`

const html = (offer: Billing.Offer): string => {
  const { agreement, client, extension } = offer
  const { createdAt, currency, isTest, lines, name, status } = agreement
  const isOpen = status === "pending"
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}: payment request</title>
<style>${style}
</style>
</head>
<body>
<main>
<p class="kind">Payment request of ${date.format(createdAt)}</p>
<h1>${escaped(name)}</h1>
<p><strong>${escaped(extension)}</strong> asks <strong>${escaped(client.name)}</strong> to pay for it.</p>
${isTest ? '<p class="test">This is a test. Nothing will be charged.</p>\n' : ""}${
  isOpen
    ? `<dl>${costs(offer)
        .map(([what, text]) => `<dt>${what}</dt><dd>${escaped(text)}</dd>`)
        .join("")}</dl>\n`
    : `<p role="status"><strong>${escaped(decided[status] ?? `This charge is ${status}.`)}</strong></p>\n`
}<table>
<caption>What it consists of</caption>
<tbody>${lines.map(row(currency)).join("")}</tbody>
</table>
${isOpen ? form(offer) : ""}
</main>
</body>
</html>
`
}

/**
 * Chrome applies the policy to the redirect after a form too, so the policy allows the return URL.
 */
const contentPolicy = (returnUrl: string): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `form-action 'self' ${new URL(returnUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

const secrecy = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex"
}

export const response = (offer: Billing.Offer): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(html(offer), {
    contentType: "text/html; charset=utf-8",
    headers: {
      ...secrecy,
      "content-security-policy": contentPolicy(offer.agreement.confirmation?.returnUrl ?? "about:blank")
    }
  })

/**
 * Sends the browser back to the return URL, with the decision.
 */
export const redirect = (agreement: Agreement.Agreement): HttpServerResponse.HttpServerResponse => {
  const url = new URL(agreement.confirmation?.returnUrl ?? "about:blank")
  url.searchParams.set(agreement.kind === "one_time" ? "charge_id" : "subscription_id", agreement.id)
  url.searchParams.set("status", agreement.status)
  return HttpServerResponse.empty({ status: 303, headers: { ...secrecy, location: url.href } })
}
