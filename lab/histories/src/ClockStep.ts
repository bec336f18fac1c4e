/** The clock jumps by seconds to days, sometimes back. */
import { Effect } from "effect"
import * as Choice from "./Choice.ts"
import type { World } from "./World.ts"

const [second, hour, day] = [1000, 3_600_000, 86_400_000]

export const jump = (world: World) =>
  Effect.sync(() => {
    const by = Choice.weighted(world.draw, [
      [5, Choice.between(world.draw, second, hour)],
      [2, Choice.between(world.draw, hour, day)],
      [1, Choice.between(world.draw, day, 4 * day)],
      [1, -Choice.between(world.draw, second, day)]
    ])
    world.now += by
    return `the clock moves by ${by / second} s`
  })
