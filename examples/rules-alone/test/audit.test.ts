/** The audit chain. Each record's hash covers the previous hash, so a changed, removed or added record is found. */
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { createHash } from "node:crypto"
import { AuditChain, type AuditRecord } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "vitest"

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const companyId = CompanyId.make(1)

const recordAfter = (before: { sequence: number; hash: string }, esp: number): AuditRecord => {
  const sequence = before.sequence + 1
  const [id, at] = [`${sequence}`, Date.UTC(2026, 0, sequence)]
  const entity = { type: "price", id: "TEE-1-S", action: "set" }
  const body = JSON.stringify({ _id: id, company: companyId, sequence, at, entity, logs: { esp } })
  const columns = { entityType: entity.type, entityId: entity.id, action: entity.action, personal: null }
  return { companyId, sequence, id, at, ...columns, body, hash: AuditChain.hashOf(before.hash, body, sha256) }
}

const beginning = { companyId, sequence: 0, hash: "" }
const first = recordAfter(beginning, 799)
const second = recordAfter(first, 749)
const third = recordAfter(second, 699)

const brokenIn = (...records: ReadonlyArray<AuditRecord>) => AuditChain.follow(beginning, records, sha256).broken

describe("An audit trail", () => {
  it("is whole as it was written", () => {
    strictEqual(brokenIn(first, second, third), undefined)
  })

  it("shows the record that was changed", () => {
    const changed = { ...second, body: second.body.replace("749", "149") }
    deepStrictEqual(brokenIn(first, changed, third), { sequence: 2, reason: "has a different body or hash" })
  })

  it("shows a changed record whose hash was made to fit, by the one that follows it", () => {
    deepStrictEqual(brokenIn(first, recordAfter(first, 149), third)?.sequence, 3)
  })

  it("shows a record that was removed, also at its end", () => {
    deepStrictEqual(brokenIn(first, third), { sequence: 2, reason: "is missing" })
    const { head } = AuditChain.follow(beginning, [first, second], sha256)
    deepStrictEqual(AuditChain.endFault(head, third), { sequence: 3, reason: "is missing" })
  })
})
