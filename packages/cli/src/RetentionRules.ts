/**
 * What this host deletes when it was kept for long enough: nothing, unless its settings say so. Source:
 * docs/reference/host.md#retention.
 */
import { EventLog } from "@crossdock/audit"
import { CatalogWriteStore } from "@crossdock/catalog"
import { StockLevels } from "@crossdock/inventory"
import { Retention } from "@crossdock/kernel"
import { EventEndpointStore, NotificationStore } from "@crossdock/notifications"
import { Effect, Layer, Option } from "effect"
import type { Settings } from "./Settings.ts"

/** Changes of stock that are folded at once. A change has up to 500 movements. */
const foldedChanges = 50

const rules = ({ retention }: Settings) =>
  Effect.gen(function* () {
    const [writes, notifications, levels] = [yield* CatalogWriteStore, yield* NotificationStore, yield* StockLevels]
    const [events, endpoints] = [yield* EventLog, yield* EventEndpointStore]
    const all = [
      ["catalog writes", retention.catalogWrites, writes.deleteBefore],
      ["dead letters", retention.deadLetters, notifications.deleteDeadLetters],
      ["dead letters of events", retention.deadLetters, endpoints.deleteDeadLetters],
      ["events", retention.events, events.drop],
      ["movements", retention.movements, (before: number) => levels.foldMovements(before, foldedChanges)]
    ] as const
    return all.flatMap(([name, days, remove]) =>
      Option.match(days, { onNone: () => [], onSome: (days) => [{ name, days, remove }] })
    )
  })

export const layer = (settings: Settings) =>
  Layer.unwrap(Effect.map(rules(settings), (some) => (some.length === 0 ? Layer.empty : Retention.layer(some))))
