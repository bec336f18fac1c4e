/** `npm run lab -- audit 10000 100000` makes random changes in the audit table. Verification must find them. */
import "@crossdock/cli/NodeVersion"
import { type Caller, Directory, type PlatformClient } from "@crossdock/access"
import { AuditTrail, CompanyWrite } from "@crossdock/audit"
import { DigestNode, NonceNode } from "@crossdock/crypto"
import { UserAgentsBowser } from "@crossdock/http"
import { CompanyId, Ids, Transaction } from "@crossdock/kernel"
import { StorageSql } from "@crossdock/storage-sql"
import * as BetterSqlite3 from "@crossdock/storage-sql/BetterSqlite3"
import { Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import * as CommandLine from "./CommandLine.ts"
import * as Verdict from "./Verdict.ts"

const options = {
  changes: CommandLine.count("changes", 10_000, "random changes in the table"),
  records: CommandLine.count("records", 100_000, "records whose verification is timed")
}

const size = 60
const one = CompanyId.make(1)
const large = CompanyId.make(2)
const clientOf = (companyId: CompanyId): Caller<PlatformClient> => ({
  principal: { kind: "platform_client", id: "audit-test", companyId, scopes: [] },
  requestId: null
})
const upTo = (most: number) => 1 + Math.floor(Math.random() * most)

const services = AuditTrail.layer.pipe(
  Layer.provideMerge(CompanyWrite.layer),
  Layer.provideMerge(Layer.provideMerge(StorageSql.layer, BetterSqlite3.layer(":memory:"))),
  Layer.provide([DigestNode.layer, Ids.layer, NonceNode.layer, UserAgentsBowser.layer])
)

const stated = (n: number): AuditTrail.StatedLog => ({
  entity: { type: "order", id: `o-${n}`, action: "update" },
  application: null,
  modifier: { user_id: `u-${n % 7}` },
  deviceInfo: null,
  location: null,
  sessions: null,
  payload: { request: { n }, response: "ok" }
})

/** Ways to change the table. Each returns the record at which verification must find the change. */
const tamperings = (sql: SqlClient.SqlClient) => {
  const table = sql.literal("crossdock_audit_records")
  const edit = (column: string) => () => {
    const at = upTo(size)
    const changed = ["sequence", "at", "company_id"].includes(column)
      ? sql`${sql.literal(column)} + 1`
      : sql`${sql.literal(column)} || ' '`
    return Effect.as(
      sql`UPDATE ${table} SET ${sql.literal(column)} = ${changed} WHERE company_id = ${one} AND sequence = ${at}`,
      at
    )
  }
  const moveUp = (from: number) =>
    Effect.andThen(
      sql`UPDATE ${table} SET sequence = -sequence - 1 WHERE company_id = ${one} AND sequence >= ${from}`,
      sql`UPDATE ${table} SET sequence = -sequence WHERE company_id = ${one} AND sequence < 0`
    )
  return {
    ...Object.fromEntries(
      ["body", "hash", "id", "at", "entity_type", "entity_id", "action", "personal"].map((column) => [
        `edit of ${column}`,
        edit(column)
      ])
    ),
    deletion: () => {
      const at = upTo(size)
      return Effect.as(sql`DELETE FROM ${table} WHERE company_id = ${one} AND sequence = ${at}`, at)
    },
    swap: () => {
      const at = upTo(size - 1)
      const other = at + upTo(size - at)
      return sql`UPDATE ${table} SET sequence = -${at} WHERE company_id = ${one} AND sequence = ${other}`.pipe(
        Effect.andThen(sql`UPDATE ${table} SET sequence = ${other} WHERE company_id = ${one} AND sequence = ${at}`),
        Effect.andThen(sql`UPDATE ${table} SET sequence = ${at} WHERE company_id = ${one} AND sequence = -${at}`),
        Effect.as(at)
      )
    },
    insertion: () => {
      const at = upTo(size)
      return moveUp(at).pipe(
        Effect.andThen(
          sql`INSERT INTO ${table} SELECT company_id, ${at}, id, at, entity_type, entity_id, action, hash, body, personal
              FROM ${table} WHERE company_id = ${one} AND sequence = ${at === size ? 1 : at + 2}`
        ),
        Effect.as(at)
      )
    },
    truncation: () => {
      const at = upTo(size)
      return Effect.as(sql`DELETE FROM ${table} WHERE company_id = ${one} AND sequence >= ${at}`, at)
    }
  }
}

const program = ({ changes, records }: { readonly changes: number; readonly records: number }) =>
  Effect.gen(function* () {
    const [directory, trail, { run }, sql] = [
      yield* Directory,
      yield* AuditTrail.AuditTrail,
      yield* Transaction.Transaction,
      yield* SqlClient.SqlClient
    ]
    yield* directory.putCompanies([one, large].map((id) => ({ id, name: `${id}`, legalName: `${id}` })))
    for (let n = 0; n < size; n++) yield* trail.record(clientOf(one), stated(n))
    const kinds = Object.entries(tamperings(sql))
    const faults: Array<string> = []
    const since = performance.now()
    for (let change = 0; change < changes; change++) {
      const [kind, tamper] = kinds[change % kinds.length] ?? []
      if (tamper === undefined) break
      const attempt = Effect.gen(function* () {
        const at = yield* tamper()
        const { broken } = yield* trail.verify(one)
        return yield* Effect.fail({ at, found: broken?.sequence })
      })
      const { at, found } = yield* Effect.flip(run(attempt)).pipe(
        Effect.map((error) => ("at" in error ? error : { at: 0, found: undefined }))
      )
      if (at !== found || at === 0) faults.push(`${kind} of record ${at} was found at ${found}`)
    }
    const took = Verdict.secondsSince(since)
    if ((yield* trail.verify(one)).broken !== undefined) faults.push("the untouched trail is said to be broken")
    for (let n = 0; n < records; n++) yield* trail.record(clientOf(large), stated(n))
    const began = performance.now()
    if ((yield* trail.verify(large)).broken !== undefined) faults.push("the untouched long trail is said to be broken")
    const perSecond = Math.round(records / ((performance.now() - began) / 1000))
    return {
      claim: "verification finds every change of the table, at its record",
      figures: { changes, took, records, "records verified a second": perSecond },
      faults
    }
  })

CommandLine.main({
  name: "audit",
  does:
    "Makes random edits, deletions, swaps, insertions and truncations in the audit table of a SQLite database in memory, then " +
    "measures the speed of verification. When it passes, verification found each change at its record, and nothing in an " +
    "untouched trail.",
  options,
  run: (chosen) =>
    program(chosen).pipe(Effect.provide(services), Effect.provideService(References.MinimumLogLevel, "Error"))
})
