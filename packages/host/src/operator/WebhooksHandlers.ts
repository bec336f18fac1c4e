import { type Account, Directory, PasswordHash } from "@crossdock/access"
import { Endpoints, Operators, validationFailed } from "@crossdock/http"
import { CompanyId } from "@crossdock/kernel"
import { companiesOf, type Marketplace, MarketplaceStore, Marketplaces } from "@crossdock/marketplaces"
import { EventDeliveries, EventEndpoint, EventEndpoints, InventoryEvent, Notifications } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import { Companies } from "../Companies.ts"
import { listed } from "./CompaniesHandlers.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

const marketplaceView = (
  { buffers, currency, locations, name, skus, slug, webhook }: Marketplace,
  account: Account | undefined
) => ({
  ...{ slug, name, currency, locations, skus, buffers },
  ...{ webhook: webhook?.url ?? null, enabled: account?.enabled ?? false }
})

export const marketplaces: OperatorWrite.Handled = Endpoints.group(Operators.MarketplacesGroup, function* (handlers) {
  const directory = yield* Directory
  const store = yield* MarketplaceStore
  const { prepare, write } = yield* OperatorWrite.make
  const { register } = yield* Effect.provideServiceEffect(Marketplaces.make, PasswordHash, OperatorWrite.hashes)
  const shown = (one: Marketplace) =>
    Effect.map(directory.account("marketplace", one.slug), (account) => marketplaceView(one, account))
  return handlers({
    list: Effect.fnUntraced(function* ({ query }) {
      const accounts = new Map((yield* directory.accounts("marketplace")).map((one) => [one.username, one]))
      return listed(yield* store.all, (one) => marketplaceView(one, accounts.get(one.slug)), query)
    }),
    read: Effect.fnUntraced(function* ({ params: { slug } }) {
      const found = yield* store.find(slug)
      if (found === undefined) return yield* OperatorWrite.notFound(`There is no marketplace ${slug}`, "marketplaces")
      return yield* shown(found)
    }),
    put: ({ params: { slug }, payload }) =>
      write(payload, (caller, sent) => Effect.flatMap(register(caller, { slug, ...sent }), shown), { prepare })
  })
})

const iso = (millis: number) => new Date(millis).toISOString()

type Tried = Pick<Notifications.Progress, "deadLetters" | "failure" | "failures" | "nextAt">

const progressView = ({ deadLetters, failure, failures, nextAt }: Tried, isPending: boolean) => {
  const state = failures > 0 ? ("rejected" as const) : isPending ? ("pending" as const) : ("accepted" as const)
  return { state, failures, failure, nextAt: nextAt === null ? null : iso(nextAt), deadLetters }
}

const ofMarketplace = ({ slug, webhook }: Marketplace, progress: Notifications.Progress) => ({
  ...{ kind: "marketplace" as const, receiver: slug, url: webhook?.url ?? null, types: null },
  ...{ accepted: progress.lastNotified, last: progress.lastChange, ...progressView(progress, progress.hasPending) },
  ...(webhook === null ? { state: "off" as const } : {})
})

const ofEndpoint = ({ cursor, id, lastEvent, paused, types, url, ...tried }: EventEndpoints.EndpointStatus) => ({
  ...{ kind: "endpoint" as const, receiver: id, url, types, accepted: cursor, last: lastEvent },
  ...progressView(tried, cursor < lastEvent),
  ...(paused === null ? {} : { state: paused.reason })
})

type Letter = Pick<EventEndpoint.EventDeadLetter, "id" | "failures" | "failure" | "since" | "at">

const letterView = <Kind extends string>(
  kind: Kind,
  receiver: string,
  { at, failure, failures, id, since }: Letter,
  body: string
) => ({
  ...{ kind, receiver, id, failures, failure },
  ...{ since: iso(since), at: iso(at), body: JSON.parse(body) as unknown }
})

export const webhooks: OperatorWrite.Handled = Endpoints.group(Operators.WebhooksGroup, function* (handlers) {
  const store = yield* MarketplaceStore
  const companies = yield* Companies
  const notifications = yield* Notifications.Notifications
  const endpoints = yield* EventEndpoints.EventEndpoints
  const { nextBody } = yield* EventDeliveries.EventDeliveries
  const { act, write } = yield* OperatorWrite.make

  const found = Effect.fnUntraced(function* (id: number) {
    const { company } = yield* Effect.mapError(companies.find(CompanyId.make(id)), OperatorWrite.failureOf)
    const sellers = (yield* store.all).filter((one) => companiesOf(one).includes(company.id))
    return { companyId: company.id, sellers }
  })

  const deliveries = Effect.fnUntraced(function* (id: number) {
    const { companyId, sellers } = yield* found(id)
    const ofMarketplaces = yield* Effect.forEach(sellers, (one) =>
      Effect.map(notifications.progress(one, [companyId]), (all) => all.map((progress) => ofMarketplace(one, progress)))
    )
    return [...ofMarketplaces.flat(), ...(yield* endpoints.list(companyId)).map(ofEndpoint)]
  })

  type Receiver = { readonly company_id: number; readonly kind: string; readonly receiver: string }

  const delivery = Effect.fnUntraced(function* ({ company_id, kind, receiver }: Receiver) {
    const one = (yield* deliveries(company_id)).find((one) => one.kind === kind && one.receiver === receiver)
    const says = `Company ${company_id} has no ${kind} ${JSON.stringify(receiver)}`
    const delivery = one ?? (yield* OperatorWrite.notFound(says, `companies/${company_id}/deliveries`))
    return { ...delivery, companyId: CompanyId.make(company_id), isEndpoint: kind === "endpoint" }
  })

  type Named = { readonly company_id: number; readonly endpoint: string }
  const keyOf = ({ company_id, endpoint: id }: Named) =>
    Effect.map(found(company_id), ({ companyId }) => ({ companyId, id }))
  const changed = <E>(named: Named, change: (key: EventEndpoint.EndpointKey) => Effect.Effect<void, E>) =>
    Effect.as(Effect.flatMap(keyOf(named), change), { endpoint: named.endpoint })

  return handlers({
    deliveries: ({ params }) => Effect.map(deliveries(params.company_id), (all) => listed(all, (one) => one)),
    delivery: Effect.fnUntraced(function* ({ params }) {
      const { companyId, isEndpoint, ...one } = yield* delivery(params)
      const id = params.receiver
      const body = isEndpoint ? nextBody({ companyId, id }) : notifications.nextBody({ companyId, marketplace: id })
      return { ...one, body: JSON.parse((yield* body) ?? "null") as unknown }
    }),
    wake: ({ params }) =>
      act(
        Effect.fnUntraced(function* (caller) {
          const { companyId, isEndpoint, receiver, state } = yield* delivery(params)
          const isPaused = state === "disabled" || state === "unsubscribed"
          const wake = isPaused ? endpoints.enable : endpoints.wake
          yield* isEndpoint ? wake(caller, { companyId, id: receiver }) : notifications.wake(caller, receiver)
          return { receiver }
        })
      ),
    deadLetters: Effect.fnUntraced(function* ({ params }) {
      const { companyId, sellers } = yield* found(params.company_id)
      const ofMarketplaces = yield* Effect.forEach(sellers, ({ slug: receiver }) =>
        Effect.map(notifications.deadLetters(receiver), (all) =>
          all
            .filter((one) => one.companyId === companyId)
            .map((one) => letterView("marketplace", receiver, one, InventoryEvent.bodyOf(one.events)))
        )
      )
      const ofEndpoints = yield* Effect.forEach(yield* endpoints.list(companyId), ({ id: receiver }) =>
        Effect.map(endpoints.deadLetters({ companyId, id: receiver }), (all) =>
          all.map((one) => letterView("endpoint", receiver, one, EventEndpoint.bodyOf(one.events)))
        )
      )
      return listed([...ofMarketplaces.flat(), ...ofEndpoints.flat()], (one) => one)
    }),
    resend: ({ params }) =>
      act(
        Effect.fnUntraced(function* (caller) {
          const { companyId, isEndpoint, receiver } = yield* delivery(params)
          const { id } = params
          const isThere = yield* isEndpoint
            ? endpoints.resend(caller, { companyId, id: receiver }, id)
            : notifications.resend(caller, { companyId, marketplace: receiver }, id)
          const says = `${receiver} has no dead letter ${JSON.stringify(id)}`
          return isThere ? { id } : yield* OperatorWrite.notFound(says, `companies/${companyId}/dead-letters`)
        })
      ),
    putEndpoint: ({ params, payload }) =>
      write(payload, (caller, sent) =>
        changed(params, (key) =>
          Effect.catchTag(endpoints.register(caller, { ...key, ...sent }), "CursorOutOfRange", ({ message }) =>
            validationFailed([{ path: "/cursor", code: "OUT_OF_RANGE", message }])
          )
        )
      ),
    enableEndpoint: ({ params, payload }) =>
      write(payload, (caller, { enabled }) =>
        changed(params, (key) => endpoints[enabled ? "enable" : "disable"](caller, key))
      ),
    removeEndpoint: ({ params }) => act((caller) => changed(params, (key) => endpoints.remove(caller, key)))
  })
})
