/** Answers of the operator interface: to writes in the name of an operator, and to failures of services. */
import { type Caller, PasswordHash, type System } from "@crossdock/access"
import { Authentication, type DomainError, Failure, type Payload, Reply, validationFailed } from "@crossdock/http"
import { required } from "@crossdock/kernel"
import type { Marketplaces } from "@crossdock/marketplaces"
import type { EventEndpoints } from "@crossdock/notifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type { AccountRejected, UnknownAccount } from "../Accounts.ts"
import type { CompanyRejected, UnknownCompany } from "../Companies.ts"
import type { Services } from "../Services.ts"

/** The handlers of a group of operations. */
export type Handled = Layer.Layer<
  never,
  never,
  Services | Authentication.OperatorAuthentication | Reply.Reply | HttpRouter.HttpRouter
>

type Rejected = CompanyRejected | AccountRejected | Marketplaces.RegistrationRejected | EventEndpoints.EndpointRejected
type Unknown = UnknownCompany | UnknownAccount | Marketplaces.UnknownMarketplace | EventEndpoints.UnknownEndpoint

const isRejected = (error: { readonly _tag: string }): error is Rejected =>
  ["CompanyRejected", "AccountRejected", "RegistrationRejected", "EndpointRejected"].includes(error._tag)

const lists = {
  UnknownCompany: "companies",
  UnknownAccount: "accounts",
  UnknownMarketplace: "marketplaces",
  UnknownEndpoint: "companies"
} as const

const isUnknown = (error: { readonly _tag: string }): error is Unknown => Object.hasOwn(lists, error._tag)

/** The failure for something that doesn't exist. `list` is the path that lists what exists. */
export const notFound = (says: string, list: string) =>
  new Failure({ code: "NOT_FOUND", message: `${says}. GET /operator/v1/${list} lists what there is.` })

/** The answer to a failure of a service. */
export const failureOf = (error: Rejected | Unknown | Failure | DomainError): Failure | DomainError => {
  // The rest of the message is for applications that embed the host.
  if (isUnknown(error)) return notFound(error.message.split(": ")[0] ?? "", lists[error._tag])
  if (!isRejected(error)) return error
  return validationFailed(error.violations.map((one) => ({ ...one, path: one.path.replace(/^\/id$/, "/username") })))
}

/**
 * Password hashes that were made before a transaction, found by `keyOf`. Each call returns the next hash.
 * Hashing inside the transaction would block other writers.
 */
export const Hashed = Context.Reference<ReadonlyMap<string, () => string>>("@crossdock/host/Hashed", {
  defaultValue: () => new Map()
})

const keyOf = (password: string, isGenerated = false) => JSON.stringify([password, isGenerated])

/** A `PasswordHash` that uses the hashes in `Hashed`, and makes those that are missing. */
export const hashes = Effect.map(PasswordHash, (own) => {
  const hash = (password: string, isGenerated?: boolean) =>
    Effect.flatMap(Hashed, (made) => {
      const next = made.get(keyOf(password, isGenerated))
      return next === undefined ? own.hash(password, isGenerated) : Effect.sync(next)
    })
  return PasswordHash.of({ ...own, hash })
})

const passwordsIn = (body: unknown): ReadonlyArray<readonly [password: string, isGenerated: boolean]> =>
  [body].flat().flatMap((one: unknown) => {
    const { generated, password }: { readonly password?: unknown; readonly generated?: unknown } =
      typeof one === "object" && one !== null ? one : {}
    return typeof password === "string" && password.length <= 2_000 ? [[password, generated === true]] : []
  })

type Acted<A> = Effect.Effect<A, Parameters<typeof failureOf>[0]>

/** `write` answers a write, and `act` answers a write without a body. `prepare` hashes the passwords in a body. */
export const make = Effect.gen(function* () {
  const reply = yield* Reply.Reply
  const { hash } = yield* PasswordHash

  const prepare = Effect.fnUntraced(function* (body: unknown) {
    const hashOf = ([password, isGenerated]: readonly [string, boolean]) =>
      Effect.map(hash(password, isGenerated), (made) => [keyOf(password, isGenerated), made] as const)
    // Concurrent hashes use all cores.
    const pairs = yield* Effect.forEach(passwordsIn(body), hashOf, { concurrency: 4 })
    const made = Map.groupBy(pairs, ([key]) => key)
    // Equal passwords have different hashes, one for each record. Work that is restarted uses the same hashes again.
    const nextOf = ([key, all]: readonly [string, ReadonlyArray<readonly [string, string]>]) => {
      let taken = 0
      return [key, () => required(all[taken++ % all.length], "a hash")[1]] as const
    }
    return Context.make(Hashed, new Map([...made].map(nextOf))) as Context.Context<never>
  })

  const write = <B, A extends object>(
    payload: Payload<B>,
    run: (caller: Caller<System>, sent: B) => Acted<A>,
    more: Pick<Reply.WriteRequest, "ignoresBody" | "prepare"> = {}
  ) =>
    Effect.flatMap(Authentication.OperatorUser, (caller) =>
      reply.write({ caller, ...more }, (body) =>
        Effect.flatMap(payload(body), (sent) => Effect.mapError(run(caller, sent), failureOf))
      )
    )

  const act = <A extends object>(run: (caller: Caller<System>) => Acted<A>) =>
    write(() => Effect.void, run, { ignoresBody: true })

  return { act, prepare, write }
})
