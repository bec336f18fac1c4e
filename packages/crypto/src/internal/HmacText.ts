/**
 * HMAC-SHA256 of texts, and their comparison, without Node.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

const encoder = new TextEncoder()

/**
 * The bytes of a text's HMAC-SHA256. A key that is a text is its UTF-8 bytes.
 */
export const hmacOf = (key: string | Uint8Array, text: string): Uint8Array =>
  hmac(sha256, typeof key === "string" ? encoder.encode(key) : key, encoder.encode(text))

/**
 * Whether two arrays of the same length are equal, in a time that doesn't depend on where they differ.
 */
export const isEqual = (one: Uint8Array, other: Uint8Array): boolean => {
  let difference = 0
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}

/**
 * The same for texts; those of different lengths are not equal.
 */
export const isSame = (one: string, other: string): boolean => {
  const [left, right] = [encoder.encode(one), encoder.encode(other)]
  return left.length === right.length && isEqual(left, right)
}
