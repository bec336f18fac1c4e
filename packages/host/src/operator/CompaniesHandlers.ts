import { type Account, type Company, Directory, PasswordHash } from "@crossdock/access"
import { AuditTrail } from "@crossdock/audit"
import { Authentication, Endpoints, Operators, Reply } from "@crossdock/http"
import { Bulk, CompanyId, Ids, Page } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Accounts from "../Accounts.ts"
import * as Companies from "../Companies.ts"
import * as SellerRegistration from "../SellerRegistration.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

/** The items of a page, or all items. */
export const listed = <A, B>(
  all: ReadonlyArray<A>,
  view: (item: A) => B,
  page: { readonly pageNumber?: number; readonly pageSize?: number } = {}
) => {
  const { pageNumber: number = 1, pageSize: size = all.length } = page
  const from = Page.offset({ number, size })
  return { items: all.slice(from, from + size).map(view), total: all.length }
}

const companyView = ({ closedAt, id, legalName, name }: Company) => ({
  ...{ id, name, legalName },
  ...(closedAt === undefined ? {} : { closedAt: new Date(closedAt).toISOString() })
})

export const companies: OperatorWrite.Handled = Endpoints.group(Operators.CompaniesGroup, function* (handlers) {
  const directory = yield* Directory
  const { close, find, register, reopen } = yield* Companies.Companies
  const { verify } = yield* AuditTrail.AuditTrail
  const { prepare, write } = yield* OperatorWrite.make
  const accounts = yield* Effect.provideServiceEffect(Accounts.make, PasswordHash, OperatorWrite.hashes)
  const context = yield* Effect.context<Directory | Companies.Companies>()

  const read = Effect.fnUntraced(function* (id: number) {
    const { company, locations } = yield* Effect.mapError(find(CompanyId.make(id)), OperatorWrite.failureOf)
    // Custom fields are left out, because they may be personal and aren't documented in this interface.
    const views = locations.map(({ address, companyId: _, customFields: __, ...one }) => ({
      ...one,
      address: address && { ...address }
    }))
    return { ...companyView(company), locations: views }
  })

  return handlers({
    list: ({ query }) => Effect.map(directory.companies, (all) => listed(all, companyView, query)),
    read: ({ params }) => read(params.company_id),
    put: ({ params, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { legalName, locations, name }) {
          const id = CompanyId.make(params.company_id)
          const known = yield* directory.locations([id])
          const changed = locations.map((one) => Companies.located(one, known))
          yield* register(caller, { id, name, legalName }, changed)
          return yield* read(id)
        })
      ),
    close: ({ params, payload }) =>
      write(payload, (caller, { closed }) => (closed ? close : reopen)(caller, CompanyId.make(params.company_id))),
    auditChain: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* read(params.company_id)
      const { broken, head, records, root } = yield* verify(id)
      return { records, sequence: head.sequence, hash: head.hash, root, broken: broken ?? null }
    }),
    sellers: Operators.sellers.handler(
      { ids: yield* Ids.Ids, reply: yield* Reply.Reply, caller: Authentication.OperatorUser, prepare },
      Effect.fnUntraced(function* (caller, decoded) {
        const valid = Bulk.indexed(decoded)
        const sellers = valid.map(({ record }) => record)
        const isOneTransaction = (yield* OperatorWrite.Hashed).size > 0
        const saved = yield* Effect.provide(
          SellerRegistration.save(accounts, caller, sellers, isOneTransaction),
          context
        )
        const outcomes = saved.map((one, nth) =>
          Result.mapError(one, (fault) => ({ ...fault, path: fault.path.replace(/^\/\d+/, `/${valid[nth]?.index}`) }))
        )
        return Bulk.summarize(Bulk.applyToDecoded(decoded, () => outcomes))
      })
    )
  })
})

const nameOf = ({ kind }: Account["principal"]) =>
  kind === "integration" ? ("seller" as const) : kind === "marketplace" ? kind : ("client" as const)

const accountView = ({ enabled, principal, username }: Account) => {
  const { id: _, kind: __, ...own } = principal
  return { ...own, kind: nameOf(principal), username, enabled }
}

export const accounts: OperatorWrite.Handled = Endpoints.group(Operators.AccountsGroup, function* (handlers) {
  const directory = yield* Directory
  const { prepare, write } = yield* OperatorWrite.make
  const { hashes } = OperatorWrite
  const { register, setEnabled, setPassword } = yield* Effect.provideServiceEffect(Accounts.make, PasswordHash, hashes)
  const marketplaces = yield* Effect.provideServiceEffect(Marketplaces.make, PasswordHash, hashes)

  const read = Effect.fnUntraced(function* (kind: keyof typeof Operators.accountKinds, username: string) {
    const account = yield* directory.account(Operators.accountKinds[kind], username)
    const unknown = () => OperatorWrite.notFound(`There is no ${kind} ${JSON.stringify(username)}`, "accounts")
    return account ?? (yield* unknown())
  })

  return handlers({
    list: ({ query: { companyId, kind, ...page } }) =>
      Effect.map(directory.accounts(Operators.accountKinds[kind]), (all) => {
        const isOwn = ({ principal }: Account) => "companyId" in principal && principal.companyId === companyId
        return listed(companyId === undefined ? all : all.filter(isOwn), accountView, page)
      }),
    put: ({ params: { kind, username: id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { companyId, integrationId, locations, password, policy, scopes }) {
          const ofSeller = { integrationId: integrationId ?? id, locations, stockPolicy: policy }
          const principal: Accounts.Holder =
            kind === "seller"
              ? { kind: "integration", id, companyId, ...ofSeller }
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
          const key = "companyId" in principal && { kind: principal.kind, companyId: principal.companyId, username }
          if (password !== undefined)
            yield* key ? setPassword(caller, key, password) : marketplaces.setPassword(caller, username, password)
          if (enabled !== undefined)
            yield* key ? setEnabled(caller, key, enabled) : marketplaces.setEnabled(caller, username, enabled)
          return accountView(yield* read(kind, username))
        }),
        { prepare }
      )
  })
})
