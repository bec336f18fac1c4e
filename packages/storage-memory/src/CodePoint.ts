/**
 * The order of text, the same in every storage: by code point.
 */
import * as Order from "effect/Order"

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/**
 * JavaScript compares UTF-16 units, where a character beyond U+FFFF begins with a surrogate, which is less than U+E000.
 */
export const order: Order.Order<string> = Order.make((a, b) => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const [one, other] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (one === other) continue
    const beyond = Number(isSurrogate(one)) - Number(isSurrogate(other))
    return (beyond || one - other) < 0 ? -1 : 1
  }
  return Order.Number(a.length, b.length)
})
