/**
 * How messages say moves in English.
 */
import type { Operation } from "../Transitions.ts"

/**
 * Each operation as an imperative, of `it` or of a shipment by its id.
 */
export const operationPhrase: { readonly [O in Operation]: (it: string) => string } = {
  confirm: (it) => `confirm ${it}`,
  cancelPart: (it) => `cancel part of ${it}`,
  cancel: (it) => `cancel ${it}`,
  invoiceSale: (it) => `invoice ${it}`,
  creditNote: (it) => `issue a credit note for ${it}`,
  assignCourier: (it) => `assign a courier to ${it}`,
  pack: (it) => `pack ${it}`,
  dispatch: (it) => `dispatch ${it}`,
  awb: (it) => `assign an AWB to ${it}`,
  awbDispatch: (it) => `assign an AWB to ${it} and dispatch it`,
  return: (it) => `record a quality check of ${it}`
}

/**
 * "a", "a or b", "a, b or c".
 */
export const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`

export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
