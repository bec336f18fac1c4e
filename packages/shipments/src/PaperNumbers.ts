/** Numbers of invoices and credit notes: a prefix and a count from 1. Source: docs/guides/extend.md#numbers-of-papers. */
import { type CompanyId, immediate, type Stored, Text } from "@crossdock/kernel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Shipment } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"

/** A paper that needs a number: an invoice (`sale`) or a credit note (`return`). `at` is in epoch milliseconds. */
export interface NumberedPaper {
  readonly kind: "sale" | "return"
  readonly companyId: CompanyId
  readonly location: string
  readonly at: number
}

/** Names the series of an invoice or credit note, which is the text before the count in its number. */
export type SeriesOf = (paper: NumberedPaper) => string

/** The function that names the series. Without this function, sellers send their own numbers. */
export const Series = Context.Reference<SeriesOf | undefined>("@crossdock/shipments/PaperNumbers", {
  defaultValue: () => undefined
})

const probed = 64

/**
 * Finds the last used number of a series by searching the used numbers. For a billion numbers it needs at most ten look-ups.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { PaperNumbers } from "@crossdock/shipments"
 * import { Effect } from "effect"
 *
 * const used = (numbers: ReadonlyArray<string>) => Effect.succeed(numbers.filter((one) => Number(one.slice(2)) <= 70_000))
 * strictEqual(Effect.runSync(PaperNumbers.lastOf("R-", used)), 70_000)
 * ```
 */
export const lastOf = (
  series: string,
  used: (numbers: ReadonlyArray<string>) => Stored<ReadonlyArray<string>>
): Stored<number> =>
  Effect.gen(function* () {
    // The number `low` is used, or `low` is 0. The number `high` isn't used.
    let [low, high] = [0, 2 ** 50]
    let probes = Array.from({ length: 50 }, (_, power) => 2 ** power)
    while (probes.length > 0) {
      const found = new Set(yield* used(probes.map((nth) => series + nth)))
      const free = probes.findIndex((nth) => !found.has(series + nth))
      low = (free < 0 ? probes.at(-1) : probes[free - 1]) ?? low
      high = probes[free] ?? high
      const step = Math.max(1, Math.ceil((high - low) / probed))
      probes = Array.from({ length: Math.ceil((high - low) / step) - 1 }, (_, at) => low + (at + 1) * step)
    }
    return low
  })

/** At most this many numbers are skipped because sellers have used them. */
const margin = 100

/** Adds a number that isn't in `used` to a command that has no number. The number is used once the command is accepted. */
export type Numbering = (command: ShipmentCommand, shipment: Shipment, used: ReadonlySet<string>) => ShipmentCommand

/** Makes the numbering for these commands, and lists all numbers that it may assign. `used` returns those in use. */
export const make = (
  seriesOf: SeriesOf,
  commands: ReadonlyArray<readonly [ShipmentCommand, Shipment]>,
  at: number,
  used: Parameters<typeof lastOf>[1]
): Stored<{ readonly numbering: Numbering; readonly candidates: ReadonlyArray<string> }> =>
  Effect.gen(function* () {
    const seriesFor = (command: ShipmentCommand, { companyId, location }: Shipment) =>
      "invoice" in command && command.invoice.number === ""
        ? immediate(
            seriesOf({ kind: command._tag === "InvoiceSale" ? "sale" : "return", companyId, location, at }),
            (series) => Text.isLine(series, 50),
            "numbering.papers must return a text of 1 to 50 characters"
          )
        : undefined
    const wanted = new Set(commands.flatMap((one) => seriesFor(...one) ?? []))
    const next = new Map<string, ReadonlyArray<string>>()
    for (const series of wanted) {
      const last = yield* lastOf(series, used)
      const numbers = Array.from({ length: commands.length + margin }, (_, nth) => `${series}${last + nth + 1}`)
      next.set(series, numbers)
    }
    const numbering: Numbering = (command, shipment, taken) => {
      const numbers = next.get(seriesFor(command, shipment) ?? "") ?? []
      // If no number is free, the command gets the last one, which is rejected as used.
      const number = numbers.find((one) => !taken.has(one)) ?? numbers.at(-1)
      return number === undefined || !("invoice" in command)
        ? command
        : { ...command, invoice: { ...command.invoice, number } }
    }
    return { numbering, candidates: [...next.values()].flat() }
  })
