/** The random choices of a history. */
import type { Random } from "@crossdock/system-tests/Random"

/** A whole number from `from` to `to`. Both are included. */
export const between = (draw: Random, from: number, to: number): number => from + Math.floor(draw() * (to - from + 1))

export const isChance = (draw: Random, probability: number): boolean => draw() < probability

/** One of the values. `all` must not be empty. */
export const oneOf = <A>(draw: Random, all: ReadonlyArray<A>): A => all[between(draw, 0, all.length - 1)] as A

/** Some of the values, in order. Each is chosen with the given probability. */
export const some = <A>(draw: Random, all: ReadonlyArray<A>, probability = 0.5): ReadonlyArray<A> =>
  all.filter(() => isChance(draw, probability))

/** One of the values. The probability of each is proportional to its weight. */
export const weighted = <const A>(draw: Random, all: ReadonlyArray<readonly [weight: number, value: A]>): A => {
  const total = all.reduce((sum, [weight]) => sum + weight, 0)
  let left = draw() * total
  const found = all.find(([weight]) => {
    left -= weight
    return left < 0
  })
  return (found ?? all[0])?.[1] as A
}
