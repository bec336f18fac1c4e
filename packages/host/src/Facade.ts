/** The services as plain asynchronous functions, for applications without Effect. */
import { AuditTrail } from "@crossdock/audit"
import { Billing } from "@crossdock/billing"
import { CatalogImport, CatalogWrites, Products, References } from "@crossdock/catalog"
import { ShipmentDocuments } from "@crossdock/documents"
import { Calls } from "@crossdock/http"
import { Inventory } from "@crossdock/inventory"
import type { Bulk } from "@crossdock/kernel"
import { Marketplaces } from "@crossdock/marketplaces"
import { EventEndpoints, Notifications, WebhookSecrets } from "@crossdock/notifications"
import { Orders } from "@crossdock/orders"
import { Pricing } from "@crossdock/pricing"
import { Shipments } from "@crossdock/shipments"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Accounts } from "./Accounts.ts"
import { Companies } from "./Companies.ts"
import type { Services } from "./Services.ts"

/** The outcome of a call: its value, or an error that the caller can act on. Any other error rejects the promise. */
export type Outcome<A, E> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** Returns the value of a call, or rejects with the call's error. In `transaction`, this rejection rolls back all writes. */
export const orThrow = async <A, E>(call: Promise<Outcome<A, E>>): Promise<A> => {
  const outcome = await call
  if (outcome.ok) return outcome.value
  throw outcome.error
}

/** Returns the summary of a bulk, or rejects with the call's error or that of the first rejected record. */
export const allOrThrow = async <E>(call: Promise<Outcome<Bulk.Summary, E>>): Promise<Bulk.Summary> => {
  const summary = await orThrow(call)
  const [first] = summary.failures
  if (first === undefined) return summary
  const errors = summary.failures.map(({ code, message, path = "" }) => ({ code, message, path }))
  throw new Calls.CallRejected({ code: first.code, message: first.message, errors })
}

/** The last argument of a call. Aborting the signal interrupts the call, which rejects with the signal's reason. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

const aborted = (signal: AbortSignal): Effect.Effect<never> =>
  Effect.callback((resume) => {
    const abort = () => resume(Effect.die(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort)
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

/** Runs the effect. When the signal is aborted, it interrupts the effect and dies with the signal's reason. */
export const abortable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { signal }: CallOptions = {}
): Effect.Effect<A, E, R> => (signal === undefined ? effect : Effect.raceFirst(aborted(signal), effect))

/** A service whose methods return promises of outcomes instead of effects. */
export type Promised<S> = {
  readonly [K in keyof S]: S[K] extends (...args: infer Args) => Effect.Effect<infer A, infer E, infer _>
    ? (...args: [...args: Args, options?: CallOptions]) => Promise<Outcome<A, E>>
    : S[K] extends Effect.Effect<infer A, infer E, infer _>
      ? (options?: CallOptions) => Promise<Outcome<A, E>>
      : S[K]
}

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

/** Methods that the façade leaves out, because only other services and interfaces need them. */
const hidden = {
  inventory: ["save"],
  productWrites: ["apply"],
  shipments: ["moveAsSeller", "moveAsMarketplace"]
} as const satisfies {
  readonly [K in Name]?: ReadonlyArray<keyof Context.Service.Shape<(typeof services)[K]>>
}

type Hidden<K> = K extends keyof typeof hidden ? (typeof hidden)[K][number] : never

type CallsOf<K> = K extends keyof Calls.Calls ? Calls.Calls[K] : unknown

/** The services of the façade. Writes accept request bodies, and the price list accepts the values of the command line. */
export type Facade = {
  readonly [K in Name]: Promised<
    Omit<Context.Service.Shape<(typeof services)[K]>, Hidden<K> | keyof CallsOf<K>> & CallsOf<K>
  >
} & { readonly [K in Exclude<keyof Calls.Calls, Name>]: Promised<Calls.Calls[K]> }

/** Runs a service's effect and returns its outcome. */
export type Settle = <A, E>(effect: Effect.Effect<A, E>) => Promise<Outcome<A, E>>

/** The outcome of a call. Only a defect has no outcome. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Outcome<A, E>, never, R> =>
  Effect.match(effect, { onFailure: (error) => ({ ok: false, error }), onSuccess: (value) => ({ ok: true, value }) })

/** Makes a service's methods return promises. `guard` dies where streams may not be read. */
export const promised = (service: object, settle: Settle, guard: Effect.Effect<void>): object => {
  const asPromise = (member: unknown): unknown => {
    const isEffect = Effect.isEffect(member)
    if (!isEffect && typeof member !== "function") return member
    return (...args: ReadonlyArray<unknown>) => {
      const last = args.at(-1)
      const signal =
        Predicate.hasProperty(last, "signal") && last.signal instanceof AbortSignal ? last.signal : undefined
      const call = () => (isEffect ? member : member(...(signal === undefined ? args : args.slice(0, -1))))
      const answer: unknown = Result.getOrElse(Result.try(call), Effect.die)
      if (Stream.isStream(answer)) return Stream.unwrap(Effect.as(guard, answer))
      return Effect.isEffect(answer) ? settle(abortable(answer as Effect.Effect<unknown, unknown>, { signal })) : answer
    }
  }
  return Object.fromEntries(Object.entries(service).map(([name, member]) => [name, asPromise(member)]))
}

const without = (service: object, names: ReadonlyArray<string> = []): object =>
  Object.fromEntries(Object.entries(service).filter(([name]) => !names.includes(name)))

/** Makes the façade of the services in `context`. */
export const make = (context: Context.Context<Services>, settle: Settle, guard: Effect.Effect<void>): Facade => {
  const calls: Readonly<Record<string, object>> = Effect.runSync(Effect.provide(Calls.make, context))
  const omitted: Readonly<Record<string, ReadonlyArray<string>>> = hidden
  const tags: Readonly<Record<string, { readonly key: string }>> = services
  return Object.fromEntries(
    Object.keys({ ...tags, ...calls }).map((name) => {
      const service = tags[name] && without(context.mapUnsafe.get(tags[name].key) as object, omitted[name])
      return [name, promised({ ...service, ...calls[name] }, settle, guard)]
    })
  ) as unknown as Facade
}
