/** Handlers: marketplaces, endpoints, and the webhooks that both get. */
import { type Account, Directory, PasswordHash } from "@crossdock/access"
import { Endpoints, MarketplacesGroup, WebhooksGroup } from "@crossdock/http"
import { CompanyId } from "@crossdock/kernel"
import { companiesOf, type Marketplace, MarketplaceStore, Marketplaces } from "@crossdock/marketplaces"
import { EventDeliveries, EventEndpoint, EventEndpoints, InventoryEvent, Notifications } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import { Companies } from "../Companies.ts"
import { paged } from "./CompaniesHandlers.ts"
import * as OperatorWrite from "./OperatorWrite.ts"

const marketplaceView = (
  { buffers, currency, locations, name, skus, slug, webhook }: Marketplace,
  account: Account | undefined
) => ({
  ...{ slug, name, currency, locations, skus, buffers },
  webhook: webhook?.url ?? null,
  enabled: account?.enabled ?? false
})

const unknownMarketplace = (slug: string) =>
  OperatorWrite.failureOf(new Marketplaces.UnknownMarketplace({ slug })) as ReturnType<typeof OperatorWrite.notFound>

export const marketplaces: OperatorWrite.Handled = Endpoints.group(MarketplacesGroup, function* (handlers) {
  const directory = yield* Directory
  const store = yield* MarketplaceStore
  const { reconcile } = yield* Notifications.Notifications
  const { act, prepare, write } = yield* OperatorWrite.make
  const { register } = yield* Effect.provideServiceEffect(Marketplaces.make, PasswordHash, OperatorWrite.hashes)

  const find = Effect.fnUntraced(function* (slug: string) {
    return (yield* store.find(slug)) ?? (yield* unknownMarketplace(slug))
  })
  const shown = (one: Marketplace) =>
    Effect.map(directory.account("marketplace", one.slug), (account) => marketplaceView(one, account))

  return handlers({
    list: Effect.fnUntraced(function* ({ query }) {
      const accounts = new Map((yield* directory.accounts("marketplace")).map((one) => [one.username, one]))
      return paged(yield* store.all, query, (one) => marketplaceView(one, accounts.get(one.slug)))
    }),
    read: ({ params }) => Effect.flatMap(find(params.slug), shown),
    put: ({ params: { slug }, payload }) =>
      write(payload, (caller, sent) => Effect.flatMap(register(caller, { slug, ...sent }), shown), { prepare }),
    reconcile: ({ params: { slug } }) =>
      act(
        Effect.fnUntraced(function* (caller) {
          const companies = companiesOf(yield* find(slug))
          yield* reconcile(caller, slug, companies)
          return { companies }
        })
      )
  })
})

const iso = (millis: number) => new Date(millis).toISOString()
const isoOrNull = (millis: number | null) => (millis === null ? null : iso(millis))

const ofMarketplace = ({ slug, webhook }: Marketplace, progress: Notifications.Progress) => {
  const { deadLetters, failure, failures, hasPending, lastChange, lastNotified, nextAt } = progress
  const state = failures > 0 ? "rejected" : hasPending ? "pending" : "accepted"
  return {
    ...{ kind: "marketplace" as const, receiver: slug, url: webhook?.url ?? null },
    ...{ state: webhook === null ? ("off" as const) : (state as "accepted"), accepted: lastNotified, last: lastChange },
    ...{ failures, failure, nextAt: isoOrNull(nextAt), types: null, deadLetters }
  }
}

const ofEndpoint = (status: EventEndpoints.EndpointStatus) => {
  const { cursor, deadLetters, failure, failures, id, lastEvent, nextAt, paused, types, url } = status
  const state = failures > 0 ? "rejected" : cursor < lastEvent ? "pending" : "accepted"
  return {
    ...{ kind: "endpoint" as const, receiver: id, url, state: paused?.reason ?? (state as "accepted") },
    ...{ accepted: cursor, last: lastEvent, failures, failure, nextAt: isoOrNull(nextAt), types, deadLetters }
  }
}

interface Letter {
  readonly id: string
  readonly failures: number
  readonly failure: string
  readonly since: number
  readonly at: number
}

const letterView = ({ at, failure, failures, id, since }: Letter, body: string) => ({
  ...{ id, failures, failure, since: iso(since), at: iso(at) },
  body: JSON.parse(body) as unknown
})

export const webhooks: OperatorWrite.Handled = Endpoints.group(WebhooksGroup, function* (handlers) {
  const store = yield* MarketplaceStore
  const companies = yield* Companies
  const notifications = yield* Notifications.Notifications
  const endpoints = yield* EventEndpoints.EventEndpoints
  const { nextBody } = yield* EventDeliveries.EventDeliveries
  const { act, write } = yield* OperatorWrite.make

  const companyOf = (id: number) =>
    Effect.mapBoth(companies.find(CompanyId.make(id)), {
      onFailure: OperatorWrite.failureOf,
      onSuccess: ({ company }) => company.id
    })

  const sellersOf = (companyId: CompanyId) =>
    Effect.map(store.all, (all) => all.filter((one) => companiesOf(one).includes(companyId)))

  const deliveries = Effect.fnUntraced(function* (companyId: CompanyId) {
    const ofMarketplaces = yield* Effect.forEach(yield* sellersOf(companyId), (one) =>
      Effect.map(notifications.progress(one, [companyId]), (found) => found.map((each) => ofMarketplace(one, each)))
    )
    return [...ofMarketplaces.flat(), ...(yield* endpoints.list(companyId)).map(ofEndpoint)]
  })

  const delivery = Effect.fnUntraced(function* (companyId: CompanyId, kind: string, receiver: string) {
    const found = (yield* deliveries(companyId)).find((one) => one.kind === kind && one.receiver === receiver)
    return (
      found ??
      (yield* OperatorWrite.notFound(`${kind} ${JSON.stringify(receiver)}`, `companies/${companyId}/deliveries`))
    )
  })

  const endpoint = (companyId: CompanyId, id: string) => delivery(companyId, "endpoint", id)

  return handlers({
    deliveries: Effect.fnUntraced(function* ({ params }) {
      const items = yield* deliveries(yield* companyOf(params.company_id))
      return { items, total: items.length }
    }),
    delivery: Effect.fnUntraced(function* ({ params: { company_id, kind, receiver } }) {
      const companyId = yield* companyOf(company_id)
      const found = yield* delivery(companyId, kind, receiver)
      const body =
        found.kind === "endpoint"
          ? yield* nextBody({ companyId, id: receiver })
          : yield* notifications.nextBody({ companyId, marketplace: receiver })
      return { ...found, body: body === undefined ? null : (JSON.parse(body) as unknown) }
    }),
    wake: ({ params: { company_id, kind, receiver } }) =>
      act(
        Effect.fnUntraced(function* (caller) {
          const companyId = yield* companyOf(company_id)
          yield* delivery(companyId, kind, receiver)
          yield* kind === "endpoint"
            ? endpoints.wake(caller, { companyId, id: receiver })
            : notifications.wake(caller, receiver)
          return { receiver }
        })
      ),
    deadLetters: Effect.fnUntraced(function* ({ params }) {
      const companyId = yield* companyOf(params.company_id)
      const ofMarketplaces = yield* Effect.forEach(yield* sellersOf(companyId), ({ slug: receiver }) =>
        Effect.map(notifications.deadLetters(receiver), (all) =>
          all.flatMap((one) =>
            one.companyId === companyId
              ? [{ kind: "marketplace" as const, receiver, ...letterView(one, InventoryEvent.bodyOf(one.events)) }]
              : []
          )
        )
      )
      const ofEndpoints = yield* Effect.forEach(yield* endpoints.list(companyId), ({ id: receiver }) =>
        Effect.map(endpoints.deadLetters({ companyId, id: receiver }), (all) =>
          all.map((one) => ({
            kind: "endpoint" as const,
            receiver,
            ...letterView(one, EventEndpoint.bodyOf(one.events))
          }))
        )
      )
      return { items: [...ofMarketplaces.flat(), ...ofEndpoints.flat()] }
    }),
    resend: ({ params: { company_id, id, kind, receiver } }) =>
      act(
        Effect.fnUntraced(function* (caller) {
          const companyId = yield* companyOf(company_id)
          const isThere = yield* kind === "endpoint"
            ? endpoints.resend(caller, { companyId, id: receiver }, id)
            : notifications.resend(caller, { companyId, marketplace: receiver }, id)
          if (!isThere)
            yield* OperatorWrite.notFound(
              `dead letter ${JSON.stringify(id)} of ${receiver}`,
              `companies/${companyId}/dead-letters`
            )
          return { id }
        })
      ),
    putEndpoint: ({ params: { company_id, endpoint: id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, sent) {
          const companyId = CompanyId.make(company_id)
          yield* endpoints.register(caller, { companyId, id, ...sent })
          return yield* endpoint(companyId, id)
        })
      ),
    enableEndpoint: ({ params: { company_id, endpoint: id }, payload }) =>
      write(
        payload,
        Effect.fnUntraced(function* (caller, { enabled }) {
          const companyId = CompanyId.make(company_id)
          yield* (enabled ? endpoints.enable : endpoints.disable)(caller, { companyId, id })
          return yield* endpoint(companyId, id)
        })
      ),
    removeEndpoint: ({ params: { company_id, endpoint: id } }) =>
      act((caller) =>
        Effect.as(endpoints.remove(caller, { companyId: CompanyId.make(company_id), id }), { endpoint: id })
      )
  })
})
