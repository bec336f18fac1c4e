/** A host on the filled database. It accepts orders. */
import * as Api from "@crossdock/system-tests/Api"
import * as HostProcess from "@crossdock/system-tests/HostProcess"
import { Effect } from "effect"
import * as Sellers from "../growing/Sellers.ts"

export interface Host {
  readonly api: Api.Api
  readonly process: number
}

/** Starts a host with at most `connections` to the database. The host ends with the scope. */
export const make = (url: string, connections: number) =>
  Effect.gen(function* () {
    const { child, url: at } = yield* HostProcess.scoped({
      DATABASE_URL: url,
      DATABASE_POOL: String(connections),
      SANDBOX: "0",
      LOG_LEVEL: "none",
      ACCOUNT_REQUESTS_PER_SECOND: "0",
      ADDRESS_REQUESTS_PER_SECOND: "0"
    })
    const api = yield* Effect.promise(() =>
      Api.signedIn(at, `/auth/${Sellers.slug}/token`, Sellers.slug, Sellers.password)
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => api.close()))
    return { api, process: child.pid ?? 0 } satisfies Host
  })
