/**
 * The channels of one marketplace that are stored.
 */
import * as Effect from "effect/Effect"
import type { NotificationStore } from "../NotificationStore.ts"

export const channelsOf = (store: typeof NotificationStore.Service, marketplace: string) =>
  Effect.map(store.channels, (all) => all.filter((channel) => channel.marketplace === marketplace))
