// Verifies a proof of `crossdock audit prove`, and the signatures of its checkpoints. It needs only Node:
//   node verify.mjs KEYS proof.json checkpoint.json [earlier.json]
// KEYS has the public keys as JWKS: a file, or the host's /.well-known/crossdock-audit-keys.json.
// RFC 6962 defines the tree. The steps are in RFC 9162, sections 2.1.3.2 and 2.1.4.2.
import { createHash, createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"

const read = async (from) =>
  JSON.parse(/^https?:/.test(from) ? await (await fetch(from)).text() : readFileSync(from, "utf8"))
const [{ keys }, proof, checkpoint, earlier] = await Promise.all(process.argv.slice(2).map(read))

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest()
const node = (left, right) => sha256(Buffer.of(1), left, right)
const isSame = (hash, hex) => hash.toString("hex") === hex
const isHash = (text) => typeof text === "string" && /^[0-9a-f]{64}$/.test(text)
const isCount = (number) => Number.isSafeInteger(number) && number > 0
const half = (count) => Math.floor(count / 2)

/** Joins the hashes of the path with the start, on the left or on the right, up to the root. */
const climb = (at, last, path, join) => {
  for (const hash of path) {
    if (last === 0) return false
    const isLeft = at % 2 === 1 || at === last
    join(hash, isLeft)
    while (isLeft && at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0
}

/**
 * Whether the record is in the tree. A record's own hash covers the hash of the record before it and the text of its body. The
 * first record has no hash before it.
 */
const isIncluded = ({ body, path, previous, root, sequence, size }) => {
  if (typeof body !== "string" || !body.isWellFormed() || !isCount(sequence)) return false
  if (sequence === 1 ? previous !== "" : !isHash(previous)) return false
  const record = sha256(previous, body)
  let reached = sha256(Buffer.of(0), record)
  const join = (hash, isLeft) => {
    reached = isLeft ? node(hash, reached) : node(reached, hash)
  }
  return sequence <= size && climb(sequence - 1, size - 1, path, join) && isSame(reached, root)
}

const isConsistent = ({ first, firstRoot, path, root, size }) => {
  if (!isCount(first) || first > size || !isHash(firstRoot)) return false
  if (first === size) return path.length === 0 && firstRoot === root
  let power = 1
  while (power < first) power *= 2
  const [begin, ...rest] = power === first ? [Buffer.from(firstRoot, "hex"), ...path] : path
  let [older, newer] = [begin, begin]
  const join = (hash, isLeft) => {
    if (isLeft) older = node(hash, older)
    newer = isLeft ? node(hash, newer) : node(newer, hash)
  }
  let [at, last] = [first - 1, size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  return climb(at, last, rest, join) && isSame(older, firstRoot) && isSame(newer, root)
}

const hashes = Array.isArray(proof?.path) && proof.path.every(isHash) ? proof.path : undefined
const path = hashes?.map((hash) => Buffer.from(hash, "hex"))
const isSigned = ({ at, company, hash, kid, root, sequence, signature }) => {
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined || typeof signature !== "string") return false
  const text = `crossdock audit checkpoint ${company} ${sequence} ${hash} ${root} ${at}`
  const publicKey = createPublicKey({ key, format: "jwk" })
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, "base64url"))
}
const isOf = (checkpoint, size, root) =>
  checkpoint?.company === proof.company &&
  isCount(size) &&
  checkpoint.sequence === size &&
  checkpoint.root === root &&
  isSigned(checkpoint)
const isRight =
  path !== undefined &&
  isOf(checkpoint, proof.size, proof.root) &&
  ("body" in proof
    ? isIncluded({ ...proof, path })
    : isOf(earlier, proof.first, proof.firstRoot) && isConsistent({ ...proof, path }))
console.log(isRight ? "The proof is right." : "The proof is wrong.")
process.exitCode = isRight ? 0 : 1
