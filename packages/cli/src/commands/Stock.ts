/** `crossdock stock`: compares stock with its movements, and explains a level. */
import { Inventory, StockLevels } from "@crossdock/inventory"
import { ShipmentStore } from "@crossdock/shipments"
import { type PastMovement, pastMovements } from "@crossdock/storage-sql"
import { Effect } from "effect"
import * as Answer from "../Answer.ts"
import { CommandFailure } from "../CommandFailure.ts"
import * as CommandLine from "../CommandLine.ts"
import { define } from "../Management.ts"
import { progress } from "../Terminal.ts"
import * as Company from "./Company.ts"

/** The units that each shipment reserves, except for shipments whose reservation was before the checkpoint. */
export const reservations = (movements: ReadonlyArray<PastMovement>): ReadonlyMap<string, number> => {
  const units = new Map<string, number>()
  for (const { reference, reserved } of movements)
    if (reference !== null) units.set(reference, (units.get(reference) ?? 0) + reserved)
  return new Map([...units].filter(([, left]) => left > 0))
}

const sumOf = (movements: ReadonlyArray<PastMovement>) =>
  movements.reduce(
    (sum, one) => ({
      onHand: sum.onHand + one.onHand,
      reserved: sum.reserved + one.reserved,
      unsellable: sum.unsellable + one.unsellable
    }),
    { onHand: 0, reserved: 0, unsellable: 0 }
  )

const unknown = {
  UNKNOWN_SKU: (company: number, sku: string, _: string) => `Company ${company} has no SKU ${JSON.stringify(sku)}`,
  UNKNOWN_LOCATION: (company: number, _: string, location: string) =>
    `Company ${company} has no location ${location}. "crossdock location list" lists them`
}

export const command = CommandLine.group("stock", "Stock levels, and the movements behind them.", [
  define({
    name: "verify",
    does: "Compares every stock level with the sum of its movements. Exits with 1 if a level differs or has no SKU.",
    examples: ["stock verify", "stock verify --company 1"],
    options: { company: Company.everyCompany },
    *run({ company }) {
      const { verify } = yield* Inventory.Inventory
      const companies = yield* Company.chosen(company)
      const found = yield* Effect.forEach(companies, ({ id }, nth) =>
        Effect.gen(function* () {
          yield* progress(`company ${id} (${nth + 1} of ${companies.length})`)
          return (yield* verify(id)).map((one) => ({ companyId: id, ...one }))
        })
      )
      const all = found.flat()
      const text = `Every level of ${Answer.counted(companies.length, "company", "companies")} is the sum of its movements.`
      return all.length === 0
        ? Answer.sentence(text, [])
        : Answer.faulty(Answer.table(all, ["companyId", "sku", "location", "level", "movements"]))
    }
  }),
  define({
    name: "explain",
    does: "Explains a stock level: its movements, the shipments that reserve units, and whether they add up. Movements older than the retention period are merged into one.",
    examples: ["stock explain 85123A BLR1 --company 1"],
    options: {
      sku: CommandLine.argument("sku", "the SKU"),
      location: CommandLine.argument("location", "the location's code"),
      company: Company.companyFlag("the company's number")
    },
    *run({ company, location, sku }) {
      const [level] = yield* (yield* StockLevels).load(company, [{ location, sku }])
      if (level === undefined || typeof level === "string") {
        const message = unknown[level ?? "UNKNOWN_SKU"](company, sku, location)
        return yield* new CommandFailure(message)
      }
      const movements = yield* pastMovements(company, { location, sku })
      const reserving = reservations(movements)
      const shipments = yield* (yield* ShipmentStore).load(company, [...reserving.keys()])
      const reserved = shipments.map(({ id, status }) => ({ shipment: id, status, units: reserving.get(id) ?? 0 }))
      const { onHand, reserved: reservedUnits, unsellable } = level
      const [has, sum] = [{ onHand, reserved: reservedUnits, unsellable }, sumOf(movements)]
      const isSum = JSON.stringify(has) === JSON.stringify(sum)
      const lines = movements.map(({ at, ...rest }) => ({ at: Answer.time(at), ...rest }))
      const columns = ["at", "changeNumber", "onHand", "reserved", "unsellable", "reason", "reference"] as const
      const verdict = isSum
        ? "The level is the sum of its movements."
        : `Its movements add up to ${JSON.stringify(sum)}.`
      return Answer.faulty(
        Answer.joined({ company, sku, location, level: has, sum, isSum, movements, reserved }, [
          Answer.record({ sku, location, ...has, sellable: has.onHand - has.reserved }).text,
          `movements\n${Answer.table(lines, columns).text}`,
          `reserved for shipments\n${Answer.table(reserved, ["shipment", "status", "units"]).text}`,
          verdict
        ]),
        !isSum
      )
    }
  })
])
