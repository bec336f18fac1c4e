/** The operations of an interface as procedures of effect/rpc, such as `seller.shipments.confirm`. */
import { ApiError, NetworkError, type Transport, type TransportRequest } from "@crossdock/client"
import type { Input, Operation, Table } from "@crossdock/client/contracts"
import { Marketplace, Operator, Platform, Seller } from "@crossdock/client/contracts"
import * as Effect from "effect/Effect"
import * as Rpc from "effect/rpc/Rpc"
import type * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const texts = Schema.Record(Schema.String, Schema.String)

const Sent = Schema.Struct({
  params: Schema.optionalKey(texts),
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  headers: Schema.optionalKey(texts),
  payload: Schema.optionalKey(Schema.Json)
})

/** The input of a call: path parameters, query, headers and body. As over HTTP, undefined values aren't sent. */
const Call: Schema.Codec<Input> = Sent.pipe(
  Schema.decodeTo(
    Schema.Unknown,
    SchemaTransformation.transform({
      decode: (sent): unknown => sent,
      encode: (input) => JSON.parse(JSON.stringify(input)) as typeof Sent.Type
    })
  )
) as never

const Answered = Schema.Struct({
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String,
  requestId: Schema.String,
  errors: Schema.Array(Schema.Struct({ path: Schema.String, code: Schema.String, message: Schema.String })),
  retryAfter: Schema.UndefinedOr(Schema.Number)
})

const Failure = Answered.pipe(
  Schema.decodeTo(
    Schema.instanceOf(ApiError),
    SchemaTransformation.transform({
      decode: (fields) => new ApiError(fields),
      encode: ({ code, errors, message, requestId, retryAfter, status }) => ({
        code,
        errors,
        message,
        requestId,
        retryAfter,
        status
      })
    })
  )
)

type Procedure<Name extends string, Takes, Answers> = Rpc.Rpc<
  Name,
  Schema.Codec<Takes>,
  Schema.Codec<Answers>,
  typeof Failure
>

interface Plain {
  readonly input: object
  readonly success: unknown
}

type OfGroup<Name extends string, Operations> = {
  [E in keyof Operations & string]: Operations[E] extends Plain
    ? Procedure<`${Name}.${E}`, Operations[E]["input"], Operations[E]["success"]>
    : never
}[keyof Operations & string]

type OfInterface<Name extends string, Operations> =
  | { [G in keyof Operations & string]: OfGroup<`${Name}.${G}`, Operations[G]> }[keyof Operations & string]
  | Procedure<`${Name}.signIn`, Input, { readonly access_token: string }>

/** Any procedure. Only callers know the types of its input and answer. */
export type Made = Rpc.Rpc<string, typeof Call, Schema.Codec<unknown>, typeof Failure>

/** The procedures of an interface, and the operation of each name. */
export interface Procedures<R extends Rpc.Any> {
  readonly group: RpcGroup.RpcGroup<R>
  readonly operations: ReadonlyMap<string, Operation>
}

const make = <const Name extends string, Operations>(
  name: Name,
  signInPath: string,
  table: Table<Operations>
): Procedures<OfInterface<Name, Operations>> => {
  const groups = Object.entries<Readonly<Record<string, Operation>>>(table as never)
  const operations = new Map<string, Operation>([
    [`${name}.signIn`, { method: "POST", path: signInPath }],
    ...groups.flatMap(([group, members]) =>
      Object.entries(members).map(([member, operation]) => [`${name}.${group}.${member}`, operation] as const)
    )
  ])
  const procedures = Array.from(operations, ([tag, { bytes }]) =>
    Rpc.make(tag, { payload: Call, success: bytes === true ? Schema.Uint8Array : Schema.Json, error: Failure })
  )
  const group = RpcGroup.make(...procedures) as RpcGroup.Any as RpcGroup.RpcGroup<OfInterface<Name, Operations>>
  return { group, operations }
}

/** The procedures of the seller interface. */
export const seller = make("seller", Seller.signInPath, Seller.operations)

/** The procedures of the marketplace interface. */
export const marketplace = make("marketplace", Marketplace.signInPath, Marketplace.operations)

/** The procedures of the operator interface. */
export const operator = make("operator", Operator.signInPath, Operator.operations)

/** The procedures of the platform interface. */
export const platform = make("platform", Platform.signInPath, Platform.operations)

const named = ({ operation }: TransportRequest) => `${operation.method} ${operation.path}`

/**
 * Makes a transport of procedures: `SellerClient.over(Procedures.transport(Procedures.seller, client), account)`.
 * `client` is a flat client: `RpcClient.make(group, { flatten: true })`, or `RpcTest.makeClient` in the same process.
 */
export const transport = <R extends Rpc.Any, Others extends Rpc.Any = never>(
  { operations }: Procedures<R>,
  client: RpcClient.RpcClient.Flat<NoInfer<R> | Others, RpcClientError> | RpcClient.RpcClient.Flat<NoInfer<R> | Others>
): Transport => {
  const tags = new Map(Array.from(operations, ([tag, { method, path }]) => [`${method} ${path}`, tag]))
  const call = client as unknown as (
    tag: string | undefined,
    input: unknown,
    options: { readonly headers: Readonly<Record<string, string>> }
  ) => Effect.Effect<unknown, ApiError | RpcClientError>
  return (request) =>
    Effect.catchTag(call(tags.get(named(request)), request.input, { headers: request.headers }), "RpcClientError", () =>
      Effect.fail(
        new NetworkError({ reason: "connection", message: `${named(request)} got no answer: the connection failed.` })
      )
    )
}
