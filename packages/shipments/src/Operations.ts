/** The operations and commands of shipments, with their parties and the families of their rejection codes. */
import { frozen } from "@crossdock/kernel"
import type { Party } from "./Shipment.ts"
import type { ShipmentCommand } from "./ShipmentCommand.ts"

/** The names of operations in interfaces. Each operation has its own rejection codes. */
export type OperationFamily =
  | "confirm"
  | "cancel"
  | "invoiceUpdate"
  | "pack"
  | "courierDetails"
  | "labels"
  | "invoice"
  | "dispatch"
  | "awb"
  | "status"
  | "lock"
  | "return"

const seller = ["seller"] as const
const sellerOrMarketplace = ["seller", "marketplace"] as const

/** Operations besides reports. `family` selects rejection codes. `by` lists the parties whose interface has the operation. */
export const operations = /* @__PURE__ */ frozen({
  confirm: { name: "confirm", family: "confirm", by: seller, phrase: (it) => `confirm ${it}` },
  cancelPart: { name: "cancel a part", family: "cancel", by: seller, phrase: (it) => `cancel part of ${it}` },
  cancel: { name: "cancel everything", family: "cancel", by: seller, phrase: (it) => `cancel ${it}` },
  invoiceSale: { name: "invoiceUpdate sale", family: "invoiceUpdate", by: seller, phrase: (it) => `invoice ${it}` },
  creditNote: {
    name: "invoiceUpdate return",
    family: "invoiceUpdate",
    by: seller,
    phrase: (it) => `issue a credit note for ${it}`
  },
  assignCourier: { name: "courier assigned", family: "awb", by: [], phrase: (it) => `assign a courier to ${it}` },
  pack: { name: "pack", family: "pack", by: seller, phrase: (it) => `pack ${it}` },
  dispatch: { name: "dispatch", family: "dispatch", by: seller, phrase: (it) => `dispatch ${it}` },
  awb: {
    name: "awb with autoDispatch false",
    family: "awb",
    by: sellerOrMarketplace,
    phrase: (it) => `assign an AWB to ${it}`
  },
  awbDispatch: {
    name: "awb with autoDispatch true",
    family: "awb",
    by: seller,
    phrase: (it) => `assign an AWB to ${it} and dispatch it`
  },
  return: { name: "return (QC)", family: "return", by: seller, phrase: (it) => `record a quality check of ${it}` }
} as const satisfies Record<
  string,
  {
    readonly name: string
    readonly family: OperationFamily
    readonly by: ReadonlyArray<Party>
    /** The move as an imperative, for messages. `it` is either the word "it" or the shipment's id. */
    readonly phrase: (it: string) => string
  }
>)

export type Operation = keyof typeof operations

/** A party with an interface. */
export type Sender = "seller" | "marketplace"

interface CommandFacts {
  readonly family: OperationFamily
  readonly by: ReadonlyArray<Sender>
}

/** The family of each command, and the parties whose interface has it. Commands without a party are the host's own. */
export const commands: Readonly<Record<ShipmentCommand["_tag"], CommandFacts>> = /* @__PURE__ */ frozen({
  Confirm: { family: "confirm", by: seller },
  Cancel: { family: "cancel", by: seller },
  InvoiceSale: { family: "invoiceUpdate", by: seller },
  CreditNote: { family: "invoiceUpdate", by: seller },
  AssignCourier: { family: "awb", by: [] },
  Pack: { family: "pack", by: seller },
  Dispatch: { family: "dispatch", by: seller },
  AssignAwb: { family: "awb", by: sellerOrMarketplace },
  Report: { family: "status", by: sellerOrMarketplace },
  InitiateReturn: { family: "status", by: sellerOrMarketplace },
  CheckQuality: { family: "return", by: seller },
  Lock: { family: "lock", by: [] },
  Unlock: { family: "lock", by: [] }
})

/** The name of a move: either an operation, or `status …` for a reported status. */
export type MoveName = Operation | `status ${string}`
