/**
 * The code of every rejection, per operation. Source: contract, section 6, "Where two codes fit" and "Codes per operation".
 */

/**
 * Why an operation is rejected. `otherLocation`: the shipment is another location's of the same company; `quantity`: more
 * units than are left, or not those that must be named; `repeated`: done already; `notFitting`: not for this kind of
 * shipment; `taken`: the number is in use elsewhere.
 */
export type RejectionCase =
  | "notFound"
  | "otherLocation"
  | "wrongStatus"
  | "cancelled"
  | "quantity"
  | "repeated"
  | "notFitting"
  | "taken"

type Codes = Readonly<Record<"notFound" | "otherLocation", string> & Partial<Record<RejectionCase, string>>>

/**
 * `notFound` is also for an item that is not of the shipment.
 */
export const rejectionCodes = {
  confirm: { notFound: "O404", otherLocation: "O422", wrongStatus: "O409", cancelled: "O400", quantity: "O409" },
  cancel: { notFound: "X404", otherLocation: "X422", wrongStatus: "X400", cancelled: "X400", quantity: "X409" },
  invoiceUpdate: {
    notFound: "IN400",
    otherLocation: "IN400",
    wrongStatus: "IN403",
    cancelled: "IN401",
    repeated: "IN453",
    notFitting: "IN422",
    taken: "IN422"
  },
  pack: { notFound: "CR404", otherLocation: "CR422", wrongStatus: "CR400", cancelled: "CR401" },
  courierDetails: { notFound: "C404", otherLocation: "C404" },
  labels: { notFound: "L400", otherLocation: "L400", wrongStatus: "L403" },
  invoice: { notFound: "IN400", otherLocation: "IN400", wrongStatus: "IN403" },
  dispatch: { notFound: "D404", otherLocation: "D422", wrongStatus: "D400", cancelled: "D401", quantity: "D400" },
  awb: {
    notFound: "A404",
    otherLocation: "A404",
    wrongStatus: "A400",
    cancelled: "A400",
    notFitting: "A422",
    taken: "A409"
  },
  status: { notFound: "S404", otherLocation: "S422", wrongStatus: "S400", cancelled: "S400", quantity: "S409" },
  lock: { notFound: "NOT_FOUND", otherLocation: "NOT_FOUND" },
  return: {
    notFound: "R404",
    otherLocation: "R422",
    wrongStatus: "R400",
    cancelled: "R400",
    quantity: "R409",
    repeated: "R409"
  }
} as const satisfies Record<string, Codes>

export type OperationFamily = keyof typeof rejectionCodes

/**
 * Every move of a locked shipment.
 */
export const shipmentLocked = "SHIPMENT_LOCKED"

/**
 * A record of the wrong shape (contract, section 5).
 */
export const invalidRecord = "INVALID_RECORD"

/**
 * The code of a rejection; an operation without a code for the case answers as for a wrong status.
 */
export const rejectionCode = (family: OperationFamily, rejectedAs: RejectionCase): string => {
  const codes: Codes = rejectionCodes[family]
  return codes[rejectedAs] ?? codes.wrongStatus ?? codes.notFound
}
