/** Every error code with its meaning and remedy. `/docs/errors` and docs/reference/errors.md are made from this. */
import codes from "./errorCodes.json" with { type: "json" }
import { Limits } from "./Limits.ts"

/** The cause of a code and the caller's remedy. `see` links to its section in docs/reference. */
export interface CodeText {
  readonly cause: string
  readonly fix: string
  readonly see?: string
}

/** `operations` of a record's code name those that have it. */
interface RecordText extends CodeText {
  readonly operations: string
}

interface Table {
  readonly answers: Readonly<Record<keyof typeof codes.answers, CodeText & { readonly status: number }>>
  readonly fields: Readonly<Record<keyof typeof codes.fields, CodeText>>
  readonly records: Readonly<Record<keyof typeof codes.records, RecordText>>
}

/** A text names a limit as `{nesting}`. */
const { answers, fields, records }: Table = JSON.parse(
  JSON.stringify(codes).replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof Limits) => String(Limits[name]))
)

/** The codes of answers with a status outside 2xx, each with one status. Source: docs/reference/errors.md#codes. */
export const answerCodes = answers

/** The code of an answer with a status outside 2xx. */
export type AnswerCode = keyof typeof answerCodes

/** The codes of faults in requests accepted or rejected as a whole. Source: docs/reference/errors.md#field-codes. */
export const fieldCodes = fields

/** The codes of rejected records, without `shipmentCodes`. Source: docs/reference/errors.md#record-codes. */
export const recordCodes = records

/** The codes of reads of shipments; a move declares its own. Source: docs/reference/errors.md#shipment-codes. */
export const shipmentReadCodes = codes.shipmentReads
