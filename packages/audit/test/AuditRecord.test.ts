import { type AuditRecord, viewOf } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual, throws } from "@effect/vitest/utils"

const entity = { type: "price", id: "85123A", action: "set" }
const by = { recorded_by: { kind: "system", id: "host" }, request_id: null } as const
const body = { _id: "1", company: 1, sequence: 1, at: 0, entity, ...by, logs: { esp: 249 } }

const record = (text: string, personal: string | null): AuditRecord => ({
  companyId: CompanyId.make(1),
  sequence: 1,
  id: "1",
  at: 0,
  entityType: entity.type,
  entityId: entity.id,
  action: entity.action,
  body: text,
  hash: "5f2a",
  personal
})

describe("An audit record", () => {
  it("is read as it was written, with its personal part or after that was erased", () => {
    const personal = { salt: "s", logs: { customer: "Asha" } }
    const text = JSON.stringify(body)
    deepStrictEqual(viewOf(record(text, JSON.stringify(personal))), { ...body, personal })
    deepStrictEqual(viewOf(record(text, null)), { ...body, personal: null })
  })

  it("that was damaged or written by a later release is a defect that names it, and nothing in it", () => {
    const rejected = (text: string, personal: string | null, why: string) =>
      throws(
        () => viewOf(record(text, personal)),
        (error) => {
          strictEqual(error instanceof Error ? error.message : error, why)
          return undefined
        }
      )
    rejected('{"secret', null, "The stored audit record 1 can't be read: it is not a JSON object")
    rejected('{"secret":1}', null, "The stored audit record 1 can't be read: its _id is missing or malformed")
    rejected(
      JSON.stringify({ ...body, v: 2 }),
      null,
      "The stored audit record 1 can't be read: it has version 2, and this release knows 1"
    )
    rejected(
      JSON.stringify(body),
      '{"modifier":"secret"}',
      "The stored personal part of audit record 1 can't be read: its salt is missing or malformed"
    )
  })
})
