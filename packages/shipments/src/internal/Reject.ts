/**
 * Makes rejections: the code, a message that says what can't be done, why, and what to do instead, and the same as details
 * for programs.
 */
import { isOperationalStatus } from "../OperationalStatus.ts"
import {
  type ItemFault,
  invalidRecord,
  type Rejection,
  type RejectionCase,
  type RejectionDetails,
  rejectionCode,
  shipmentLocked
} from "../Rejection.ts"
import type { Party, Shipment } from "../Shipment.ts"
import { type Operation, operations } from "../Transitions.ts"
import { allowedMoves, allowedOperations, allowedTargets, rowOf } from "./Allowed.ts"
import { operationPhrase, type Step, stepName, stepPhrase, stepsTo } from "./Way.ts"

/**
 * Why a move is rejected. `because` ends the sentence "Can't confirm shipment 17: …"; without it the reason is the
 * shipment's status. `advice` says how to send it right. `invalidRecord` is a record that contradicts itself or the
 * shipment's items.
 */
export interface Reason {
  readonly as: RejectionCase | "invalidRecord"
  readonly because?: string
  readonly advice?: string
  readonly about?: ItemFault | undefined
}

const rejection = (
  code: string,
  sentences: ReadonlyArray<string | undefined>,
  shipment: Shipment,
  details: Omit<RejectionDetails, "current">,
  about?: ItemFault
): Rejection => ({
  ...(about === undefined ? {} : { about }),
  code,
  message: sentences.filter((one) => one !== undefined).join(" "),
  details: { current: shipment.status, ...details }
})

/**
 * "a", "a or b", "a, b or c".
 */
const anyOf = (texts: ReadonlyArray<string>): string =>
  texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`

const allowedSentence = (phrases: ReadonlyArray<string>): string =>
  phrases.length === 0 ? "You can't change it now." : `You can ${anyOf(phrases)}.`

const operationPhrases = (shipment: Shipment, by: Party): ReadonlyArray<string> =>
  allowedOperations(shipment, by).map((one) => operationPhrase[one]("it"))

const stepsPhrase = (steps: ReadonlyArray<Step>, by: Party): string =>
  steps.map((step) => stepPhrase(step, by)).join(", then ")

const stepsDetail = (steps: ReadonlyArray<Step>, by: Party): Pick<RejectionDetails, "steps"> =>
  steps.length === 0 ? {} : { steps: steps.map((step) => stepName(step, by)) }

/**
 * Every command but `Unlock` is rejected while the shipment is locked.
 */
export const rejectLocked = (shipment: Shipment): Rejection =>
  rejection(
    shipmentLocked,
    [
      `Can't change shipment ${shipment.id} (${shipment.status}): it is locked.`,
      "Try again when its lockStatus is false."
    ],
    shipment,
    { allowed: [] }
  )

export const rejectOperation = (
  shipment: Shipment,
  operation: Operation,
  by: Party,
  { about, advice, as, because }: Reason
): Rejection => {
  const { id, status } = shipment
  const isInvalid = as === "invalidRecord"
  const steps = isInvalid || rowOf(shipment)[operation] !== undefined ? [] : stepsTo(shipment, { operation }, by)
  const can = operationPhrase[operation]
  const targets = allowedTargets(shipment, by)
  const instead =
    steps.length > 0
      ? sentence(stepsPhrase(steps, by))
      : because === undefined
        ? allowedSentence([
            ...operationPhrases(shipment, by),
            ...(targets.length === 0 ? [] : [`set its status to ${anyOf(targets)}`])
          ])
        : undefined
  return rejection(
    isInvalid ? invalidRecord : rejectionCode(operations[operation].family, as),
    [
      because === undefined
        ? `Can't ${can(`shipment ${id}`)}: its status is ${status}.`
        : `Can't ${can(`shipment ${id} (${status})`)}: ${because}.`,
      advice ?? instead
    ],
    shipment,
    { allowed: allowedMoves(shipment, by), ...stepsDetail(steps, by) },
    about
  )
}

/**
 * A rejection of the status operation. The message names both statuses and every status that is allowed instead. `advice`
 * says how to send the same status right; without it that status is not among the allowed ones. Source:
 * docs/reference/shipments.md#status.
 */
export const rejectReport = (
  shipment: Shipment,
  target: string,
  by: Party,
  { about, advice, as, because }: Reason & { readonly as: RejectionCase }
): Rejection => {
  const others = allowedTargets(shipment, by).filter((one) => one !== target)
  const allowed = advice === undefined ? others : allowedTargets(shipment, by)
  const isMoveOfRow = Object.hasOwn(rowOf(shipment).status ?? {}, target)
  const steps = isMoveOfRow ? [] : stepsTo(shipment, { target }, by)
  const shown = isOperationalStatus(target) ? target : JSON.stringify(target)
  return rejection(
    rejectionCode("status", as),
    [
      `Can't change the status of shipment ${shipment.id} from ${shipment.status} to ${shown}${
        because === undefined ? "" : `: ${because}`
      }.`,
      advice,
      advice !== undefined && others.length === 0
        ? undefined
        : allowedSentence(others.length === 0 ? operationPhrases(shipment, by) : [`change it to ${anyOf(others)}`]),
      steps.length === 0 ? undefined : `To get to ${shown}: ${stepsPhrase(steps, by)}.`
    ],
    shipment,
    {
      allowed,
      target,
      ...stepsDetail(steps, by),
      ...(as === "wrongStatus" ? { reason: "INVALID_TRANSITION" } : {})
    },
    about
  )
}
