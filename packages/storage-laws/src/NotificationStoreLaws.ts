import type { Transaction } from "@crossdock/kernel"
import { NotificationChannel, NotificationStore } from "@crossdock/notifications"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as Effect from "effect/Effect"
import { oneSaves, times } from "./ConcurrentWriters.ts"
import * as Fresh from "./Fresh.ts"
import type { Laws } from "./Laws.ts"
import { about, column, columns, endsBadly, inTransaction, inUnit, oldRowsAreDeleted, outcome } from "./Laws.ts"

type Channel = NotificationChannel.Channel
type Key = NotificationChannel.ChannelKey

const at = 1_790_000_000_000

const freshKey: Effect.Effect<Key> = Effect.gen(function* () {
  return { marketplace: yield* Fresh.text("bazaar"), companyId: yield* Fresh.companyId }
})

const unsaved = NotificationChannel.fresh

const tried = {
  webhookId: "w",
  fingerprint: "f",
  size: null,
  failures: 3,
  since: at,
  nextAt: at + 5,
  failure: '503 "\\no"'
}

const busy = (channel: Channel): Channel => ({
  ...channel,
  cursor: { changeNumber: 2 ** 50, within: { sku: "कुर्ता/😀", location: "L'1" } },
  floor: { changeNumber: 2 ** 50, sequence: 2 ** 52 },
  again: [
    { sku: "b", location: "L2" },
    { sku: "a", location: "L1" }
  ],
  aside: [{ ...tried, sku: "c", location: "L1" }],
  outstanding: { ...tried, size: 250 },
  lease: { owner: "host", until: at + 15_000 }
})

const event = { quantity: 0, changeNumber: 9, sequence: 9, occurredAt: at }
const later = { quantity: 5, changeNumber: 10, sequence: 2 ** 50, occurredAt: at + 1 }

const letter = (key: Key, id: string, when = at): NotificationChannel.DeadLetter => ({
  ...key,
  id,
  events: [
    { ...event, eventId: "e", sku: "कुर्ता", location: "L1", code: "M-1" },
    { ...later, eventId: "d", sku: "a", location: "L2", code: "M-2" }
  ],
  failures: 12,
  since: at - 259_200_000,
  at: when,
  failure: "rejected 😀"
})

const nextVersion = (channel: Channel): Channel => ({ ...channel, version: channel.version + 1 })

export const notificationStoreLaws = (laws: Laws<NotificationStore | Transaction.Transaction>): void => {
  const { concurrent, law } = about(NotificationStore, laws, Effect.all([freshKey, freshKey]))
  law("a channel is read back equal, one version later, first and later, full and empty", function* (store, [key]) {
    const own = Effect.map(store.channels, (all) => all.filter(({ companyId }) => companyId === key.companyId))
    deepStrictEqual([yield* store.find(key), yield* own], [undefined, []])
    for (const [version, content] of [unsaved(key), busy(unsaved(key)), unsaved(key)].entries()) {
      yield* store.save({ ...content, version })
      deepStrictEqual(yield* store.find(key), { ...content, version: version + 1 })
    }
    deepStrictEqual(yield* own, [{ ...unsaved(key), version: 3 }])
  })

  law("a channel that was saved since it was read is a stale write, the first time and later", function* (store) {
    const first = unsaved(yield* freshKey)
    strictEqual(yield* outcome(store.save({ ...first, version: 1 })), "StaleWrite")
    strictEqual(yield* store.find(first), undefined)
    yield* store.save(first)
    yield* store.save(nextVersion(first))
    for (const version of [0, 1, 3]) strictEqual(yield* outcome(store.save({ ...busy(first), version })), "StaleWrite")
    deepStrictEqual(yield* store.find(first), { ...first, version: 2 })
  })

  law("a stale save fails its transaction, and nothing of that remains", function* (store) {
    const [known, other] = [unsaved(yield* freshKey), unsaved(yield* freshKey)]
    yield* store.save(known)
    for (const stale of [known, { ...known, version: 2 }]) {
      const unit = inUnit(function* () {
        yield* store.save(other)
        yield* store.addDeadLetter(letter(other, "w"))
        yield* store.save(stale)
      })
      strictEqual(yield* outcome(unit), "StaleWrite")
    }
    strictEqual(yield* store.find(other), undefined)
    deepStrictEqual(yield* store.deadLetters(other.marketplace), [])
    deepStrictEqual(yield* store.find(known), nextVersion(known))
  })

  law("channels of one company, and of one marketplace, are apart", function* (store) {
    const [one, another] = [unsaved(yield* freshKey), unsaved(yield* freshKey)]
    const crossed = { ...one, marketplace: another.marketplace }
    for (const channel of [one, another]) yield* store.save(channel)
    strictEqual(yield* store.find(crossed), undefined)
    yield* store.save(crossed)
    yield* store.save(busy(nextVersion(crossed)))
    deepStrictEqual(yield* store.find(one), nextVersion(one))
    deepStrictEqual(yield* store.find(another), nextVersion(another))
    deepStrictEqual(yield* store.find(crossed), { ...busy(crossed), version: 2 })
  })

  law("channels come by company, then marketplace by code point, however they were saved", function* (store) {
    const companies = [yield* Fresh.companyId, yield* Fresh.companyId]
    const prefix = yield* Fresh.text("bazaar")
    for (const companyId of companies.toReversed()) {
      for (const end of Fresh.shuffled) yield* store.save(unsaved({ companyId, marketplace: `${prefix} ${end}` }))
    }
    const own = (yield* store.channels).filter(({ marketplace }) => marketplace.startsWith(`${prefix} `))
    const expected = companies.flatMap((companyId) => Fresh.inOrder.map((end) => [companyId, `${prefix} ${end}`]))
    deepStrictEqual(columns(own, "companyId", "marketplace"), expected)
  })

  concurrent("of several who save what they read at once exactly one wins, the others are stale", function* (store) {
    yield* oneSaves(unsaved(yield* freshKey), store)
  })

  law("dead letters are read back equal, those of one marketplace, oldest first", function* (store, [key, other]) {
    deepStrictEqual(yield* store.deadLetters(key.marketplace), [])
    const elsewhere = { ...key, companyId: other.companyId }
    const all = [letter(key, "z", 1), letter(elsewhere, "y", 20), letter(key, "x", 100), letter(elsewhere, "w", at)]
    for (const at of [2, 0, 3, 1]) yield* Effect.forEach(all.slice(at, at + 1), store.addDeadLetter)
    yield* store.addDeadLetter(letter(other, "z", 2))
    deepStrictEqual(yield* store.deadLetters(key.marketplace), all)
  })

  law("dead letters from before a time are deleted, the oldest first", function* (store, [one, other]) {
    const put = Effect.fnUntraced(function* (when: number, nth: number) {
      const own = letter(nth % 2 === 0 ? one : other, `w${nth}`, when)
      yield* store.addDeadLetter(own)
      return Effect.map(store.deadLetters(own.marketplace), (all) => all.some(({ id }) => id === own.id))
    })
    yield* oldRowsAreDeleted(put, store.deleteDeadLetters)
  })

  law("a dead letter is taken alone, once, and not by a failed transaction", function* (store, [key, other]) {
    const keys = [key, { ...key, companyId: other.companyId }, { ...other, companyId: key.companyId }]
    yield* Effect.forEach(keys, (one) => store.addDeadLetter(letter(one, "w")))
    yield* store.addDeadLetter(letter(key, "v", at + 1))
    strictEqual(yield* store.takeDeadLetter(key, "none"), undefined)
    strictEqual(yield* store.takeDeadLetter(other, "w"), undefined)
    yield* endsBadly(inTransaction(Effect.andThen(store.takeDeadLetter(key, "w"), Effect.fail("rejected"))))
    deepStrictEqual(yield* store.takeDeadLetter(key, "w"), letter(key, "w"))
    strictEqual(yield* store.takeDeadLetter(key, "w"), undefined)
    deepStrictEqual(columns(yield* store.deadLetters(key.marketplace), "companyId", "id"), [
      [other.companyId, "w"],
      [key.companyId, "v"]
    ])
    deepStrictEqual(column(yield* store.deadLetters(other.marketplace), "id"), ["w"])
  })

  concurrent("of ten who take a dead letter at once exactly one has it", function* (store, [key]) {
    for (const unit of [<A, E, R>(effect: Effect.Effect<A, E, R>) => effect, inTransaction]) {
      yield* store.addDeadLetter(letter(key, "w"))
      const taken = yield* times(10, () => unit(store.takeDeadLetter(key, "w")))
      const letters = taken.filter((one) => one !== undefined)
      deepStrictEqual(letters, [letter(key, "w")])
      deepStrictEqual(yield* store.deadLetters(key.marketplace), [])
    }
  })
}
