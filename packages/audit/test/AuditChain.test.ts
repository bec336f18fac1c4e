import { AuditChain, type AuditRecord } from "@crossdock/audit"
import { CompanyId } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

// Records are made here, so that a forger's wrong columns can have a hash that fits.
const sha256 = (text: string) => `#${text}`
const before = { companyId: CompanyId.make(1), sequence: 6, hash: "h6" }

const body = (more: object = {}) => ({
  _id: "r7",
  company: 1,
  sequence: 7,
  at: 1000,
  entity: { type: "audit-trail", id: "o-1", action: "retain" },
  logs: { response: { up_to: 4, hash: "h4" } },
  ...more
})

const recordWith = (text: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  companyId: before.companyId,
  sequence: 7,
  id: "r7",
  at: 1000,
  entityType: "audit-trail",
  entityId: "o-1",
  action: "retain",
  body: text,
  hash: AuditChain.hashOf(before.hash, text, sha256),
  personal: null,
  ...more
})

const record = (more: object = {}) => recordWith(JSON.stringify(body(more)))

const faultOf = (found: AuditRecord) => AuditChain.recordFault(before, found, sha256)?.reason

describe("A record of a chain", () => {
  it("is sound if its number, hash, columns and personal part agree with its body", () => {
    strictEqual(faultOf(record()), undefined)
    strictEqual(faultOf({ ...record({ personal_digest: "#asha" }), personal: "asha" }), undefined)
    strictEqual(faultOf(record({ personal_digest: "#asha" })), undefined)
  })

  it("is missing if a later one follows, and in another's place if it is an earlier one", () => {
    deepStrictEqual(AuditChain.recordFault(before, { ...record(), sequence: 8 }, sha256), {
      sequence: 7,
      reason: "is missing"
    })
    deepStrictEqual(AuditChain.recordFault(before, { ...record(), sequence: 6 }, sha256), {
      sequence: 7,
      reason: "is in another record's place"
    })
  })

  it("has no column that differs from its body, even if body and hash agree", () => {
    const entity = body().entity
    const bodies: ReadonlyArray<object> = [
      { _id: "r8" },
      { company: 2 },
      { sequence: 8 },
      { at: 1001 },
      { entity: { ...entity, type: "order" } },
      { entity: { ...entity, id: "o-2" } },
      { entity: { ...entity, action: "create" } },
      { entity: undefined }
    ]
    for (const more of bodies) strictEqual(faultOf(record(more)), "has columns that differ from its body")
  })

  it("has a body that is an object in JSON", () => {
    for (const text of ["", "{", "null", "1", '"text"']) {
      strictEqual(faultOf(recordWith(text)), "has columns that differ from its body")
    }
  })

  it("has the body and the personal part that were hashed", () => {
    strictEqual(faultOf({ ...record(), hash: "h7" }), "has a different body or hash")
    strictEqual(faultOf({ ...record({ personal_digest: "#asha" }), personal: "ravi" }), "has a different personal part")
  })
})

describe("A record that says which records were dropped", () => {
  const anchor = { sequence: 4, hash: "h4" }
  const drops = (found: AuditRecord) => AuditChain.isDropRecord(anchor, found)

  it("names the last of them with its hash", () => {
    strictEqual(drops(record()), true)
    strictEqual(drops(record({ logs: { response: { up_to: 5, hash: "h4" } } })), false)
    strictEqual(drops(record({ logs: { response: { up_to: 4, hash: "h5" } } })), false)
  })

  it("is the trail's own record of dropping, no other with the same content", () => {
    strictEqual(drops({ ...record(), entityType: "order" }), false)
    strictEqual(drops({ ...record(), action: "erase" }), false)
  })

  it("does not exist if a body lacks such content, whatever else it has", () => {
    const logs = [
      undefined,
      null,
      "text",
      1,
      {},
      ...[undefined, null, "text", {}, { up_to: 4 }, { hash: "h4" }].map((response) => ({ response }))
    ]
    for (const one of logs) strictEqual(drops(record({ logs: one })), false)
    strictEqual(drops(recordWith("not JSON")), false)
  })
})

describe("The end of a chain", () => {
  const reached = (sequence: number, hash = `h${sequence}`) => ({ ...before, sequence, hash })
  const fault = (found: typeof before) => AuditChain.endFault(found, { sequence: 6, hash: "h6" })

  it("is the record that was last written: none is missing, added or exchanged", () => {
    strictEqual(fault(reached(6)), undefined)
    deepStrictEqual(fault(reached(4)), { sequence: 5, reason: "is missing" })
    deepStrictEqual(fault(reached(8)), { sequence: 7, reason: "was added" })
    deepStrictEqual(fault(reached(6, "other")), {
      sequence: 6,
      reason: "is not the record that was last written"
    })
  })
})
