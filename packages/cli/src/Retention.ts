/** The deletion of records after the days in the settings, and of nothing by default. Source: docs/reference/host.md#retention. */
import { EventLog } from "@crossdock/audit"
import { CatalogWriteStore } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { Retention } from "@crossdock/kernel"
import { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import { Effect, Layer, Option } from "effect"
import type { Settings } from "./Settings.ts"

export const layer = ({ retention }: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const [writes, notifications, levels] = [yield* CatalogWriteStore, yield* NotificationStore, yield* StockLevels]
      const [events, endpoints] = [yield* EventLog, yield* EventEndpointStore]
      const all = [
        ["catalog writes", retention.catalogWrites, writes.deleteBefore],
        ["dead letters", retention.deadLetters, notifications.deleteDeadLetters],
        ["dead letters of events", retention.deadLetters, endpoints.deleteDeadLetters],
        ["events", retention.events, events.drop],
        // A change of stock has up to 500 movements, so only 50 changes are folded at once.
        ["movements", retention.movements, (before: number) => levels.foldMovements(before, 50)]
      ] as const
      const rules = all.flatMap(([name, days, remove]) =>
        Option.isNone(days) ? [] : [{ name, days: days.value, remove }]
      )
      return rules.length === 0 ? Layer.empty : Retention.layer(rules)
    })
  )
