/** The accounts of the sandbox, signed in. */
import { createHmac } from "node:crypto"
import type { Connection } from "./Connection.ts"
import { isObject } from "./JsonText.ts"
import { type Interface, named, type Operation } from "./Operation.ts"
import * as Request from "./Request.ts"

export interface Account {
  readonly name: string
  readonly interface: Interface
  /** The company of a seller or of a platform client. A marketplace has all companies that it sells for. */
  readonly company: 1 | 2
  /** Whether the account has every right on its interface. */
  readonly isFull: boolean
}

export interface SignedIn extends Account {
  readonly token: string
  readonly headers: Readonly<Record<string, string>>
}

const account = (name: string, its: Interface, company: 1 | 2, isFull = true): Account => ({
  name,
  interface: its,
  company,
  isFull
})

/** The accounts. Each password is the name followed by `-secret`. */
export const accounts: ReadonlyArray<Account> = [
  account("acme", "seller", 1),
  account("acme-blr1", "seller", 1, false),
  account("acme-adjust", "seller", 1, false),
  account("globex", "seller", 2),
  account("bazaar", "marketplace", 1),
  account("souk", "marketplace", 1, false),
  account("ops", "platform", 1),
  account("viewer", "platform", 1, false),
  account("globex-ops", "platform", 2),
  account("root", "operator", 1)
]

const basic = (name: string) => `Basic ${Buffer.from(`${name}:${name}-secret`).toString("base64")}`

/** The headers with a token, as the interface expects them. */
export const carrying = (its: Interface, token: string): Readonly<Record<string, string>> =>
  its === "platform" || its === "operator" ? { authorization: `Bearer ${token}` } : { "x-access-token": token }

/** The request that signs an account in. */
export const signIn = ({ company, interface: its, name }: Account): Request.Request => {
  const headers = { authorization: basic(name) }
  switch (its) {
    case "seller":
      return Request.make(named("seller token.body"), undefined, { headers })
    case "operator":
      return Request.make(named("operator token.body"), undefined, { headers })
    case "marketplace":
      return Request.make(named("marketplace token.body"), undefined, { headers, path: { marketplace_slug: name } })
    case "platform":
      return Request.make(named("platform token.token"), undefined, {
        headers,
        path: { company_id: String(company) },
        body: { grant_type: "client_credentials" }
      })
  }
}

export const all = async (connection: Connection): Promise<ReadonlyArray<SignedIn>> => {
  const callers: Array<SignedIn> = []
  for (const one of accounts) {
    const { json, status, text } = await connection.send(signIn(one))
    if (status !== 200 || !isObject(json)) throw new Error(`${one.name} can't sign in: ${status} ${text}`)
    const token = String(json.access_token)
    callers.push({ ...one, token, headers: carrying(one.interface, token) })
  }
  return callers
}

/** The account that has every right on the interface of this operation. */
export const fullOf = (callers: ReadonlyArray<SignedIn>, operation: Operation): SignedIn => {
  const found = callers.find((one) => one.interface === operation.interface)
  if (found === undefined) throw new Error(`Nobody is signed in at ${operation.interface}`)
  return found
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The caller's token with other claims or another header, signed with `secret`. */
export const resigned = (token: string, secret: string, claims: object, header: object = {}): string => {
  const [head = "", body = ""] = token.split(".")
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString())
  const signed = `${encode({ ...read(head), ...header })}.${encode({ ...read(body), ...claims })}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}
