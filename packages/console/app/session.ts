/** Who is signed in, and the calls of the host's interfaces as that caller. */
import { addressOf, type Input, type Operation, Platform, Seller } from "@crossdock/client/contracts"
import * as Client from "@crossdock/client/promise"
import type { About, Login } from "@crossdock/console"

/** The host's address: the page's own, without `/console`. */
export const base = `${location.origin}${location.pathname.replace(/\/console$/, "")}`

/** The value of an outcome, or an exception with the host's sentence. */
export const valued = async <A>(outcome: Promise<Client.Outcome<A, Error>>): Promise<A> => {
  const settled = await outcome
  if (!settled.ok) throw settled.error
  return settled.value
}

/** A request to the console's own routes. They take none of another site's. */
export const own = async (path: string, method = "GET", body?: unknown): Promise<Response> => {
  const headers = { "x-crossdock-console": "1", "content-type": "application/json" }
  const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const answer = await fetch(`${base}/console/${path}`, sent)
  if (!answer.ok) throw new Error(((await answer.json()) as { readonly message: string }).message)
  return answer
}

/** Answers the clients' sign-ins with the operator's tokens for the company. */
const asOperator =
  (company_id: number): typeof fetch =>
  async (input, init) => {
    const { pathname } = new URL(String(input))
    if (!pathname.endsWith("/token")) return fetch(input, init)
    const tokens: Readonly<Record<string, string>> = await (await own("tokens", "POST", { company_id })).json()
    const kind = pathname.endsWith("/oauth/token")
      ? "platform"
      : pathname.includes("/operator/")
        ? "operator"
        : "seller"
    return Response.json({ access_token: tokens[kind] })
  }

/** The sandbox's companies: the first account of each for either interface. */
export const companiesOf = (logins: ReadonlyArray<Login>) =>
  [...new Set(logins.flatMap(({ companyId }) => companyId ?? []))].flatMap((companyId) => {
    const first = (kind: Login["kind"]) => logins.find((one) => one.companyId === companyId && one.kind === kind)
    const [seller, platform] = [first("integration"), first("platform_client")]
    return seller && platform ? [{ companyId, name: seller.company, seller, platform }] : []
  })

export interface Session
  extends ReturnType<typeof Client.seller>,
    Pick<ReturnType<typeof Client.platform>, "audit" | "billing"> {
  readonly operator: ReturnType<typeof Client.operator>
  readonly about: About
  readonly company: string
  readonly companyId: number
}

/** A company and the clients of its interfaces, which sign in with their first call. */
export const connect = (about: About, companyId: number): Session => {
  const login = companiesOf(about.logins).find((one) => one.companyId === companyId)
  const shared = { url: base, fetch: login === undefined ? asOperator(companyId) : fetch.bind(window) }
  const { password = "", username = "" } = login?.seller ?? {}
  const root = about.logins.find(({ kind }) => kind === "operator") ?? { username: "", password: "" }
  const [clientId = "", clientSecret = ""] = [login?.platform.username, login?.platform.password]
  return {
    about,
    companyId,
    company: login?.name ?? `company ${companyId}`,
    operator: Client.operator({ ...shared, username: root.username, password: root.password }),
    ...Client.platform({ ...shared, companyId, clientId, clientSecret }),
    ...Client.seller({ ...shared, username, password })
  }
}

/** What a screen is given: the session, and the parts of its address after its name. */
export interface Props {
  readonly session: Session
  readonly rest: ReadonlyArray<string>
}

const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  ...Seller.operations,
  ...Platform.operations
}

/** An operation as a command for a terminal. `$TOKEN` is the access_token of a sign-in. */
export const curl = (group: string, name: string, input: Input): string => {
  const operation = operations[group]?.[name]
  if (operation === undefined) return ""
  const body = input.payload === undefined ? [] : [`--json '${JSON.stringify(input.payload).replaceAll("'", "'\\''")}'`]
  const parts = [
    `curl -X ${operation.method} ${addressOf(base, operation, input)}`,
    '-H "x-access-token: $TOKEN"',
    ...body
  ]
  return parts.join(" \\\n  ")
}
