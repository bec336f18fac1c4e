/** Services as plain asynchronous functions, for applications without Effect. */
import { AuditTrail, type CompanyEvent, Events } from "@crossdock/audit"
import { Billing } from "@crossdock/billing"
import { CatalogImport, CatalogWrites, Products, References } from "@crossdock/catalog"
import { ShipmentDocuments } from "@crossdock/documents"
import { Calls } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import type { BackgroundLoop, Bulk, CompanyId, StorageError } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventEndpoints, Notifications, WebhookSecrets } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Shipments } from "@crossdock/shipments"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Accounts } from "./Accounts.ts"
import { Companies } from "./Companies.ts"
import type { Services } from "./Services.ts"

/** The outcome of a call: its value, or the error that the caller can act on. Anything else rejects the promise. */
export type Outcome<A, E> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** The value of a call that must succeed. Its error rejects, which rolls back its transaction. */
export const orThrow = async <A, E>(call: Promise<Outcome<A, E>>): Promise<A> => {
  const outcome = await call
  if (outcome.ok) return outcome.value
  throw outcome.error
}

/** `orThrow` of a bulk: rejects with the first rejected record. */
export const allOrThrow = async <E>(call: Promise<Outcome<Bulk.Summary, E>>): Promise<Bulk.Summary> => {
  const summary = await orThrow(call)
  const [first] = summary.failures
  if (first === undefined) return summary
  const errors = summary.failures.map(({ code, message, path = "" }) => ({ code, message, path }))
  throw new Calls.CallRejected({ code: first.code, message: first.message, errors })
}

/** A service whose effects are promises of outcomes. */
export type Promised<S> = {
  readonly [K in keyof S]: S[K] extends (...args: infer Args) => Effect.Effect<infer A, infer E, infer _>
    ? (...args: Args) => Promise<Outcome<A, E>>
    : S[K] extends Effect.Effect<infer A, infer E, infer _>
      ? () => Promise<Outcome<A, E>>
      : S[K]
}

/** The services of the façade by name. */
const services = {
  companies: Companies,
  accounts: Accounts,
  marketplaces: Marketplaces.Marketplaces,
  references: References.References,
  products: Products.Products,
  productWrites: CatalogWrites.CatalogWrites,
  productImport: CatalogImport.CatalogImport,
  prices: Pricing.Pricing,
  inventory: Inventory.Inventory,
  orders: Orders.Orders,
  shipments: Shipments.Shipments,
  shipmentDocuments: ShipmentDocuments.ShipmentDocuments,
  notifications: Notifications.Notifications,
  eventEndpoints: EventEndpoints.EventEndpoints,
  webhookSecrets: WebhookSecrets.WebhookSecrets,
  billing: Billing.Billing,
  auditTrail: AuditTrail.AuditTrail
} as const

type Name = keyof typeof services

/** Methods for other services and for interfaces: some write decided changes, the others take decoded records. */
const hidden = {
  inventory: ["save"],
  productWrites: ["apply"],
  shipments: ["moveAsSeller", "moveAsMarketplace"]
} as const satisfies {
  readonly [K in Name]?: ReadonlyArray<keyof Context.Service.Shape<(typeof services)[K]>>
}

type Hidden<K> = K extends keyof typeof hidden ? (typeof hidden)[K][number] : never

type CallsOf<K> = K extends keyof Calls.Calls ? Calls.Calls[K] : unknown

/** The services of the façade: writes of the interfaces take the bodies of their requests as values. */
export type Facade = {
  readonly [K in Name]: Promised<
    Omit<Context.Service.Shape<(typeof services)[K]>, Hidden<K> | keyof CallsOf<K>> & CallsOf<K>
  >
}

/** Runs a call of a service to its outcome. */
export type Settle = <A, E>(effect: Effect.Effect<A, E>) => Promise<Outcome<A, E>>

const outcomeOf = <A, E>(result: Result.Result<A, E>): Outcome<A, E> =>
  Result.match(result, { onFailure: (error) => ({ ok: false, error }), onSuccess: (value) => ({ ok: true, value }) })

/** The outcome of a call; only a defect has none. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Outcome<A, E>, never, R> =>
  Effect.map(Effect.result(effect), outcomeOf)

const promised = (service: object, settle: Settle, guard: Effect.Effect<void>): object => {
  const asPromise = (member: unknown): unknown => {
    if (Effect.isEffect(member)) return () => settle(member as Effect.Effect<unknown, unknown>)
    if (typeof member !== "function") return member
    return (...args: ReadonlyArray<unknown>) => {
      const answer: unknown = member(...args)
      if (Stream.isStream(answer)) return Stream.unwrap(Effect.as(guard, answer))
      return Effect.isEffect(answer) ? settle(answer as Effect.Effect<unknown, unknown>) : answer
    }
  }
  return Object.fromEntries(Object.entries(service).map(([name, member]) => [name, asPromise(member)]))
}

const without = (service: object, names: ReadonlyArray<string> = []): object =>
  Object.fromEntries(Object.entries(service).filter(([name]) => !names.includes(name)))

/** The façade on the services in `context`. `guard` dies where no stream may be read. */
export const make = (context: Context.Context<Services>, settle: Settle, guard: Effect.Effect<void>): Facade => {
  const calls: Readonly<Record<string, object>> = Effect.runSync(Effect.provide(Calls.make, context))
  const omitted: Readonly<Record<string, ReadonlyArray<string>>> = hidden
  return Object.fromEntries(
    Object.entries(services).map(([name, tag]) => {
      const service = without(context.mapUnsafe.get(tag.key) as object, omitted[name])
      return [name, promised({ ...service, ...calls[name] }, settle, guard)]
    })
  ) as unknown as Facade
}

/** A consumption whose handler returns a promise; if it rejects, the handler receives the same events again. */
export interface Consumption {
  readonly group: string
  readonly companies?: ReadonlyArray<CompanyId>
  readonly handler: (events: ReadonlyArray<CompanyEvent.CompanyEvent>) => Promise<void>
}

/** The change feed; see `Events` of audit. */
export interface EventFacade {
  readonly read: (
    company: CompanyId,
    cursor: number,
    limit: number
  ) => Promise<Outcome<ReadonlyArray<CompanyEvent.CompanyEvent>, Events.CursorOutOfRange | StorageError>>
  /** Waits for more events, and ends with the caller's loop. It throws `CursorOutOfRange`. */
  readonly after: (company: CompanyId, cursor: number) => AsyncIterable<CompanyEvent.CompanyEvent>
  /** Handles events until the host is disposed of or the returned function is called. */
  readonly consume: (consumption: Consumption) => () => Promise<void>
  readonly cursor: (group: string, company: CompanyId) => Promise<Outcome<number, StorageError>>
  readonly setCursor: (group: string, company: CompanyId, cursor: number) => Promise<Outcome<void, StorageError>>
}

/** A loop ends as soon as `isOver`, even if more was read ahead. */
async function* until<A>(isOver: () => boolean, all: AsyncIterable<A>): AsyncIterable<A> {
  for await (const one of all) {
    if (isOver()) return
    yield one
  }
}

type Needs = Events.Events | BackgroundLoop.BackgroundLoops

/**
 * The façade on the services in `context`; consumers end with the scope, and loops with `disposal`. `settle`
 * runs an effect and returns its outcome. `outside` dies if a call isn't allowed at this point.
 */
export const eventFacade = (
  context: Context.Context<Needs>,
  scope: Scope.Scope,
  outside: Effect.Effect<void>,
  disposal: Deferred.Deferred<void>,
  settle: <A, E>(effect: Effect.Effect<A, E>) => Promise<Outcome<A, E>>
): EventFacade => {
  const events = Context.get(context, Events.Events)
  const [disposed, isDisposed] = [Deferred.await(disposal), () => Deferred.isDoneUnsafe(disposal)]
  return {
    read: (company, cursor, limit) => settle(events.read(company, cursor, limit)),
    after: (company, cursor) =>
      until(
        isDisposed,
        Stream.unwrap(Effect.as(outside, events.after(company, cursor))).pipe(
          Stream.interruptWhen(disposed),
          Stream.toAsyncIterable
        )
      ),
    consume: ({ companies = null, group, handler }) => {
      const consuming = events.consume({
        group,
        companies,
        handler: (some) => Effect.tryPromise({ try: () => handler(some), catch: (error) => error })
      })
      const fiber = Effect.runSyncWith(context)(Effect.andThen(outside, Effect.forkIn(consuming, scope)))
      return () => Effect.runPromise(Fiber.interrupt(fiber)).then(() => undefined)
    },
    cursor: (group, company) => settle(events.cursor(group, company)),
    setCursor: (group, company, cursor) => settle(events.setCursor(group, company, cursor))
  }
}
