/** What a person who starts a host sees in a terminal: its addresses, the sandbox's logins and the next command. */
import * as RunningHost from "./RunningHost.ts"
import { isInMemory, nameOf } from "./Storage.ts"

/** A host that listens. */
export interface Started {
  readonly address: string
  /** Empty where the host doesn't serve its documentation at a known address. */
  readonly docsUrl: string
  readonly databaseUrl: string
  readonly sandbox: boolean
}

const logins = [
  ["Seller", "acme / acme-secret"],
  ["Marketplace", "bazaar / bazaar-secret"],
  ["Platform", "ops / ops-secret"]
] as const

/** Aligned lines, at most ten, between empty ones. */
export const text = ({ address, databaseUrl, docsUrl, sandbox }: Started): string => {
  const docs = docsUrl === "" ? [] : [["Docs", docsUrl] as const]
  const there = address === RunningHost.defaultUrl ? "" : ` --url ${address}`
  const next = sandbox
    ? [`npx crossdock trigger stock${there}`, `npx crossdock trigger order${there}`]
    : ["npx crossdock doctor"]
  const lines = [
    ["Crossdock", address],
    ...docs,
    ["Database", isInMemory(databaseUrl) ? "in memory, ends with this process" : nameOf(databaseUrl)],
    ...(sandbox ? logins : []),
    ...next.map((command, at) => [at === 0 ? "Next" : "", command] as const),
    ["Stop", "Ctrl-C"]
  ] as const
  return ["", ...lines.map(([name, value]) => `  ${name.padEnd(13)}${value}`), "", ""].join("\n")
}
