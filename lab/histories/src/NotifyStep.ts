/** Notifies marketplaces of stock. Hosts stop halfway, receivers reject, and missed notifications are resent. */
import { FeedRestored } from "@crossdock/audit"
import { Marketplaces } from "@crossdock/marketplaces"
import { Notifications } from "@crossdock/notifications"
import { Effect, Result } from "effect"
import * as Choice from "./Choice.ts"
import * as Goods from "./Goods.ts"
import * as Receiver from "./Receiver.ts"
import * as World from "./World.ts"

const isOurs = (slug: string): slug is World.Slug => (World.slugs as ReadonlyArray<string>).includes(slug)

/** Sends each due notification once, and returns how many were accepted. If `isSafe`, no host dies and no answer is lost. */
export const pass = (world: World.World, isSafe: boolean) =>
  Effect.gen(function* () {
    const { draw, receivers } = world
    const { begin, due, release, settle } = yield* Notifications.Notifications
    let accepted = 0
    for (const key of yield* due) {
      const { marketplace } = key
      if (!isOurs(marketplace)) continue
      const receiver = receivers[marketplace]
      const delivery = yield* begin(key)
      if (delivery === undefined) continue
      if (!isSafe && Choice.isChance(draw, 0.05)) {
        yield* release(delivery)
        continue
      }
      const status = Receiver.statusOf(receiver, delivery.body)
      const accepts = status === 200
      const faults = accepts ? Receiver.take(receiver, delivery.body) : []
      if (faults.length > 0)
        return yield* Effect.die(new Error(`${marketplace} received wrong events: ${faults.join("; ")}`))
      // The host dies before it stores the answer, so the body is resent.
      if (!isSafe && Choice.isChance(draw, 0.05)) continue
      if (accepts) accepted++
      yield* settle(delivery, { _tag: "Answered", status })
    }
    return accepted
  })

/** Resends every dead letter, like an operator after a receiver was down for days. */
export const resendAll = Effect.gen(function* () {
  const { deadLetters, resend } = yield* Notifications.Notifications
  for (const slug of World.slugs) {
    for (const letter of yield* deadLetters(slug)) yield* resend(World.host, letter, letter.id)
  }
})

export const deliver = (world: World.World) =>
  Effect.map(pass(world, false), (accepted) => `${accepted} notifications are accepted`)

export const mood = (world: World.World) =>
  Effect.sync(() => {
    const slug = Choice.oneOf(world.draw, World.slugs)
    const receiver = world.receivers[slug]
    receiver.mood = receiver.mood === "accepts" ? Choice.oneOf(world.draw, Receiver.moods) : "accepts"
    return `${slug} ${receiver.mood}`
  })

export const again = (world: World.World) =>
  Effect.gen(function* () {
    const { deadLetters, reconcile, resend, wake } = yield* Notifications.Notifications
    const slug = Choice.oneOf(world.draw, World.slugs)
    const letters = yield* deadLetters(slug)
    if (letters.length > 0 && Choice.isChance(world.draw, 0.6)) {
      const letter = Choice.oneOf(world.draw, letters)
      return `a dead letter of ${slug} is resent: ${yield* resend(World.host, letter, letter.id)}`
    }
    if (Choice.isChance(world.draw, 0.5)) {
      yield* wake(World.host, slug)
      return `${slug} is tried at once`
    }
    yield* reconcile(World.host, slug, World.companies)
    return `all stock is resent to ${slug}`
  })

/** The numbers of the feed jump, as after a restore. */
export const jump = (world: World.World) =>
  Effect.gen(function* () {
    const company = Choice.oneOf(world.draw, World.companies)
    yield* FeedRestored.restart(World.host, company)
    return `the feed of ${company} jumps`
  })

/** Changes the locations, SKUs or safety stock of a marketplace. Codes may move between locations. */
export const register = (world: World.World) =>
  Effect.gen(function* () {
    const { draw } = world
    const { register } = yield* Marketplaces.Marketplaces
    const slug = Choice.oneOf(draw, World.slugs)
    const before = world.registrations[slug]
    const places = World.allPlaces(slug)
    const shuffled = Choice.isChance(draw, 0.5)
      ? places
      : places.map((place, at) => ({ ...place, code: places[(at + 1) % places.length]?.code ?? place.code }))
    const registration = Choice.oneOf(draw, [
      { ...before, password: null, locations: Choice.some(draw, shuffled, 0.7) },
      { ...before, password: null, skus: Choice.isChance(draw, 0.5) ? null : Choice.some(draw, Goods.skus, 0.6) },
      {
        ...before,
        password: null,
        buffers: [{ companyId: null, location: null, sku: null, quantity: Choice.between(draw, 0, 3) }]
      }
    ])
    const outcome = yield* Effect.result(register(World.host, registration))
    if (Result.isFailure(outcome)) return yield* Effect.die(outcome.failure)
    world.registrations[slug] = registration
    return `${slug} is re-registered`
  })
