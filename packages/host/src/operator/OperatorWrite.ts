/** How the operator interface answers: writes in an operator's name, and rejections of the services. */
import { type Caller, PasswordHash, type System } from "@crossdock/access"
import type { Events } from "@crossdock/audit"
import { Authentication, type DomainError, Failure, type Payload, Reply, validationFailed } from "@crossdock/http"
import type { Marketplaces } from "@crossdock/marketplaces"
import type { EventEndpoints } from "@crossdock/notifications"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type { AccountRejected, UnknownAccount } from "../Accounts.ts"
import type { CompanyRejected, UnknownCompany } from "../Companies.ts"
import type { Services } from "../Services.ts"

type Rejected = CompanyRejected | AccountRejected | Marketplaces.RegistrationRejected | EventEndpoints.EndpointRejected
type Unknown = UnknownCompany | UnknownAccount | Marketplaces.UnknownMarketplace | EventEndpoints.UnknownEndpoint

/** The handlers of a group. */
export type Handled = Layer.Layer<
  never,
  never,
  Services | Authentication.OperatorAuthentication | Reply.Reply | HttpRouter.HttpRouter
>

/** Every failure of the services. */
export type Rejection = Rejected | Unknown | Events.CursorOutOfRange | Failure | DomainError

/** There is nothing of this name; `list` is the path that lists what there is. */
export const notFound = (what: string, list: string) =>
  new Failure({ code: "NOT_FOUND", message: `There is no ${what}. GET /operator/v1/${list} lists them.` })

/** The answer to a failure of a service. */
export const failureOf = (error: Rejection): Failure | DomainError => {
  switch (error._tag) {
    case "CompanyRejected":
    case "AccountRejected":
    case "RegistrationRejected":
    case "EndpointRejected":
      return validationFailed(error.violations.map((one) => ({ ...one, path: one.path.replace(/^\/id$/, "/username") })))
    case "CursorOutOfRange":
      return validationFailed([{ path: "/cursor", code: "OUT_OF_RANGE", message: error.message }])
    case "UnknownCompany":
      return notFound(`company ${error.companyId}`, "companies")
    case "UnknownAccount":
      return notFound(`such account ${JSON.stringify(error.username)}`, "accounts")
    case "UnknownMarketplace":
      return notFound(`marketplace ${JSON.stringify(error.slug)}`, "marketplaces")
    case "UnknownEndpoint":
      return notFound(`endpoint ${JSON.stringify(error.id)}`, `companies/${error.companyId}/deliveries`)
    default:
      return error
  }
}

/** Hashes of passwords that were made before a transaction began. */
export const Hashed = Context.Reference<ReadonlyMap<string, string>>("@crossdock/host/Hashed", {
  defaultValue: () => new Map()
})

/** `PasswordHash` that takes a hash made before. */
export const hashes = Effect.map(PasswordHash, (own) =>
  PasswordHash.of({
    ...own,
    hash: (password) =>
      Effect.flatMap(Hashed, (made) => {
        const known = made.get(password)
        return known === undefined ? own.hash(password) : Effect.succeed(known)
      })
  })
)

/** Hashes that are made at once: they use all cores. */
const concurrency = 4

const passwordsIn = (body: unknown): ReadonlyArray<string> =>
  [body].flat().flatMap((one: unknown) => {
    const { password }: { readonly password?: unknown } = typeof one === "object" && one !== null ? one : {}
    return typeof password === "string" && password.length <= 2_000 ? [password] : []
  })

/** `write` answers a write; `prepare` hashes the passwords of a body. */
export const make = Effect.gen(function* () {
  const reply = yield* Reply.Reply
  const { hash } = yield* PasswordHash
  const prepare = (body: unknown) =>
    Effect.forEach(passwordsIn(body), (password) => Effect.map(hash(password), (made) => [password, made] as const), {
      concurrency
    }).pipe(Effect.map((made) => Context.make(Hashed, new Map(made)) as Context.Context<never>))

  const write = <B, A extends object>(
    payload: Payload<B>,
    run: (caller: Caller<System>, sent: B) => Effect.Effect<A, Rejection>,
    more: Pick<Reply.WriteRequest, "ignoresBody" | "prepare"> = {}
  ) =>
    Effect.flatMap(Authentication.OperatorUser, (caller) =>
      reply.write({ caller, ...more }, (body) =>
        Effect.flatMap(payload(body), (sent) => Effect.mapError(run(caller, sent), failureOf))
      )
    )

  /** A write whose path says everything. */
  const act = <A extends object>(run: (caller: Caller<System>) => Effect.Effect<A, Rejection>) =>
    write(() => Effect.void, run, { ignoresBody: true })

  return { write, act, prepare }
})
