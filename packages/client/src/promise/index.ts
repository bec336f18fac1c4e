/** Clients without Effect. Calls return promises of outcomes, and lists are async iterables. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { PasswordAccount } from "../Call.ts"
import {
  type MarketplaceAccount,
  MarketplaceClient,
  OperatorClient,
  type PlatformAccount,
  PlatformClient,
  SellerClient
} from "../Clients.ts"
import type * as HttpTransport from "../HttpTransport.ts"

export { ApiError, type Fault, NetworkError } from "../ApiError.ts"
export type { BulkOptions, BulkResult, FailedRecord, Part, Progress, Records } from "../Bulk.ts"

/** The outcome of a call: its value, or an error that the caller can act on. */
export type Outcome<A, E> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: E }

/** When the signal is aborted, a call ends its requests and rejects with the signal's reason. */
interface Abortable {
  readonly signal?: AbortSignal | undefined
}

type Args<All extends ReadonlyArray<unknown>> = {
  [At in keyof All]: At extends "1" ? ([All[At]] extends [undefined] ? Abortable : All[At] & Abortable) : All[At]
}

/** A client of promises and async iterables. A loop over an iterable throws errors, and leaving it ends its requests. */
export type Promised<S> = {
  readonly [K in keyof S]: S[K] extends (...args: infer All) => Effect.Effect<infer A, infer E, infer _>
    ? (...args: Args<All>) => Promise<Outcome<A, E>>
    : S[K] extends (...args: infer All) => Stream.Stream<infer A, infer _, infer _>
      ? (...args: Args<All>) => AsyncIterable<A>
      : Promised<S[K]>
}

/** An account with its secrets as plain texts, and the address of its host. By default, `fetch` is the global function. */
type Plain<Account> = {
  readonly [K in keyof Account]: Account[K] extends Redacted.Redacted ? string : Account[K]
} & HttpTransport.Options & { readonly fetch?: typeof globalThis.fetch }

type Run = typeof FetchHttpClient.Fetch.Service

const aborted = ({ signal }: Abortable): Effect.Effect<never> =>
  signal === undefined
    ? Effect.never
    : Effect.callback((resume) => {
        const abort = () => resume(Effect.die(signal.reason))
        if (signal.aborted) return abort()
        signal.addEventListener("abort", abort)
        return Effect.sync(() => signal.removeEventListener("abort", abort))
      })

const promised = (member: unknown, fetch: Run): unknown => {
  if (typeof member === "object" && member !== null)
    return Object.fromEntries(Object.entries(member).map(([name, one]) => [name, promised(one, fetch)]))
  if (typeof member !== "function") return member
  return (input: unknown, options: Abortable = {}) => {
    const answer: unknown = member(input, options)
    const abort = aborted(options)
    return Stream.isStream(answer)
      ? (answer as Stream.Stream<unknown, unknown>).pipe(
          Stream.interruptWhen(abort),
          Stream.provideService(FetchHttpClient.Fetch, fetch),
          Stream.toAsyncIterable
        )
      : (answer as Effect.Effect<unknown, unknown>).pipe(
          Effect.match({ onFailure: (error) => ({ ok: false, error }), onSuccess: (value) => ({ ok: true, value }) }),
          (call) => Effect.raceFirst(abort, call),
          Effect.provideService(FetchHttpClient.Fetch, fetch),
          Effect.runPromise
        )
  }
}

const clientOf = <C>(
  make: Effect.Effect<C, never, HttpClient.HttpClient>,
  fetch: Run = globalThis.fetch
): Promised<C> => promised(Effect.runSync(Effect.provide(make, FetchHttpClient.layer)), fetch) as Promised<C>

export const seller = ({ fetch, password, ...options }: Plain<PasswordAccount>): Promised<SellerClient> =>
  clientOf(SellerClient.make({ ...options, password: Redacted.make(password) }), fetch)

export const marketplace = ({ fetch, password, ...options }: Plain<MarketplaceAccount>): Promised<MarketplaceClient> =>
  clientOf(MarketplaceClient.make({ ...options, password: Redacted.make(password) }), fetch)

export const operator = ({ fetch, password, ...options }: Plain<PasswordAccount>): Promised<OperatorClient> =>
  clientOf(OperatorClient.make({ ...options, password: Redacted.make(password) }), fetch)

export const platform = ({ clientSecret, fetch, ...options }: Plain<PlatformAccount>): Promised<PlatformClient> =>
  clientOf(PlatformClient.make({ ...options, clientSecret: Redacted.make(clientSecret) }), fetch)
