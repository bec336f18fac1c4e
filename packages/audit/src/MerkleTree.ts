/** The Merkle tree over the record hashes of a trail (RFC 6962). Source: docs/reference/audit.md#proofs. */
import { frozen } from "@crossdock/kernel"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** Computes SHA-256 as 64 hex characters. */
type Sha256 = (data: string | Uint8Array) => string

/** The records with the numbers `from` to `to`. Numbers start at 0, and `to` itself isn't included. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The SHA-256 hash of a prefix (00 for a leaf, 01 for a node) and the bytes of `hashes`. */
const hashed = (sha256: Sha256, prefix: "00" | "01", hashes: string): string =>
  sha256(Result.getOrElse(Hex.decode(prefix + hashes), () => new Uint8Array()))

/** Whether an untrusted text is a hash. It must be in lower case, so that no two texts have the same bytes. */
export const isHash = (text: unknown): boolean => typeof text === "string" && /^[0-9a-f]{64}$/.test(text)

/** The hash of a leaf, from the hash of its record. */
export const leaf = (sha256: Sha256, recordHash: string): string => hashed(sha256, "00", recordHash)

const node = (sha256: Sha256, left: string, right: string): string => hashed(sha256, "01", left + right)

/** Divides a tree of several leaves. The left part's size is the largest power of two below the tree's size. */
const halves = ({ from, to }: Range) => {
  let half = 1
  while (half * 2 < to - from) half *= 2
  return [
    { from, to: from + half },
    { from: from + half, to }
  ] as const
}

/** The hashes of a tree's largest complete subtrees, from left to right, and the number of records. */
export interface Peaks {
  readonly size: number
  readonly hashes: ReadonlyArray<string>
}

export const empty: Peaks = /* @__PURE__ */ frozen({ size: 0, hashes: [] })

const half = (count: number): number => Math.floor(count / 2)

/** The peaks after a complete subtree of `width` records is appended. */
const joined = (sha256: Sha256, { hashes, size }: Peaks, width: number, subtree: string): Peaks => {
  const left = [...hashes]
  let hash = subtree
  for (let count = size / width; count % 2 === 1; count = half(count)) hash = node(sha256, left.pop() ?? "", hash)
  return { size: size + width, hashes: [...left, hash] }
}

export const added = (sha256: Sha256, peaks: Peaks, recordHash: string): Peaks =>
  joined(sha256, peaks, 1, leaf(sha256, recordHash))

/** The root of a tree with these peaks. */
export const root = (sha256: Sha256, { hashes }: Peaks): string =>
  hashes.length === 0 ? sha256("") : hashes.reduceRight((right, left) => node(sha256, left, right))

const places = (size: number, from = 0): ReadonlyArray<Range> => {
  if (size === from) return []
  let width = 1
  while (from + width * 2 <= size) width *= 2
  return [{ from, to: from + width }, ...places(size, from + width)]
}

/** The subtrees whose hashes prove that the record at index `at` is one of `size` records. The index starts at 0. */
export const inclusion = (at: number, size: number): ReadonlyArray<Range> => {
  const within = (whole: Range): ReadonlyArray<Range> => {
    if (whole.to - whole.from === 1) return []
    const [left, right] = halves(whole)
    return at < left.to ? [...within(left), right] : [...within(right), left]
  }
  return within({ from: 0, to: size })
}

/** The subtrees whose hashes prove that a trail of `size` records extends the trail of its first `first` records. */
export const consistency = (first: number, size: number): ReadonlyArray<Range> => {
  const within = (whole: Range, isFirst: boolean): ReadonlyArray<Range> => {
    if (whole.to === first) return isFirst ? [] : [whole]
    const [left, right] = halves(whole)
    return first <= left.to ? [...within(left, isFirst), right] : [...within(right, false), left]
  }
  return within({ from: 0, to: size }, true)
}

/**
 * Computes the root of each range from record hashes, which are added in order after the `dropped` ones. Stores only peaks.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { createHash } from "node:crypto"
 * import { MerkleTree } from "@crossdock/audit"
 *
 * const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")
 * const hashes = ["one", "two", "three"].map(sha256)
 * const tree = MerkleTree.compute(sha256, MerkleTree.empty, [{ from: 0, to: 3 }, ...MerkleTree.inclusion(1, 3)])
 * for (const hash of hashes) tree.add(hash)
 * const [root = "", ...path] = tree.hashes() ?? []
 * strictEqual(MerkleTree.isIncluded(sha256, { hash: hashes[1] ?? "", at: 1, size: 3, root, path }), true)
 * ```
 */
export const compute = (sha256: Sha256, dropped: Peaks, ranges: ReadonlyArray<Range>) => {
  const before = places(dropped.size)
  const all = ranges.map(({ from, to }) => {
    const begin = before.reduce(
      (peaks, place, nth) =>
        from <= place.from && place.to <= to
          ? joined(sha256, peaks, place.to - place.from, dropped.hashes[nth] ?? "")
          : peaks,
      empty
    )
    return { from, to, peaks: begin }
  })
  let next = dropped.size
  return {
    add: (recordHash: string) => {
      for (const one of all) if (one.from <= next && next < one.to) one.peaks = added(sha256, one.peaks, recordHash)
      next++
    },
    /** The hash of each range. The result is undefined if records of a range are missing. */
    hashes: (): ReadonlyArray<string> | undefined =>
      all.every(({ from, peaks, to }) => peaks.size === to - from)
        ? all.map(({ peaks }) => root(sha256, peaks))
        : undefined
  }
}

/** Climbs from a leaf, and passes each neighbor of the path to `join`. False if the path doesn't end at the root. */
const climb = (
  start: { readonly at: number; readonly last: number },
  path: ReadonlyArray<string>,
  join: (hash: string, isLeft: boolean) => void
): boolean => {
  let { at, last } = start
  for (const hash of path) {
    if (last === 0) return false
    const isLeft = at % 2 === 1 || at === last
    join(hash, isLeft)
    while (isLeft && at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0
}

/** A proof that `hash` is the record at index `at` (from 0) of the `size` records with this root. */
export interface Inclusion {
  readonly hash: string
  readonly at: number
  readonly size: number
  readonly root: string
  readonly path: ReadonlyArray<string>
}

/** Whether a proof of inclusion is correct (RFC 9162, section 2.1.3.2). */
export const isIncluded = (sha256: Sha256, { at, hash, path, root: expected, size }: Inclusion): boolean => {
  let reached = leaf(sha256, hash)
  const join = (other: string, isLeft: boolean) => {
    reached = isLeft ? node(sha256, other, reached) : node(sha256, reached, other)
  }
  const isPlace = Number.isSafeInteger(at) && Number.isSafeInteger(size) && at >= 0 && at < size
  return isPlace && [hash, ...path].every(isHash) && climb({ at, last: size - 1 }, path, join) && reached === expected
}

/** A proof that `size` records with `root` begin with the `first` records with `firstRoot`. `first` is at least 1. */
export interface Consistency {
  readonly first: number
  readonly firstRoot: string
  readonly size: number
  readonly root: string
  readonly path: ReadonlyArray<string>
}

/** Whether a proof of consistency is correct (RFC 9162, section 2.1.4.2). */
export const isConsistent = (sha256: Sha256, proof: Consistency): boolean => {
  const { first, firstRoot, size } = proof
  const areSizes = Number.isSafeInteger(first) && Number.isSafeInteger(size) && first >= 1 && first <= size
  if (!areSizes || ![firstRoot, ...proof.path].every(isHash)) return false
  if (first === size) return proof.path.length === 0 && firstRoot === proof.root
  const isComplete = places(first).length === 1
  const [begin = "", ...path] = isComplete ? [firstRoot, ...proof.path] : proof.path
  let [older, newer] = [begin, begin]
  const join = (other: string, isLeft: boolean) => {
    if (isLeft) older = node(sha256, other, older)
    newer = isLeft ? node(sha256, other, newer) : node(sha256, newer, other)
  }
  let [at, last] = [first - 1, size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  return climb({ at, last }, path, join) && older === firstRoot && newer === proof.root
}
