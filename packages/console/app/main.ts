/** The page: its frame, the screens by address, and the sign-in of operators. */

import type { About } from "@crossdock/console"
import { render } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Audit, Billing, Home } from "./Company.ts"
import { Health, Webhooks } from "./Host.ts"
import { Orders } from "./Orders.ts"
import { Products } from "./Products.ts"
import { Act, html, Screen, useLoaded } from "./parts.ts"
import { Stock } from "./Stock.ts"
import { companiesOf, connect, own } from "./session.ts"

/** In the order of the navigation. The address of a screen is its name: `#/orders`, and `#/orders/ID` for one of its things. */
const screens = { Home, Orders, Stock, Products, Webhooks, Billing, Audit, Health }

/** An operator signs in, and then opens a company. */
const SignIn = ({
  choose,
  operator,
  reload
}: {
  operator: string | null
  reload: () => void
  choose: (id: number) => void
}) => {
  const signIn = async (credentials: object) => {
    await own("session", "POST", credentials)
    reload()
    return "You are signed in."
  }
  const open = async ({ company = "" }) => {
    await own("tokens", "POST", { company_id: Number(company) })
    choose(Number(company))
    return `You act for company ${company}.`
  }
  return operator === null
    ? html`<${Screen} key="in" title="Sign in" lead="With an operator's account: crossdock operator add makes one.">
        <${Act} fields=${[["Username", "username"], ["Password", "password", "", "password"]]} does=${{ "Sign in": signIn }} /><//>`
    : html`<${Screen} key="open" title="Open a company" lead="Its audit trail records it, and what you change, with your name.">
        <${Act} fields=${[["Company's number", "company"]]} does=${{ Open: open }} /><//>`
}

const App = ({ about, reload }: { about: About; reload: () => void }) => {
  const [address, go] = useState(location.hash)
  useEffect(() => addEventListener("hashchange", () => go(location.hash)), [])
  const [name = "", ...rest] = address.slice(2).split("/").map(decodeURIComponent)
  const companies = companiesOf(about.logins)
  const [company, set] = useState(Number(sessionStorage.getItem("company")) || (companies[0]?.companyId ?? 0))
  const choose = (id: number) => {
    sessionStorage.setItem("company", String(id))
    set(id)
  }
  const session = useMemo(() => connect(about, company), [about, company])
  const isIn = company !== 0 && (about.operator !== null || companies.length > 0)
  const [current, View] = Object.entries(screens).find(([one]) => one.toLowerCase() === name) ?? ["Home", Home]
  const signOut = async () => {
    await own("session", "DELETE")
    choose(0)
    reload()
    return ""
  }
  const link = (one: string) =>
    html`<li><a href="#/${one.toLowerCase()}" aria-current=${one === current ? "page" : null}>${one}</a></li>`
  const option = (one: (typeof companies)[number]) =>
    html`<option value=${one.companyId} selected=${one.companyId === company}>${one.name}</option>`
  const change = (event: { readonly currentTarget: HTMLSelectElement }) => choose(Number(event.currentTarget.value))
  const other = async () => {
    choose(0)
    return ""
  }
  const leave = { ...(isIn ? { "Other company": other } : {}), "Sign out": signOut }
  return html`<header>
      <a class="brand" href="#/home">Crossdock</a>
      ${isIn && html`<nav aria-label="Screens"><ul>${Object.keys(screens).map(link)}</ul></nav>`}
      ${companies.length > 0 && html`<p class="who"><label for="company">Act for</label><select id="company" onChange=${change}>${companies.map(option)}</select></p>`}
      ${about.operator !== null && html`<div class="who"><span>${about.operator}</span><${Act} kind="plain" does=${leave} /></div>`}
    </header>
    ${isIn ? html`<${View} key=${`${company} ${address}`} session=${session} rest=${rest} />` : html`<${SignIn} operator=${about.operator} reload=${reload} choose=${choose} />`}`
}

const Start = () => {
  const about = useLoaded(async (): Promise<About> => (await own("about")).json(), [])
  return about.show((value) => html`<${App} about=${value} reload=${about.reload} />`)
}

const root = document.getElementById("app")
if (root !== null) render(html`<${Start} />`, root)
