import { StaleWrite, Text } from "@crossdock/kernel"
import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { type NotificationChannel, NotificationStore } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

type Key = NotificationChannel.ChannelKey

const channels = Table.make<NotificationChannel.Channel>("channels")
const letters = Table.make<NotificationChannel.DeadLetter>("deadLetters")

const keyOf = ({ companyId, marketplace }: Key, id = ""): string => JSON.stringify([companyId, marketplace, id])

const byKey = Table.byNumberThenText((channel: Key) => channel.companyId, "marketplace")

const oldestFirst = Table.byNumberThenText((letter: NotificationChannel.DeadLetter) => letter.at, "id")

const notificationStore = adapter(NotificationStore, (database) => ({
  channels: database.read((tables) => channels.rows(tables, Table.noCompany).toSorted(byKey)),
  find: (key) => database.read((tables) => channels.get(tables, Table.noCompany, keyOf(key))),
  save: (channel) =>
    database.decide((tables) => {
      const key = keyOf(channel)
      if ((channels.get(tables, Table.noCompany, key)?.version ?? 0) !== channel.version)
        return Result.fail(new StaleWrite({ operation: "NotificationStore.save" }))
      const saved = { ...channel, version: channel.version + 1 }
      return Result.succeed([undefined, channels.put(tables, Table.noCompany, [[key, saved]])])
    }),
  addDeadLetter: (letter) =>
    database.write((tables) => letters.put(tables, Table.noCompany, [[keyOf(letter, letter.id), letter]])),
  deadLetters: (marketplace) =>
    database.read((tables) =>
      letters
        .rows(tables, Table.noCompany)
        .filter((letter) => letter.marketplace === marketplace)
        .sort(oldestFirst)
    ),
  takeDeadLetter: (key, id) =>
    database.decide((tables) => {
      const letter = letters.get(tables, Table.noCompany, keyOf(key, id))
      return Result.succeed([letter, letters.remove(tables, Table.noCompany, [keyOf(key, id)])])
    }),
  deleteDeadLetters: (before, limit) =>
    database.decide((tables) => {
      const old = letters
        .rows(tables, Table.noCompany)
        .filter(({ at }) => at < before)
        .sort(oldestFirst)
        .slice(0, limit)
      const keys = old.map((letter) => keyOf(letter, letter.id))
      return Result.succeed([old.length, letters.remove(tables, Table.noCompany, keys)])
    })
}))

const marketplaces = Table.make<Marketplace>("marketplaces")
const versions = Table.make<number>("marketplacesVersion")

const marketplaceStore = adapter(MarketplaceStore, (database) => {
  const putAll = (some: ReadonlyArray<Marketplace>) =>
    database.write((tables) => {
      const version = (versions.get(tables, Table.noCompany, "marketplaces") ?? 0) + 1
      const kept = versions.put(tables, Table.noCompany, [["marketplaces", version]])
      return marketplaces.putEach(kept, Table.noCompany, some, (one) => [one.slug, one])
    })

  return {
    lock: Effect.void,
    put: (one) => putAll([one]),
    putAll,
    version: database.read((tables) => versions.get(tables, Table.noCompany, "marketplaces") ?? 0),
    find: (slug) => database.read((tables) => marketplaces.get(tables, Table.noCompany, slug)),
    all: database.read((tables) =>
      marketplaces.rows(tables, Table.noCompany).sort(Order.mapInput(Text.order, (marketplace) => marketplace.slug))
    ),
    purge: Effect.void
  }
})

export const layer = Layer.merge(marketplaceStore, notificationStore)
