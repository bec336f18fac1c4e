import { CompanyId, Ids } from "@crossdock/kernel"
import { MarketplaceStore } from "@crossdock/marketplaces"
import { NotificationChannel, NotificationStore } from "@crossdock/notifications"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual } from "@effect/vitest/utils"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const companyId = CompanyId.make(1)
const retired = { companyId, location: "BLR1", code: "OLD" }

describe("Stored bodies", () => {
  it.live("keep the names of their fields, so that databases of earlier releases can be read", () =>
    Effect.gen(function* () {
      const [marketplaces, notifications] = [yield* MarketplaceStore, yield* NotificationStore]
      const sql = yield* SqlClient.SqlClient
      yield* marketplaces.put({
        slug: "bazaar",
        name: "Bazaar",
        currency: "INR",
        locations: [],
        retiredCodes: [retired],
        skus: null,
        buffers: [],
        webhook: null
      })
      yield* notifications.save({ ...NotificationChannel.fresh({ marketplace: "bazaar", companyId }), completed: 7 })
      const bodies = sql<{ body: string }>`
        SELECT body FROM crossdock_marketplaces UNION ALL SELECT body FROM crossdock_channels`
      const stored = (yield* bodies).map(({ body }) => JSON.parse(body))
      deepStrictEqual([stored[0]?.former, stored[1]?.told], [[retired], 7])
      deepStrictEqual(Object.keys(stored[0]).includes("retiredCodes"), false)
      deepStrictEqual(Object.keys(stored[1]).includes("completed"), false)
      deepStrictEqual((yield* marketplaces.find("bazaar"))?.retiredCodes, [retired])
      deepStrictEqual((yield* notifications.find({ marketplace: "bazaar", companyId }))?.completed, 7)
    }).pipe(
      Effect.provide(
        StorageSql.layer.pipe(Layer.provideMerge(BetterSqlite3.layer(":memory:")), Layer.provide(Ids.layer))
      )
    )
  )
})
