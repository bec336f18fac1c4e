/**
 * The page on which a company accepts or declines a charge: plain HTML and a form, no script.
 */

import type { Agreement, BillingCalendar } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as DateTime from "effect/DateTime"
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

const priceText = (line: Agreement.Line, currency: string): string => {
  const price = `${currency} ${Money.toText(line.amount, currency)}`
  if (line.pricing === "recurring" && line.interval !== null) return `${price} ${every[line.interval]}`
  if (line.pricing === "one_time") return `${price} once`
  return line.cap === null ? "by use" : `by use, at most ${currency} ${Money.toText(line.cap, currency)}`
}

const row = (currency: string) => (line: Agreement.Line) =>
  `<tr><th scope="row">${escaped(line.name)}</th><td>${escaped(line.term ?? "")}</td><td>${escaped(priceText(line, currency))}</td></tr>`

const form = `<form method="post">
<button name="decision" value="accept">Accept</button>
<button name="decision" value="decline">Decline</button>
</form>`

const decided: Readonly<Record<string, string>> = {
  active: "This charge was accepted.",
  success: "This charge was accepted.",
  declined: "This charge was declined.",
  expired: "This charge expired before it was accepted or declined.",
  cancelled: "This charge was cancelled."
}

const style =
  "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}" +
  "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.5rem;border-bottom:1px solid #767676}" +
  "button{font:inherit;padding:.5rem 1.5rem;margin:1rem 1rem 0 0}"

const html = ({
  createdAt,
  currency,
  isTest,
  lines,
  name,
  status,
  trialDays
}: Agreement.Agreement): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(name)}</h1>
${isTest ? "<p>This is a test. Nothing will be charged.</p>\n" : ""}<p>Requested on ${DateTime.formatIsoDateUtc(DateTime.makeUnsafe(createdAt))}.</p>
<table>
<caption>What you pay for</caption>
<thead><tr><th scope="col">Charge</th><th scope="col">Terms</th><th scope="col">Price</th></tr></thead>
<tbody>${lines.map(row(currency)).join("")}</tbody>
</table>
${trialDays > 0 ? `<p>You pay nothing during the trial of ${trialDays} ${trialDays === 1 ? "day" : "days"}.</p>\n` : ""}${
  status === "pending" ? form : `<p role="status">${escaped(decided[status] ?? `This charge is ${status}.`)}</p>`
}
</main>
</body>
</html>
`

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

export const response = (agreement: Agreement.Agreement): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(html(agreement), {
    contentType: "text/html; charset=utf-8",
    headers: {
      ...secrecy,
      "content-security-policy": contentPolicy(agreement.confirmation?.returnUrl ?? "about:blank")
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
