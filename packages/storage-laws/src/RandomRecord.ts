/** Random records of an audit trail. */
import type { NextRecord } from "@crossdock/audit"
import type { CompanyId } from "@crossdock/kernel"

/** Texts that an encoding, quoting or a format could change. */
const delicateTexts = [
  "| |'|''|\"|\\|\\u0041|\\x41|$1|$$|?|%s|\t\r\n|\u007f|\u2028|\ufeff",
  "e\u0301|é|ß|İ|ﬁ|कुर्ता|日本|\u0645|😀|👩‍👩‍👧|𝒜|NULL|1e400|0x1f"
].flatMap((line) => line.split("|"))

export const below = (count: number): number => Math.floor(Math.random() * count)

const randomText = (): string =>
  Array.from({ length: below(5) }, () => delicateTexts[below(delicateTexts.length)]).join("")

/** Any JSON, including characters that JSON escapes: control characters and halves of surrogate pairs. */
export const randomJson = (depth: number): unknown => {
  const leaves = [null, true, 0, -1.5e-7, Number.MAX_SAFE_INTEGER, "\u0000", "\ud83d", randomText(), randomText()]
  if (depth === 0 || below(3) === 0) return leaves[below(leaves.length)]
  const inner = Array.from({ length: below(4) }, () => randomJson(depth - 1))
  return below(2) === 0 ? inner : Object.fromEntries(inner.map((value) => [randomText(), value]))
}

export const randomRecord = (companyId: CompanyId, logs: unknown): NextRecord => {
  const at = 1_790_000_000_000 + below(1_000_000)
  const entity = { type: randomText(), id: randomText(), action: randomText() }
  return {
    companyId,
    at,
    random: Array.from({ length: 24 }, () => below(16).toString(16)).join(""),
    entityType: entity.type,
    entityId: entity.id,
    action: entity.action,
    content: JSON.stringify({ at, entity, logs }).slice(1),
    personal: below(2) === 0 ? null : JSON.stringify(randomJson(2)),
    events: Array.from({ length: below(3) }, () => ({ type: "test.happened", version: 1, data: randomJson(2) }))
  }
}
