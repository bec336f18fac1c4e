/** Handlers: companies, sellers in bulk, accounts. */
import { type Account, Directory, PasswordHash } from "@crossdock/access"
import { AuditTrail } from "@crossdock/audit"
import { AccountsGroup, accountKinds, Authentication, CompaniesGroup, Endpoints, Reply, sellers } from "@crossdock/http"
import { Bulk, CompanyId, Ids, Page } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Accounts from "../Accounts.ts"
import * as Companies from "../Companies.ts"
import * as SellerBulk from "../SellerBulk.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

/** The items of a page of them. */
export const paged = <A, B>(
  all: ReadonlyArray<A>,
  { pageNumber: number, pageSize: size }: { readonly pageNumber: number; readonly pageSize: number },
  view: (item: A) => B
) => {
  const from = Page.offset({ number, size })
  return { items: all.slice(from, from + size).map(view), total: all.length }
}

const companyView = ({ closedAt, id, legalName, name }: Companies.Found["company"]) => ({
  ...{ id, name, legalName },
  ...(closedAt === undefined ? {} : { closedAt: new Date(closedAt).toISOString() })
})

const detailsOf = ({ company, locations }: Companies.Found) => ({
  ...companyView(company),
  locations: locations.map(({ companyId: _, ...location }) => ({
    ...location,
    address: location.address && { ...location.address }
  }))
})

export const companies: OperatorWrite.Handled = Endpoints.group(CompaniesGroup, function* (handlers) {
  const directory = yield* Directory
  const { close, find, register, reopen, withdraw } = yield* Companies.Companies
  const { verify } = yield* AuditTrail.AuditTrail
  const { act, prepare, write } = yield* OperatorWrite.make
  const services = { ids: yield* Ids.Ids, reply: yield* Reply.Reply }
  const accounts = yield* Effect.provideServiceEffect(Accounts.make, PasswordHash, OperatorWrite.hashes)
  const context = yield* Effect.context<Directory | Companies.Companies>()
  const found = (id: number) => Effect.mapError(find(CompanyId.make(id)), OperatorWrite.failureOf)

  const saved = sellers.handler(
    { ...services, caller: Authentication.OperatorUser, prepare },
    Effect.fnUntraced(function* (caller, decoded) {
      const at = decoded.flatMap((one, at) => (Result.isSuccess(one) ? [at] : []))
      const valid = decoded.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
      const isOneTransaction = (yield* OperatorWrite.Hashed).size > 0
      const saved = yield* Effect.provide(SellerBulk.save(accounts, caller, valid, isOneTransaction), context)
      const outcomes = saved.map((one, nth) =>
        Result.mapError(one, (fault) => ({ ...fault, path: fault.path.replace(/^\/\d+/, `/${at[nth]}`) }))
      )
      return Bulk.summarize(Bulk.applyToDecoded(decoded, () => outcomes))
    })
  )

  return handlers({
    list: ({ query }) => Effect.map(directory.companies, (all) => paged(all, query, companyView)),
    read: ({ params }) => Effect.map(found(params.company_id), detailsOf),
    put: ({ params, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { legalName, locations, name }) {
          const id = CompanyId.make(params.company_id)
          const known = yield* directory.locations([id])
          yield* register(
            caller,
            { id, name, legalName },
            locations.map((one) => Companies.located(one, known))
          )
          return detailsOf(yield* find(id))
        })
      ),
    close: ({ params, payload }) =>
      write(payload, (caller, { closed }) => (closed ? close : reopen)(caller, CompanyId.make(params.company_id))),
    withdraw: ({ params }) =>
      act((caller) =>
        Effect.map(withdraw(caller, CompanyId.make(params.company_id), params.code), (marketplaces) => ({
          marketplaces
        }))
      ),
    auditChain: Effect.fnUntraced(function* ({ params }) {
      const { company } = yield* found(params.company_id)
      const { broken = null, head, records, root } = yield* verify(company.id)
      return { records, sequence: head.sequence, hash: head.hash, root, broken: broken && { ...broken } }
    }),
    sellers: saved
  })
})

const nameOf = ({ kind }: Account["principal"]) =>
  kind === "integration" ? ("seller" as const) : kind === "marketplace" ? kind : ("client" as const)

const accountView = ({ enabled, principal, username }: Account) => {
  const { id: _, kind: __, ...own } = principal
  return { ...own, kind: nameOf(principal), username, enabled }
}

export const accounts: OperatorWrite.Handled = Endpoints.group(AccountsGroup, function* (handlers) {
  const directory = yield* Directory
  const { prepare, write } = yield* OperatorWrite.make
  const { hashes } = OperatorWrite
  const { register, setEnabled, setPassword } = yield* Effect.provideServiceEffect(Accounts.make, PasswordHash, hashes)
  const marketplaces = yield* Effect.provideServiceEffect(Marketplaces.make, PasswordHash, hashes)

  const read = Effect.fnUntraced(function* (kind: string, username: string) {
    const account = yield* directory.account(accountKinds[kind] ?? "integration", username)
    return account ?? (yield* OperatorWrite.notFound(`${kind} ${JSON.stringify(username)}`, `accounts?kind=${kind}`))
  })

  return handlers({
    list: ({ query }) =>
      Effect.map(directory.accounts(accountKinds[query.kind] ?? "integration"), (all) => {
        const own = all.filter(
          ({ principal }) => query.companyId === undefined || ("companyId" in principal && principal.companyId === query.companyId)
        )
        return paged(own, query, accountView)
      }),
    put: ({ params: { kind, username: id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { companyId, integrationId, locations, password, policy, scopes }) {
          const principal: Accounts.Holder =
            kind === "seller"
              ? { kind: "integration", id, integrationId: integrationId ?? id, companyId, locations, stockPolicy: policy }
              : { kind: "platform_client", id, companyId, scopes }
          yield* register(caller, principal, password)
          return accountView(yield* read(kind, id))
        }),
        { prepare }
      ),
    change: ({ params: { kind, username }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { enabled, password }) {
          const { principal } = yield* read(kind, username)
          if ("companyId" in principal) {
            const key = { kind: principal.kind, companyId: principal.companyId, username }
            if (password !== undefined) yield* setPassword(caller, key, password)
            if (enabled !== undefined) yield* setEnabled(caller, key, enabled)
          } else {
            if (password !== undefined) yield* marketplaces.setPassword(caller, username, password)
            if (enabled !== undefined) yield* marketplaces.setEnabled(caller, username, enabled)
          }
          return accountView(yield* read(kind, username))
        }),
        { prepare }
      )
  })
})
