import { MerkleTree } from "@crossdock/audit"
import { DigestNode } from "@crossdock/crypto"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"

const { sha256 } = DigestNode.make

/** The leaves and roots of the reference implementation of RFC 6962. */
const leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
const roots = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
]

const hashes = Array.from({ length: 70 }, (_, at) => sha256(String(at)))

/** The hashes of these ranges of the first `size` records, of which `dropped` are deleted. */
const computed = (ranges: ReadonlyArray<MerkleTree.Range>, size: number, dropped = MerkleTree.empty) => {
  const tree = MerkleTree.compute(sha256, dropped, ranges)
  for (const hash of hashes.slice(dropped.size, size)) tree.add(hash)
  return tree.hashes()
}
const whole = (size: number): MerkleTree.Range => ({ from: 0, to: size })
const rootOf = (size: number, dropped = MerkleTree.empty) => computed([whole(size)], size, dropped)?.[0] ?? ""
const droppedTo = (size: number): MerkleTree.Peaks =>
  hashes.slice(0, size).reduce((peaks, hash) => MerkleTree.added(sha256, peaks, hash), MerkleTree.empty)

/** Sizes, a place, and the number of records dropped before it. */
const cases = FastCheck.record({
  size: FastCheck.integer({ min: 1, max: hashes.length }),
  share: FastCheck.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  lost: FastCheck.double({ min: 0, max: 1, noNaN: true })
}).map(({ lost, share, size }) => {
  const at = Math.floor(share * size)
  return { size, at, dropped: droppedTo(Math.floor(lost * at)) }
})

const other = (hash: string): string => (hash.startsWith("0") ? "1" : "0") + hash.slice(1)

describe("The Merkle tree of a trail", () => {
  it.each(roots.map((root, at) => [at + 1, root] as const))(
    "has the root of RFC 6962's reference with %i leaves",
    (size, root) => {
      const tree = MerkleTree.compute(sha256, MerkleTree.empty, [whole(size)])
      for (const leaf of leaves.slice(0, size)) tree.add(leaf)
      deepStrictEqual(tree.hashes(), [root])
    }
  )

  it("has the same root when its first records are dropped", () =>
    FastCheck.assert(
      FastCheck.property(cases, ({ dropped, size }) => {
        strictEqual(rootOf(size, dropped), rootOf(size))
        strictEqual(MerkleTree.root(sha256, droppedTo(size)), rootOf(size))
      })
    ))

  it("proves each record, also after older ones were dropped, and no other", () =>
    FastCheck.assert(
      FastCheck.property(cases, ({ at, dropped, size }) => {
        const path = computed(MerkleTree.inclusion(at, size), size, dropped) ?? ["missing"]
        assertTrue(path.length <= Math.ceil(Math.log2(size)))
        const proof = { hash: hashes[at] ?? "", at, size, root: rootOf(size), path }
        assertTrue(MerkleTree.isIncluded(sha256, proof))
        for (const wrong of [
          { ...proof, hash: other(proof.hash) },
          { ...proof, root: other(proof.root) },
          { ...proof, path: [...path, other(proof.root)] },
          { ...proof, at: size },
          ...(size > 1
            ? [
                { ...proof, at: (at + 1) % size },
                { ...proof, path: path.slice(1) }
              ]
            : []),
          ...path.map((hash, nth) => ({ ...proof, path: path.with(nth, other(hash)) }))
        ])
          assertTrue(!MerkleTree.isIncluded(sha256, wrong), JSON.stringify(wrong))
      })
    ))

  it("proves that it continues each shorter one, and no other", () =>
    FastCheck.assert(
      FastCheck.property(cases, ({ at, dropped, size }) => {
        const first = Math.max(1, at)
        const path = computed(MerkleTree.consistency(first, size), size, dropped) ?? ["missing"]
        const proof = { first, firstRoot: rootOf(first), size, root: rootOf(size), path }
        assertTrue(MerkleTree.isConsistent(sha256, proof))
        for (const wrong of [
          { ...proof, firstRoot: other(proof.firstRoot) },
          { ...proof, root: other(proof.root) },
          { ...proof, path: [...path, other(proof.root)] },
          { ...proof, first: 0 },
          { ...proof, first: size + 1 },
          ...path.map((hash, nth) => ({ ...proof, path: path.with(nth, other(hash)) }))
        ])
          assertTrue(!MerkleTree.isConsistent(sha256, wrong), JSON.stringify(wrong))
      })
    ))

  it("has no proof that needs the inside of what was dropped", () => {
    strictEqual(computed(MerkleTree.inclusion(3, 20), 20, droppedTo(8)), undefined)
    strictEqual(computed(MerkleTree.consistency(3, 20), 20, droppedTo(8)), undefined)
  })

  it("rejects places and sizes that are no counts, and texts that are no hashes", () => {
    const [hash = "", next = ""] = hashes
    const inclusion = { hash, at: 0, size: 2, root: rootOf(2), path: [MerkleTree.leaf(sha256, next)] }
    assertTrue(MerkleTree.isIncluded(sha256, inclusion))
    for (const at of [-1, -2, 0.5, Number.NaN, -Number.MAX_SAFE_INTEGER])
      assertTrue(!MerkleTree.isIncluded(sha256, { ...inclusion, at }), String(at))
    for (const path of [inclusion.path.map((one) => one.toUpperCase()), inclusion.path.map((one) => `${one}z`)])
      assertTrue(!MerkleTree.isIncluded(sha256, { ...inclusion, path }), path[0])
    const consistency = { first: 1, firstRoot: rootOf(1), size: 2, root: rootOf(2), path: inclusion.path }
    assertTrue(MerkleTree.isConsistent(sha256, consistency))
    for (const first of [-1, 0, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const size of [2, first])
        assertTrue(!MerkleTree.isConsistent(sha256, { ...consistency, first, size }), `${first} of ${size}`)
    }
  })
})
