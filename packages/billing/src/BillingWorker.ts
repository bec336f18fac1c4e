/** Background work of a host: bills and collects repeatedly. */
import { BackgroundLoop } from "@crossdock/kernel"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { BillingRun } from "./BillingRun.ts"

export interface Options {
  /** How often it looks for due agreements and payments. */
  readonly poll?: Duration.Input
}

const loop = ({ poll = Duration.seconds(1) }: Options = {}) =>
  Effect.map(BillingRun, ({ bill, collect }) => ({
    name: "billing",
    every: poll,
    pass: Effect.gen(function* () {
      yield* BackgroundLoop.isolated("bill", bill)
      yield* BackgroundLoop.isolated("collect", collect)
      return false
    })
  }))

/** Bills and collects every second, or each `poll`. A payment under way at its end is asked for by the next host. */
export const run = (options?: Options) => Effect.flatMap(loop(options), BackgroundLoop.run)

/** Bills and collects what is due, for a host without loops. Returns what failed; see `BackgroundLoop.once`. */
export const once = Effect.flatMap(loop(), BackgroundLoop.once)

/** Runs the worker in the background of a host, until the host's scope ends. */
export const layer = (options?: Options) => BackgroundLoop.layer(run(options))
