/**
 * Channels that had nothing to send when they were last read. It saves reading a channel without news again.
 */
import { stockKeyText } from "@crossdock/kernel"
import { codesOf, type Marketplace } from "@crossdock/marketplaces"
import type * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Channel from "../NotificationChannel.ts"

/**
 * A channel state with nothing to send up to the company's `changeNumber`.
 */
interface Quiet {
  readonly state: string
  readonly changeNumber: number
}

/**
 * The state, besides the levels, that decides whether a channel has something to send.
 */
const stateOf = (marketplace: Marketplace, { aside, companyId, cursor }: Channel.Channel): string =>
  JSON.stringify([[...codesOf(marketplace, companyId)], cursor, aside.map(stockKeyText)])

/**
 * What this host remembers of quiet channels, by channel.
 */
export type QuietChannels = Ref.Ref<ReadonlyMap<string, Quiet>>

export const make: Effect.Effect<QuietChannels> = Ref.make<ReadonlyMap<string, Quiet>>(new Map())

/**
 * The company's change number up to which a channel in its present state is known to have nothing to send, or 0.
 */
export const quietUpTo = (
  known: ReadonlyMap<string, Quiet>,
  marketplace: Marketplace,
  channel: Channel.Channel
): number => {
  const found = known.get(Channel.channelName(channel))
  return found?.state === stateOf(marketplace, channel) ? found.changeNumber : 0
}

/**
 * Remembers that a channel has nothing to send up to the company's `changeNumber`.
 */
export const remember = (
  quiet: QuietChannels,
  marketplace: Marketplace,
  channel: Channel.Channel,
  changeNumber: number
) => {
  const found: Quiet = { state: stateOf(marketplace, channel), changeNumber }
  return Ref.update(quiet, (all) => new Map(all).set(Channel.channelName(channel), found))
}
