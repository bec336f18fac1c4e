import { Idempotency } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const textOf = ({ key, method, path, principal }: Idempotency.IdempotencyKey): string =>
  JSON.stringify([principal, method, path, key])

const records = Table.make<Idempotency.IdempotencyRecord>("idempotency")

const isStill = (kept: Idempotency.Kept | undefined, expected: Idempotency.Kept | undefined): boolean =>
  kept === undefined || expected === undefined
    ? kept === expected
    : kept.owner === expected.owner &&
      kept.claimedUntil === expected.claimedUntil &&
      (kept.answer === null) === (expected.answer === null)

/** The tables with `record` in place of `expected`, or undefined if the stored record is another than `expected`. */
const replaced = (
  tables: Table.Tables,
  key: Idempotency.IdempotencyKey,
  record: Idempotency.IdempotencyRecord,
  expected: Idempotency.Kept | undefined
): Table.Tables | undefined =>
  isStill(records.get(tables, textOf(key)), expected) ? records.put(tables, [[textOf(key), record]]) : undefined

export const layer = adapter(Idempotency.Idempotency, (database) => ({
  find: (key) => database.read((tables) => records.get(tables, textOf(key))),
  put: (key, record, expected) =>
    database.update((tables) => {
      const written = replaced(tables, key, record, expected)
      return [written !== undefined, written ?? tables]
    }),
  answer: (key, record, expected) =>
    database.decide((tables) => {
      const written = replaced(tables, key, record, expected)
      return written === undefined ? Table.stale("Idempotency.answer") : Result.succeed([undefined, written])
    }),
  remove: (key, owner) =>
    database.write((tables) => {
      const kept = records.get(tables, textOf(key))
      return kept?.owner === owner && kept.answer === null ? records.remove(tables, [textOf(key)]) : tables
    }),
  deleteExpired: (before, limit) => database.update(Table.deleteOld(records, (one) => one.expiresAt, before, limit))
}))
