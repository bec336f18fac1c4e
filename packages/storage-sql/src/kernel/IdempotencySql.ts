import { Idempotency, StoredBody } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"
import { expectRows, first } from "../Dialect.ts"
import { deleteOld } from "../ExpiredRows.ts"
import { durableRead, named } from "../TransactionSql.ts"

export const answers = StoredBody.make<Idempotency.StoredAnswer>({
  name: "answer of Idempotency-Key",
  fields: { status: true, contentType: true, body: true }
})

interface Row extends Omit<Idempotency.IdempotencyRecord, "answer"> {
  readonly answer: string | null
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  const settled = durableRead(sql)
  const row = sql.onDialectOrElse({ orElse: () => "rowid", pg: () => "ctid" })
  const is = (key: Idempotency.IdempotencyKey) =>
    sql.and([
      Dialect.isText(sql, "principal", sql`${key.principal}`),
      sql`method = ${key.method}`,
      Dialect.isText(sql, "path", sql`${key.path}`),
      Dialect.isText(sql, "request_key", sql`${key.key}`)
    ])

  const columnsOf = (record: Idempotency.IdempotencyRecord) => ({
    fingerprint: record.fingerprint,
    owner: record.owner,
    claimed_until: record.claimedUntil,
    expires_at: record.expiresAt,
    answer: record.answer === null ? null : answers.write(record.answer)
  })

  const replacing = (
    key: Idempotency.IdempotencyKey,
    record: Idempotency.IdempotencyRecord,
    { answer, claimedUntil, owner }: Idempotency.Kept
  ) => sql`
    UPDATE crossdock_idempotency SET ${sql.update(columnsOf(record))}
    WHERE ${is(key)} AND owner = ${owner} AND claimed_until = ${claimedUntil}
      AND answer IS ${answer === null ? sql`NULL` : sql`NOT NULL`}`

  return Idempotency.Idempotency.of({
    find: (key) =>
      sql<Row>`
        SELECT fingerprint, owner, claimed_until AS "claimedUntil", expires_at AS "expiresAt", answer
        FROM crossdock_idempotency WHERE ${is(key)}`.pipe(
        first(({ answer, ...row }) => ({
          ...row,
          answer: answer === null ? null : answers.read(answer, `${key.key} of ${key.principal}`)
        })),
        // Before an answer is repeated, the changes that it reports must be on the disk.
        Effect.tap((found) => ((found?.answer ?? null) === null ? Effect.void : settled(Effect.void))),
        named("Idempotency.find")
      ),
    put: (key, record, expected) => {
      const identity = { principal: key.principal, method: key.method, path: key.path, request_key: key.key }
      const write =
        expected === undefined
          ? sql`INSERT INTO crossdock_idempotency ${sql.insert({ ...identity, ...columnsOf(record) })} ON CONFLICT DO NOTHING`
          : replacing(key, record, expected)
      return sql`${write} RETURNING owner`.pipe(
        Effect.map((written) => written.length === 1),
        named("Idempotency.put")
      )
    },
    answer: (key, record, expected) =>
      expectRows(sql, "Idempotency.answer", 1, replacing(key, record, expected)).pipe(named("Idempotency.answer")),
    remove: (key, owner) =>
      sql`
        DELETE FROM crossdock_idempotency
        WHERE ${is(key)} AND owner = ${owner} AND answer IS NULL`.pipe(Effect.asVoid, named("Idempotency.remove")),
    deleteExpired: yield* deleteOld(sql, "Idempotency.deleteExpired", "crossdock_idempotency", row, "expires_at")
  })
})

export const layer = Layer.effect(Idempotency.Idempotency, make)
