/** Proofs about a trail, which can be checked with only its Merkle root. Source: docs/reference/audit.md#proofs. */
import type { CompanyId } from "@crossdock/kernel"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AuditChain from "./AuditChain.ts"
import * as AuditSearch from "./AuditSearch.ts"
import type { AuditStore } from "./AuditStore.ts"
import * as MerkleTree from "./MerkleTree.ts"

const proof = { company: Schema.Int, size: Schema.Int, root: Schema.String, path: Schema.Array(Schema.String) }

/** Proves that a record is one of the first `size` records. `path` leads from the record's hash to the root. */
export const RecordProof = Schema.Struct({
  ...proof,
  sequence: Schema.Int,
  previous: Schema.String,
  body: Schema.String
})
export type RecordProof = typeof RecordProof.Type

/** Proves that a trail of `size` records continues the trail of its first `first` records. */
export const ContinuationProof = Schema.Struct({ ...proof, first: Schema.Int, firstRoot: Schema.String })
export type ContinuationProof = typeof ContinuationProof.Type

type Digest = typeof AuditChain.Digest.Service

/**
 * Whether a proof shows that a record is at this position of the trail with this root.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { AuditChain, AuditProof, MerkleTree } from "@crossdock/audit"
 *
 * const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")
 * const body = '{"sequence":1}'
 * const root = MerkleTree.leaf(sha256, AuditChain.hashOf("", body, sha256))
 * const proof = { company: 1, sequence: 1, size: 1, root, path: [], previous: "", body }
 * strictEqual(AuditProof.provesRecord({ sha256 }, proof), true)
 * ```
 */
export const provesRecord = ({ sha256 }: Digest, { body, previous, sequence, ...rest }: RecordProof): boolean =>
  // `previous` and `body` are hashed as one text, so it must be certain where the body begins. Lone surrogates have no bytes.
  (sequence === 1 ? previous === "" : MerkleTree.isHash(previous)) &&
  !/\p{Surrogate}/u.test(body) &&
  MerkleTree.isIncluded(sha256, { ...rest, at: sequence - 1, hash: AuditChain.hashOf(previous, body, sha256) })

/** Whether a proof shows that the trail with `root` continues the trail with `firstRoot`. */
export const provesContinuation = ({ sha256 }: Digest, given: ContinuationProof): boolean =>
  MerkleTree.isConsistent(sha256, given)

const pageSize = 500

/** Makes proofs from a trail. A proof is undefined if a record that it needs is missing. */
export const make = (log: typeof AuditStore.Service, { sha256 }: Digest) => {
  const droppedPeaks = Effect.fnUntraced(function* (anchor: AuditChain.Head) {
    if (anchor.sequence === 0) return MerkleTree.empty
    const pairs = [
      { field: "entity.type", value: AuditChain.dropping.type },
      { field: "entity.action", value: AuditChain.dropping.action }
    ] as const
    const window = { through: anchor.sequence + 1, descending: true, limit: pageSize }
    let after: number | null = null
    for (;;) {
      const drops: ReadonlyArray<AuditChain.AuditRecord> = yield* log.candidates(
        anchor.companyId,
        { ...AuditSearch.everything, pairs },
        { ...window, after }
      )
      for (const drop of drops) {
        const hashes = AuditChain.droppedPeaks(anchor, drop)
        if (hashes !== undefined) return { size: anchor.sequence, hashes }
      }
      after = drops.at(-1)?.sequence ?? null
      if (drops.length < pageSize) return { size: anchor.sequence, hashes: [] }
    }
  })

  const subtrees = (company: CompanyId, size: number, ranges: ReadonlyArray<MerkleTree.Range>) =>
    Effect.gen(function* () {
      const anchor = yield* log.anchor(company)
      const tree = MerkleTree.compute(sha256, yield* droppedPeaks(anchor), ranges)
      for (let last = anchor.sequence; last < size; last += pageSize)
        for (const { hash } of yield* log.read(company, last, Math.min(pageSize, size - last))) tree.add(hash)
      return tree.hashes() ?? []
    })

  const record = Effect.fn("AuditProof.record")(function* (company: CompanyId, sequence: number, size: number) {
    const [found] = sequence > size ? [] : yield* log.read(company, sequence - 1, 1)
    if (found?.sequence !== sequence) return undefined
    const anchor = yield* log.anchor(company)
    const [before = anchor] = sequence - 1 > anchor.sequence ? yield* log.read(company, sequence - 2, 1) : []
    const ranges = [{ from: 0, to: size }, ...MerkleTree.inclusion(sequence - 1, size)]
    const [root, ...path] = yield* subtrees(company, size, ranges)
    return root === undefined
      ? undefined
      : { company, sequence, size, root, path, previous: before.hash, body: found.body }
  })

  const continuation = Effect.fn("AuditProof.continuation")(function* (
    company: CompanyId,
    first: number,
    size: number
  ) {
    if (first < 1 || first > size) return undefined
    const ranges = [{ from: 0, to: first }, { from: 0, to: size }, ...MerkleTree.consistency(first, size)]
    const [firstRoot, root, ...path] = yield* subtrees(company, size, ranges)
    return firstRoot === undefined || root === undefined ? undefined : { company, first, firstRoot, size, root, path }
  })

  return { droppedPeaks, record, continuation }
}
