/**
 * Adapter: the audit trail.
 */
import { AuditLog, type AuditRecord, type Head } from "@crossdock/audit"
import { type CompanyId, StaleWrite } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Order from "effect/Order"
import { companies } from "./DirectoryMemory.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as Table from "./Table.ts"

const records = Table.make<AuditRecord>("auditRecords")
const heads = Table.make<Head>("auditHeads")

const headOf = (tables: Table.Tables, companyId: CompanyId): Head =>
  heads.get(tables, companyId, "") ?? { companyId, sequence: 0, hash: "" }

const appendOne = (tables: Table.Tables, record: AuditRecord): Either.Either<Table.Tables, StaleWrite> => {
  const { companyId, hash, sequence } = record
  if (headOf(tables, companyId).sequence + 1 !== sequence || companies.get(tables, companyId, "") === undefined) {
    return Either.left(new StaleWrite({ operation: "AuditLog.append" }))
  }
  const written = records.put(tables, companyId, [[String(sequence), record]])
  return Either.right(heads.put(written, companyId, [["", { companyId, sequence, hash }]]))
}

export const make = Effect.gen(function* () {
  const database = yield* MemoryDatabase

  return AuditLog.of({
    // The one writer at a time holds everything.
    hold: (wanted) =>
      database.read((tables) =>
        [...new Set(wanted)]
          .sort(Order.number)
          .filter((company) => companies.get(tables, company, "") !== undefined)
          .map((company) => headOf(tables, company))
      ),
    append: (many) =>
      database.decide((tables) =>
        many
          .reduce(
            (outcome, record) => Either.flatMap(outcome, (written) => appendOne(written, record)),
            Either.right(tables) as Either.Either<Table.Tables, StaleWrite>
          )
          .pipe(Either.map((written) => [undefined, written] as const))
      ),
    read: (company, after, limit) =>
      database.read((tables) => {
        const last = Math.min(headOf(tables, company).sequence, after + limit)
        const numbers = Array.from({ length: Math.max(0, last - after) }, (_, i) => after + 1 + i)
        return numbers.flatMap((number) => records.get(tables, company, String(number)) ?? [])
      })
  })
})

export const layer: Layer.Layer<AuditLog, never, MemoryDatabase> = Layer.effect(AuditLog, make)
