import { Idempotency, StaleWrite } from "@crossdock/kernel"
import * as Result from "effect/Result"
import { adapter } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const records = Table.make<Idempotency.IdempotencyRecord>("idempotency")

const textOf = ({ key, method, path, principal }: Idempotency.IdempotencyKey): string =>
  JSON.stringify([principal, method, path, key])

const isClaimOf = (kept: Idempotency.Kept | undefined, owner: string): boolean =>
  kept?.owner === owner && kept.answer === null

const isStill = (kept: Idempotency.Kept | undefined, expected: Idempotency.Kept | undefined): boolean =>
  kept === undefined || expected === undefined
    ? kept === expected
    : kept.owner === expected.owner &&
      kept.claimedUntil === expected.claimedUntil &&
      (kept.answer === null) === (expected.answer === null)

export const layer = adapter(Idempotency.Idempotency, (database) => ({
  find: (key) => database.read((tables) => records.get(tables, Table.noCompany, textOf(key))),
  put: (key, record, expected) =>
    database.decide((tables) =>
      isStill(records.get(tables, Table.noCompany, textOf(key)), expected)
        ? Result.succeed([true, records.put(tables, Table.noCompany, [[textOf(key), record]])])
        : Result.succeed([false, tables])
    ),
  answer: (key, record, expected) =>
    database.decide((tables) =>
      isStill(records.get(tables, Table.noCompany, textOf(key)), expected)
        ? Result.succeed([undefined, records.put(tables, Table.noCompany, [[textOf(key), record]])])
        : Result.fail(new StaleWrite({ operation: "Idempotency.answer" }))
    ),
  remove: (key, owner) =>
    database.write((tables) =>
      isClaimOf(records.get(tables, Table.noCompany, textOf(key)), owner)
        ? records.remove(tables, Table.noCompany, [textOf(key)])
        : tables
    ),
  deleteExpired: (before, limit) =>
    database.decide((tables) => {
      const expired = records
        .entries(tables, Table.noCompany)
        .filter(([, record]) => record.expiresAt < before)
        .toSorted(([, one], [, other]) => one.expiresAt - other.expiresAt)
        .slice(0, limit)
      const keys = expired.map(([key]) => key)
      const remaining = records.remove(tables, Table.noCompany, keys)
      return Result.succeed([expired.length, remaining])
    })
}))
