/** A random history. Its steps are drawn from a seed, and the laws are checked after each step. */

import type { Host } from "@crossdock/host"
import { ShipmentStore } from "@crossdock/shipments"
import * as Random from "@crossdock/system-tests/Random"
import { Cause, Clock, Data, Effect, Random as EffectRandom, Layer } from "effect"
import * as ArchiveStep from "./ArchiveStep.ts"
import * as BillingLaws from "./BillingLaws.ts"
import * as BillingStep from "./BillingStep.ts"
import * as CallStep from "./CallStep.ts"
import * as Charges from "./Charges.ts"
import * as Choice from "./Choice.ts"
import * as ClockStep from "./ClockStep.ts"
import * as FeedLaw from "./FeedLaw.ts"
import * as Laws from "./Laws.ts"
import * as MoveStep from "./MoveStep.ts"
import * as NotifyStep from "./NotifyStep.ts"
import * as OrderStep from "./OrderStep.ts"
import * as Reading from "./Reading.ts"
import * as SellerStep from "./SellerStep.ts"
import * as SizeLaw from "./SizeLaw.ts"
import * as Subscribers from "./Subscribers.ts"
import * as World from "./World.ts"

/** A broken law, with the steps before it. */
export class LawBroken extends Data.TaggedError("LawBroken")<{
  readonly seed: number
  readonly step: number
  readonly faults: ReadonlyArray<string>
  readonly happened: ReadonlyArray<string>
}> {
  override get message() {
    const { faults, happened, seed, step } = this
    return [`Seed ${seed}, step ${step}:`, ...faults.slice(0, 10), "after:", ...happened.slice(-12)].join("\n  ")
  }
}

type Step = (world: World.World) => Effect.Effect<string, unknown, World.Services>

const steps: ReadonlyArray<readonly [weight: number, step: Step]> = [
  [10, SellerStep.stock],
  [8, SellerStep.products],
  [3, SellerStep.details],
  [20, OrderStep.place],
  [1, OrderStep.erase],
  [50, MoveStep.move],
  [12, CallStep.call],
  [6, MoveStep.deliver],
  [6, MoveStep.comeBack],
  [1, MoveStep.lock],
  [15, NotifyStep.deliver],
  [2, NotifyStep.mood],
  [3, NotifyStep.again],
  [1, NotifyStep.jump],
  [3, NotifyStep.register],
  [6, ClockStep.jump]
]

/** The clock of the world. Only sleeping takes real time, because connections and their timeouts need that. */
const clockOf = (world: World.World, real: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => world.now,
  currentTimeMillis: Effect.sync(() => world.now),
  currentTimeNanosUnsafe: () => BigInt(world.now) * 1_000_000n,
  currentTimeNanos: Effect.sync(() => BigInt(world.now) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: real.monotonicTimeNanos,
  sleep: (duration) => real.sleep(duration)
})

/** Reads the orders that the step may have changed, and returns the shipments that did change. */
const refresh = (world: World.World) =>
  Effect.gen(function* () {
    const store = yield* ShipmentStore
    const changed: Array<World.PlacedOrder["shipments"][number]> = []
    for (const id of world.touched) {
      const placed = world.placed.get(id)
      if (placed === undefined) continue
      const shipments = yield* store.ofOrder(id)
      yield* SizeLaw.remember(world, shipments)
      const versions = new Map(placed.shipments.map((one) => [one.id, one.version]))
      changed.push(...shipments.filter((one) => versions.get(one.id) !== one.version))
      world.placed.set(id, { ...placed, shipments })
    }
    return changed
  })

/** The number of steps between two checks of the marketplaces' stock, and of every list and document. */
const settledEvery = 25

export interface Settings {
  readonly seed: number
  readonly steps: number
  /** Places for commands, which need SQL. */
  readonly places?: ArchiveStep.Places | undefined
}

/** Plays a history on a new storage. */
export const play = <E>(storage: Layer.Layer<World.Ports, E>, { places, seed, steps: length }: Settings) =>
  Effect.gen(function* () {
    const archive = places && { ...places, draw: Random.make(seed + 2_000_000) }
    const world = World.make(Random.make(seed), Random.make(seed + 3_000_000))
    const subscribers = Subscribers.make(Random.make(seed + 1_000_000))
    const happened: Array<string> = []
    const check = (step: number, faults: ReadonlyArray<string>) =>
      faults.length === 0 ? Effect.void : Effect.fail(new LawBroken({ seed, step, faults, happened }))
    /** Adds the number of the step to a failure, so that it can be replayed. */
    const named = <A, E, R>(step: number, effect: Effect.Effect<A, E, R>) =>
      Effect.catchCause(effect, (cause) => {
        const known = Cause.squash(cause)
        const broken = new LawBroken({ seed, step, faults: [Cause.pretty(cause)], happened })
        return Effect.fail(known instanceof LawBroken ? known : broken)
      })
    const one = (host: Host.Host, step: number) =>
      named(
        step,
        Effect.gen(function* () {
          world.now += Choice.between(world.draw, 1, 5000)
          world.touched.clear()
          if (archive !== undefined) happened.push(...(yield* ArchiveStep.step(archive, world)))
          happened.push(`${step}. ${yield* Choice.weighted(world.draw, steps)(world)}`)
          happened.push(`   ${yield* BillingStep.step(subscribers, world)}`)
          const changed = yield* refresh(world)
          const read = changed.length === 0 ? [] : [Choice.oneOf(world.draw, changed)]
          yield* check(step, [
            ...Laws.money(world),
            ...Laws.awbs(world),
            ...Laws.series(world),
            ...(yield* Laws.trail(world, changed)),
            ...(yield* Laws.stock(world)),
            ...(yield* BillingLaws.billing(subscribers, world)),
            ...(yield* SizeLaw.stock(world)),
            ...(yield* Reading.records(host, world, read)),
            ...(yield* Reading.papers(host, world, read))
          ])
          if (step % settledEvery !== 0 && step !== length) return
          const all = [...world.placed.values()].flatMap(({ shipments }) => shipments)
          yield* check(step, [
            ...(yield* Reading.companies(host, world)),
            ...[...world.placed.values()].flatMap(Charges.ofOrder),
            ...(yield* Laws.convergence(world)),
            ...(yield* Reading.everyList(host)),
            ...(yield* Reading.filtered(host, world)),
            ...(yield* Reading.papers(host, world, all))
          ])
        })
      )
    return yield* Effect.gen(function* () {
      yield* named(0, Effect.andThen(World.settle(world), Subscribers.settle))
      const host = yield* Reading.host
      for (let step = 1; step <= length; step++) yield* one(host, step)
      yield* check(length, [...(yield* Laws.chain), ...(yield* Laws.proofs(world)), ...(yield* FeedLaw.feed(world))])
      if (places !== undefined) yield* check(length, yield* named(length, ArchiveStep.moveAway(places, world)))
      return world
    }).pipe(
      Effect.provide(Layer.provideMerge(Subscribers.services, World.services(storage, World.repeatingCouriers))),
      Effect.provideService(Clock.Clock, clockOf(world, yield* Clock.Clock)),
      EffectRandom.withSeed(String(seed))
    )
  })
