/** `crossdock shipment`: commands with which operators move shipments. Source: docs/reference/shipments.md#locked. */
import { type Bulk, type CompanyId, type Stored, Text } from "@crossdock/kernel"
import { openShipments, type Shipment, Shipments } from "@crossdock/shipments"
import { Argument, Flag } from "effect/cli"
import * as Answer from "../Answer.ts"
import * as CommandLine from "../CommandLine.ts"
import { caller, define } from "../Management.ts"
import * as Company from "./Company.ts"

const company = Company.companyId
const shipments = Argument.String("shipment").pipe(
  Argument.withDescription("the shipments' ids"),
  Argument.variadic({ min: 1 })
)

/** Moves shipments. The answer names the shipments that weren't moved, with the reasons. */
function* moving(
  company: CompanyId,
  done: string,
  move: (service: typeof Shipments.Shipments.Service) => Stored<Bulk.Summary>
) {
  yield* Company.find(company)
  const { failures, succeeded } = yield* move(yield* Shipments.Shipments)
  const messages = failures.map(({ message }) => message)
  const lines = [`${done} ${Answer.counted(succeeded, "shipment")}.`, ...messages]
  return Answer.sentence(lines.join("\n"), { succeeded, failures: messages }, messages.length > 0)
}

const locking = (locked: boolean) =>
  define({
    name: locked ? "lock" : "unlock",
    does: locked
      ? "Locks shipments: every move is rejected until they are unlocked."
      : "Unlocks shipments, so that they can move again.",
    examples: [`shipment ${locked ? "lock" : "unlock"} 1 SHIPMENT`],
    options: { company, shipments },
    run: ({ company, shipments }) =>
      moving(company, locked ? "Locked" : "Unlocked", ({ setLocked }) => setLocked(caller, company, shipments, locked))
  })

const cancel = define({
  name: "cancel",
  does: "Cancels the remaining units of shipments for the seller, for example after its company was closed.",
  examples: ["shipment cancel 1 SHIPMENT", "shipment cancel 1 SHIPMENT SHIPMENT --reason closed"],
  options: {
    company,
    shipments,
    reason: CommandLine.optional("reason", "the reason code for the marketplace").pipe(
      Flag.filter(
        (reason) => reason === null || !(Text.isLonger(reason, Text.maxLength) || Text.hasForbiddenCharacter(reason)),
        () => `a text of at most ${Text.maxLength} characters, without control characters`
      )
    )
  },
  run: ({ company, reason, shipments }) =>
    moving(company, "Cancelled", ({ cancelAsHost }) => cancelAsHost(caller, company, shipments, reason))
})

const report = define({
  name: "report",
  does: "Reports a status of shipments, for the seller or the marketplace.",
  examples: ["shipment report 1 delivery_done SHIPMENT", "shipment report 1 bag_lost SHIPMENT --by marketplace"],
  options: {
    company,
    status: CommandLine.argument("status", "an operational status, such as delivery_done"),
    shipments,
    by: Flag.Literals("by", ["seller", "marketplace"]).pipe(
      Flag.withDescription("the party to act for (default: seller)"),
      Flag.withDefault("seller")
    )
  },
  run: ({ by, company, shipments, status }) =>
    moving(company, "Moved", ({ reportAsHost }) => reportAsHost(caller, company, shipments, { by, status }))
})

const list = define({
  name: "list",
  does: "Lists a company's open shipments (not delivered, cancelled, lost or returned), newest first.",
  examples: ["shipment list 7", "shipment list 7 --json"],
  options: { company },
  *run({ company }) {
    yield* Company.find(company)
    const columns = ["id", "marketplace", "orderId", "location", "status"] as const
    const shown = (one: Shipment) => Object.fromEntries(columns.map((column) => [column, one[column]]))
    return Answer.table((yield* openShipments(company)).map(shown), columns)
  }
})

export const command = CommandLine.group(
  "shipment",
  "Open shipments, and moves in the place of a seller or a marketplace.",
  [list, cancel, report, locking(true), locking(false)]
)
