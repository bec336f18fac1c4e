/**
 * Parses JSON safely: rejects deep nesting, keys that could change prototypes, and numbers that would lose digits.
 */
import * as Result from "effect/Result"
import type { AnswerCode } from "../ErrorCodes.ts"
import { Failure } from "../Failure.ts"
import { Limits } from "../Limits.ts"
import * as JsonFault from "./JsonFault.ts"

const quote = 0x22
const backslash = 0x5c
const isOpening = (c: number): boolean => c === 0x7b || c === 0x5b
const isClosing = (c: number): boolean => c === 0x7d || c === 0x5d
const isNumberStart = (c: number): boolean => (c >= 0x30 && c <= 0x39) || c === 0x2d
const isNumberPart = (c: number): boolean => isNumberStart(c) || c === 0x2e || c === 0x2b || c === 0x45 || c === 0x65

/**
 * The index of the closing quote of the string that starts at `from`.
 */
const endOfString = (text: string, from: number): number => {
  let at = text.indexOf('"', from + 1)
  while (at !== -1) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at
    at = text.indexOf('"', at + 1)
  }
  return text.length
}

const zero = 0x30
const isDigit = (c: number): boolean => c >= zero && c <= 0x39

/**
 * The number of significant digits: those before the exponent, without leading and trailing zeros. It is one pass, since a
 * pattern for trailing zeros would take quadratic time.
 */
const significantDigits = (literal: string): number => {
  let digits = 0
  let counted = 0
  for (let at = 0; at < literal.length; at++) {
    const c = literal.charCodeAt(at)
    if (c === 0x45 || c === 0x65) break
    if (!isDigit(c) || (digits === 0 && c === zero)) continue
    digits++
    if (c !== zero) counted = digits
  }
  return counted
}

/**
 * Whether JSON.parse keeps the number exactly: at most 15 significant digits, or a whole number up to 2^53 − 1.
 * Source: docs/reference/requests.md#numbers.
 */
const isExact = (literal: string): boolean => {
  const digits = significantDigits(literal)
  const isLost = digits > 0 && Number(literal) === 0
  return (digits <= 15 && !isLost) || (/^-?\d+$/.test(literal) && Number.isSafeInteger(Number(literal)))
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Whether to reject a number literal. A short one without an exponent is always exact, and JSON.parse rejects what is not a
 * JSON number.
 */
const isInexact = (literal: string): boolean =>
  (literal.length > 15 || /[eE]-/.test(literal)) && numberPattern.test(literal) && !isExact(literal)

/**
 * Scans the text once, in linear time. `inexact` are the start and end of each number to reject.
 */
const scan = (
  text: string
): { readonly tooDeep: boolean; readonly inexact: ReadonlyArray<readonly [number, number]> } => {
  const inexact: Array<readonly [number, number]> = []
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === quote) at = endOfString(text, at)
    else if (isOpening(c)) {
      if (++depth > Limits.nesting) return { tooDeep: true, inexact }
    } else if (isClosing(c)) depth--
    else if (isNumberStart(c)) {
      const start = at
      while (at + 1 < text.length && isNumberPart(text.charCodeAt(at + 1))) at++
      if (isInexact(text.slice(start, at + 1))) inexact.push([start, at + 1])
    }
  }
  return { tooDeep: false, inexact }
}

/**
 * Replaces inexact numbers by Infinity, which every schema of a number then rejects with the number's path.
 */
const withoutInexact = (text: string, places: ReadonlyArray<readonly [number, number]>): string => {
  let from = 0
  const parts: Array<string> = []
  for (const [start, end] of places) {
    parts.push(text.slice(from, start), "1e999")
    from = end
  }
  return places.length === 0 ? text : parts.join("") + text.slice(from)
}

/** Parts of forbidden keys, and the escape that could hide them: a text without them needs no search. */
const suspicious = ["__proto__", "prototype", "\\u"]

const hasForbiddenKey = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (Array.isArray(value)) return value.some(hasForbiddenKey)
  return Object.entries(value).some(
    ([key, inner]) =>
      key === "__proto__" ||
      (key === "constructor" && typeof inner === "object" && inner !== null && Object.hasOwn(inner, "prototype")) ||
      hasForbiddenKey(inner)
  )
}

const reject = (code: AnswerCode, message: string) => Result.fail(new Failure({ code, message }))

export const parse = (text: string): Result.Result<unknown, Failure> => {
  const { inexact, tooDeep } = scan(text)
  if (tooDeep)
    return reject("TOO_DEEP", `The JSON is nested more than ${Limits.nesting} levels deep. Send it with less nesting.`)
  let value: unknown
  try {
    value = JSON.parse(withoutInexact(text, inexact))
  } catch {
    return reject("MALFORMED_JSON", `The body is not JSON: ${JsonFault.describe(text)}.`)
  }
  return suspicious.some((part) => text.includes(part)) && hasForbiddenKey(value)
    ? reject(
        "FORBIDDEN_KEY",
        "The body has a key __proto__, or a key constructor that contains prototype. Rename or remove it."
      )
    : Result.succeed(value)
}
