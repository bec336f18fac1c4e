/**
 * Adapter: idempotency keys.
 */
import { Idempotency } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const records = Table.make<Idempotency.IdempotencyRecord>("idempotency")

const textOf = ({ key, method, path, principal }: Idempotency.IdempotencyKey): string =>
  JSON.stringify([principal, method, path, key])

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return Idempotency.Idempotency.of({
    find: (key) => database.read((tables) => records.get(tables, Table.everybody, textOf(key))),
    put: (key, record, expected) =>
      database.decide((tables) =>
        records.get(tables, Table.everybody, textOf(key))?.owner === expected
          ? Result.succeed([true, records.put(tables, Table.everybody, [[textOf(key), record]])])
          : Result.succeed([false, tables])
      ),
    remove: (key, owner) =>
      database.write((tables) =>
        records.get(tables, Table.everybody, textOf(key))?.owner === owner
          ? records.remove(tables, Table.everybody, [textOf(key)])
          : tables
      ),
    prune: (now) =>
      database.write((tables) => {
        const expired = records.entries(tables, Table.everybody).filter(([, record]) => record.expiresAt < now)
        return records.remove(
          tables,
          Table.everybody,
          expired.map(([key]) => key)
        )
      })
  })
})

export const layer: Layer.Layer<Idempotency.Idempotency, never, MemoryDatabase> = Layer.effect(
  Idempotency.Idempotency,
  make
)
