import { type Marketplace, MarketplaceStore } from "@crossdock/marketplaces"
import { type NotificationChannel, NotificationStore } from "@crossdock/notifications"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

type Channel = NotificationChannel.Channel
type Letter = NotificationChannel.DeadLetter

const letterKey = (marketplace: string, id: string): string => JSON.stringify([marketplace, id])

const channels = Table.ofCompanies<Channel>("channels", ({ marketplace }) => marketplace)
const letters = Table.ofCompanies<Letter>("deadLetters", ({ id, marketplace }) => letterKey(marketplace, id))

const byKey = Table.byNumberThenText(({ companyId }: Channel) => companyId, "marketplace")
const oldestFirst = Table.byNumberThenText(({ at }: Letter) => at, "id")

const notificationStore = adapter(NotificationStore, (database) => ({
  channels: database.read((tables) => channels.all(tables).sort(byKey)),
  find: ({ companyId, marketplace }) => database.read((tables) => channels.get(tables, marketplace, companyId)),
  save: (channel) => database.decide(Table.saveNext(channels, "NotificationStore.save", channel)),
  addDeadLetter: (letter) => database.write((tables) => letters.save(tables, [letter])),
  deadLetters: (marketplace) =>
    database.read((tables) =>
      letters
        .all(tables)
        .filter((letter) => letter.marketplace === marketplace)
        .sort(oldestFirst)
    ),
  takeDeadLetter: ({ companyId, marketplace }, id) =>
    database.update((tables) => {
      const key = letterKey(marketplace, id)
      return [letters.get(tables, key, companyId), letters.remove(tables, [key], companyId)]
    }),
  deleteDeadLetters: (before, limit) => database.update(Table.deleteOld(letters, ({ at }) => at, before, limit))
}))

const marketplaces = Table.keyed<Marketplace>("marketplaces", ({ slug }) => slug)

const version = "version of marketplaces"

const marketplaceStore = adapter(MarketplaceStore, (database) => {
  const putAll = (some: ReadonlyArray<Marketplace>) =>
    database.write((tables) => Table.count(marketplaces.save(tables, some), version)[1])

  return {
    lock: Effect.void,
    put: (one) => putAll([one]),
    putAll,
    version: database.read((tables) => Table.counted(tables, version)),
    find: (slug) => database.read((tables) => marketplaces.get(tables, slug)),
    all: database.read((tables) => marketplaces.rows(tables).sort(Table.byText("slug"))),
    purge: Effect.void
  }
})

export const layer = Layer.merge(marketplaceStore, notificationStore)
