/** Clients over procedures: `SellerClient.over(RpcTransport.make(Procedures.seller, client), account)`. */
import type { ApiError } from "@crossdock/client"
import { NetworkError, type Transport, type TransportRequest } from "@crossdock/client"
import * as Effect from "effect/Effect"
import type * as Rpc from "effect/rpc/Rpc"
import type * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { Procedures } from "./Procedures.ts"

const named = ({ operation }: TransportRequest) => `${operation.method} ${operation.path}`

/** `client` is a flat client: `RpcClient.make(group, { flatten: true })`, or in process `RpcTest.makeClient`. */
export const make = <R extends Rpc.Any, Others extends Rpc.Any = never>(
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
