/** The page on which a company accepts or declines a charge: plain HTML and a form, no script. */
import { LinkSigner } from "@crossdock/access"
import { AuditChain } from "@crossdock/audit"
import { Agreement, type Billing } from "@crossdock/billing"
import { Money } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpPolicy } from "../RequestContext.ts"
import { confirmPath } from "./PlatformScopes.ts"

/** Secret links of confirm pages: 64 hex characters, from a stored seed and the secret of signed links. */
export const confirmLinks = Effect.gen(function* () {
  const signer = yield* LinkSigner
  const { sha256 } = yield* AuditChain.Digest
  const { publicUrl } = yield* HttpPolicy
  const linkOf = (seed: string): string => sha256(signer.sign(`confirm ${seed}`))
  return { linkOf, urlOf: (seed: string) => `${publicUrl.replace(/\/$/, "")}${confirmPath}/${linkOf(seed)}` }
})

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (c) => escapes[c] ?? c)

/** The amount with the currency's code, since several currencies share a sign such as $. */
const money = (amount: number, currency: string): string => `${currency} ${Money.toText(amount, currency)}`

const priceText = (agreement: Agreement.Agreement, { amount, cap, interval, pricing }: Agreement.Line): string => {
  const { currency } = agreement
  if (pricing === "one_time") return `${money(amount, currency)} once`
  const each = ` a ${interval ?? Agreement.intervalOf(agreement)}`
  if (pricing === "recurring") return money(amount, currency) + each
  return cap === null ? "by use, without a limit" : `by use, at most ${money(cap, currency)}${each}`
}

const row = (agreement: Agreement.Agreement) => (line: Agreement.Line) =>
  `<tr><th scope="row">${escaped(line.name)}${
    line.term === null || line.term === "" ? "" : `<span class="term">${escaped(line.term)}</span>`
  }</th><td>${escaped(priceText(agreement, line))}${
    line.isTest && !agreement.isTest ? '<span class="term">A test: not charged</span>' : ""
  }</td></tr>`

const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

const days = (count: number): string => `${count} ${count === 1 ? "day" : "days"}`

type Terms = ReadonlyArray<readonly [name: string, text: string]>

const usageOf = ({ isTest, lines }: Agreement.Agreement): ReadonlyArray<Agreement.Line> =>
  lines.filter((line) => line.pricing === "usage" && !line.isTest && !isTest)

/** Describes usage lines without their names: the requester chose them, and they could contradict the sentence. */
const use = (agreement: Agreement.Agreement): Terms => {
  const used = usageOf(agreement)
  if (used.length === 0) return []
  const since = agreement.trialDays === 0 ? "" : " after the trial"
  const limit = used.some(({ cap }) => cap === null)
    ? ". There is no limit to what some of it may cost, as stated below"
    : ", up to the limits below"
  return [["Use", `What you use${since} is charged at the end of each ${Agreement.intervalOf(agreement)}${limit}`]]
}

const taxText = (tax: Billing.Offer["tax"]) => (tax === null ? "" : `, with ${tax.hundredths / 100} % ${tax.name}`)

const trial = ({ agreement: { trialDays }, next }: Billing.Offer): Terms => {
  const free = next === null ? "" : `. Nothing of it is charged before ${date.format(next.at)}`
  return trialDays === 0 ? [] : [["Trial", `${days(trialDays)}${free}`]]
}

const replacing = ({ agreement, replaces }: Billing.Offer): Terms => {
  const end = agreement.isTest ? ", which ends when you accept" : ""
  const successor = agreement.isTest ? " the subscription that replaces this test" : ""
  const text = `${replaces.join(", ")}${end}. What you paid for it and have not used is taken off${successor}`
  return replaces.length === 0 ? [] : [["Replaces", text]]
}

const later = ({ agreement, next, tax }: Billing.Offer): Terms => {
  if (next === null || agreement.isTest) return []
  const { currency, lines, trialDays } = agreement
  // Usage in a trial is free, so the first payment after the trial includes no usage.
  const isUsed = trialDays === 0 && usageOf(agreement).length > 0
  // A credit may cover the next payment, but later payments follow. After a test, no payment follows.
  const isRecurring = lines.some((line) => line.pricing === "recurring" && !line.isTest)
  if (next.amount === 0 && !isUsed && !isRecurring) return []
  const amount =
    next.amount === 0 && isUsed
      ? "What is used until then"
      : `${money(next.amount, currency)}${taxText(tax)}${isUsed ? " and what is used until then" : ""}`
  const interval = Agreement.intervalOf(agreement)
  return [
    ["Next payment", `${amount}, on ${date.format(next.at)}`],
    ...(interval === undefined
      ? []
      : [["After that", `Every ${interval} at the prices below${taxText(tax)}, until it is cancelled`] as const])
  ]
}

/** The cost of accepting: the payment due today, the next payment, and other conditions for the payer. */
const terms = (offer: Billing.Offer): Terms => {
  const { agreement, client, seller, tax, today } = offer
  return [
    ["Due today", `${money(today, agreement.currency)}${today > 0 ? taxText(tax) : ""}`],
    ...trial(offer),
    ...later(offer),
    ...use(agreement),
    ...replacing(offer),
    ["Invoices", `From ${seller} to ${client.name}`]
  ]
}

const termsList = (offer: Billing.Offer): string =>
  offer.obstacle === null
    ? `<dl>${terms(offer)
        .map(([name, text]) => `<dt>${name}</dt><dd>${escaped(text)}</dd>`)
        .join("")}</dl>\n`
    : `<p class="notice"><strong>It can't be accepted now.</strong> ${escaped(offer.obstacle)}</p>\n`

const accept = ({ agreement, obstacle, today }: Billing.Offer): string =>
  obstacle === null
    ? `
<button class="accept" name="decision" value="accept">Accept${today > 0 ? ` and pay ${escaped(money(today, agreement.currency))}` : ""}</button>`
    : ""

const effect = (offer: Billing.Offer): string => {
  const { agreement, company, obstacle, today } = offer
  if (obstacle !== null) return ""
  const now = today > 0 ? `pays ${money(today, agreement.currency)} now` : "pays nothing now"
  if (agreement.isTest) {
    const rest = today > 0 ? `${company} ${now}, which is still due for what it replaces. ` : ""
    return `Accepting starts a test, for which nothing is charged. ${rest}`
  }
  return later(offer).length === 0
    ? `If you accept, ${company} ${now}, and nothing after that. `
    : `If you accept, ${company} ${now} and agrees to the later payments above until the subscription is cancelled. Payments are not refunded. `
}

const form = (offer: Billing.Offer) => {
  const { confirmation } = offer.agreement
  const after =
    confirmation === null
      ? ""
      : ` You then go back to ${new URL(confirmation.returnUrl).host}. This request expires on ${time.format(confirmation.expiresAt)} UTC.`
  return `<p class="note">${escaped(effect(offer))}Declining costs nothing and changes nothing.${escaped(after)}</p>
<form method="post">${accept(offer)}
<button name="decision" value="decline">Decline</button>
</form>`
}

const decided: Readonly<Record<string, string>> = {
  active: "This charge was accepted",
  success: "This charge was accepted",
  frozen: "This charge was accepted. It is suspended, since a payment failed",
  no_renew: "This charge was accepted. It ends with its present period",
  declined: "This charge was declined. Nothing is charged",
  expired: "This charge expired before it was accepted or declined. Nothing is charged",
  cancelled: "This charge was cancelled"
}

const style = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1c2430;--soft:#566070;--line:#d9dde3;--main:#0b5bd3;--on-main:#fff}
@media (prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--text:#eef1f5;--soft:#a5b0bf;--line:#36404d;--main:#7db1ff;--on-main:#0b1420}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
h1{margin:0 0 .25rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:.5rem 0}table+.note{margin-top:1.25rem}.kind,.term,.note,caption,dt{color:var(--soft)}
.notice{padding:.75rem 1rem;border:1px solid var(--soft);border-radius:.5rem}
dl{margin:1.25rem 0;padding:1rem 0;border-block:1px solid var(--line)}
dt{font-size:.875rem}dd{margin:0 0 .75rem;overflow-wrap:anywhere}dd:last-child{margin:0}dd:first-of-type{font-size:1.5rem;line-height:1.25;font-weight:600}
table{width:100%;border-collapse:collapse}caption{text-align:left;padding-bottom:.25rem}
th,td{padding:.5rem 0;text-align:left;vertical-align:top;font-weight:400;border-top:1px solid var(--line)}
th{overflow-wrap:anywhere}td{text-align:right;padding-left:1rem}.term{display:block;font-size:.875rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}
button{flex:1 1 10rem;min-height:3rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--text);background:transparent;border:1px solid var(--soft);border-radius:.5rem;cursor:pointer}
button.accept{flex:2 1 14rem;color:var(--on-main);background:var(--main);border-color:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:3px}
@media (max-width:30rem){body{padding:0}main{margin:0;border:0;border-radius:0;min-height:100vh}}`

const html = (offer: Billing.Offer): string => {
  const { agreement, company, extension, today } = offer
  const { createdAt, isTest, lines, name, status } = agreement
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
<p><strong>${escaped(extension)}</strong> asks <strong>${escaped(company)}</strong> to pay.</p>
${isTest ? `<p class="notice">This is a test. Nothing will be charged${today > 0 ? " for it" : ""}.</p>\n` : ""}${
  isOpen
    ? termsList(offer)
    : `<p class="notice" role="status"><strong>${escaped(decided[status] ?? `This charge is ${status}`)}.</strong></p>\n`
}<table>
<caption>What it consists of${offer.tax === null ? "" : ", without tax"}</caption>
<tbody>${lines.map(row(agreement)).join("")}</tbody>
</table>
${isOpen ? form(offer) : ""}
</main>
</body>
</html>
`
}

/** Chrome applies the policy to the redirect after a form too, so the policy allows the return URL. */
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

/** Sends the browser back to the return URL, with the decision. */
export const redirect = (agreement: Agreement.Agreement): HttpServerResponse.HttpServerResponse => {
  const url = new URL(agreement.confirmation?.returnUrl ?? "about:blank")
  url.searchParams.set(agreement.kind === "one_time" ? "charge_id" : "subscription_id", agreement.id)
  url.searchParams.set("status", agreement.status)
  return HttpServerResponse.empty({ status: 303, headers: { ...secrecy, location: url.href } })
}
