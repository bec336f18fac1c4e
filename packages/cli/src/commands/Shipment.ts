/**
 * `crossdock shipment`: locks shipments, which no interface offers. Source: docs/reference/shipments.md#locked.
 */
import { Shipments } from "@crossdock/shipments"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, onDatabase } from "../Management.ts"
import * as Company from "./Company.ts"

const locking = (locked: boolean) =>
  CommandLine.define({
    name: locked ? "lock" : "unlock",
    does: locked
      ? "Locks shipments: every move is rejected until they are unlocked."
      : "Unlocks shipments, so that they can move again.",
    examples: [`shipment ${locked ? "lock" : "unlock"} 1 SHIPMENT`],
    options: {
      company: Company.companyId,
      shipments: Argument.String("shipment").pipe(
        Argument.withDescription("the shipments' ids"),
        Argument.variadic({ min: 1 })
      )
    },
    run: ({ company, shipments }) =>
      onDatabase(
        Effect.gen(function* () {
          yield* Company.find(company)
          const { setLocked } = yield* Shipments.Shipments
          const { failures, succeeded } = yield* setLocked(caller, company, shipments, locked)
          const lines = [
            `${locked ? "Locked" : "Unlocked"} ${Answer.counted(succeeded, "shipment")}.`,
            ...failures.map(({ message }) => message)
          ]
          const json = { succeeded, failures: failures.map(({ message }) => message) }
          return Answer.faulty(Answer.sentence(lines.join("\n"), json), failures.length > 0)
        })
      )
  })

export const command = CommandLine.group("shipment", "Locks on shipments, such as during an investigation.", [
  locking(true),
  locking(false)
])
