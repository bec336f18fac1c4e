/** Checks values against their shape, and reports all faults with their paths. */
import { Instant, Text as PlainText, type Violation } from "@crossdock/kernel"
import * as Predicate from "effect/Predicate"
import { type Fields, Limits, type Shape, type Text, type Time, timePatterns } from "./Shape.ts"

/** Adds all faults of `value` to `found`. `path` is the JSON Pointer of the value. */
export type Check = (value: unknown, path: string, found: Array<Violation>) => void

const dayExists = (value: string): boolean => Instant.parse(`${value.slice(0, 10)}T00:00Z`) !== undefined

const timeNames = { day: "a date as yyyy-mm-dd", instant: "an ISO 8601 date and time with its offset" } as const

const report = (found: Array<Violation>, path: string, code: string, message: string, suggestion?: string): void => {
  found.push({ path, code, message, ...(suggestion === undefined ? {} : { suggestion }) })
}

const wrongType = (found: Array<Violation>, path: string, expected: string, value: unknown): void =>
  report(found, path, "INVALID_TYPE", `must be ${expected}; this is ${PlainText.jsonKind(value)}`)

const suggestionOf = (shape: Text, value: string, pattern: RegExp | undefined): string | undefined => {
  const better = shape.suggest?.(value) ?? wordLike(shape.words, value)
  return better === undefined || better === value || better === "" || pattern?.test(better) === false
    ? undefined
    : better
}

const wordLike = (words: ReadonlyArray<string> | undefined, value: string): string | undefined =>
  words?.find((word) => word.toLowerCase() === value.trim().toLowerCase())

const tooLong = (value: string, max: number): string =>
  `must have at most ${max} characters; this has ${PlainText.lengthInWords(value)}`

const checkText = (shape: Text): Check => {
  const pattern = shape.pattern === undefined ? undefined : new RegExp(shape.pattern.source, "u")
  return (value, path, found) => {
    if (typeof value !== "string") return wrongType(found, path, "text, in quotes", value)
    // The length is checked first, since patterns are slow on long texts.
    if (PlainText.isLonger(value, shape.max)) return report(found, path, "TOO_LONG", tooLong(value, shape.max))
    if (value === "" && shape.min > 0) return report(found, path, "REQUIRED", "must not be empty")
    if (PlainText.isShorter(value, shape.min))
      return report(
        found,
        path,
        "TOO_SHORT",
        `must have at least ${shape.min} characters; this has ${PlainText.lengthInWords(value)}`
      )
    const forbidden = PlainText.forbiddenCharacter(value)
    if (forbidden !== undefined) return report(found, path, "INVALID_TEXT", `has ${forbidden}; remove it`)
    if (shape.words?.includes(value) === false) {
      const message = `must be one of ${shape.words.join(", ")}`
      return report(found, path, "INVALID_VALUE", message, suggestionOf(shape, value, pattern))
    }
    if (pattern?.test(value) === false)
      report(found, path, "INVALID_VALUE", shape.pattern?.message ?? "", suggestionOf(shape, value, pattern))
  }
}

const checkTime = ({ of }: Time): Check => {
  const pattern = new RegExp(timePatterns[of])
  return (value, path, found) => {
    if (typeof value !== "string") return wrongType(found, path, timeNames[of], value)
    if (value.length > 64 || !pattern.test(value) || !dayExists(value))
      report(found, path, "INVALID_VALUE", `must be ${timeNames[of]}`)
  }
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

const likeness = (shape: Shape, example: unknown): string => {
  const words = shape._tag === "Text" || shape._tag === "Amount" ? shape.words : undefined
  if (words !== undefined) return `: one of ${words.join(", ")}`
  return typeof example === "string" || typeof example === "number" ? `, such as ${JSON.stringify(example)}` : ""
}

const checkFields = (fields: Fields): Check => {
  const known = Object.entries(fields).map(([key, { example, required, shape }]) => ({
    key,
    at: `/${escaped(key)}`,
    missing: required ? `is required${likeness(shape, example)}` : undefined,
    check: checkOf(shape)
  }))
  return (value, path, found) => {
    const group = value as Readonly<Record<string, unknown>>
    for (const { at, check, key, missing } of known) {
      const inner = Object.hasOwn(group, key) ? group[key] : undefined
      if (inner !== undefined && inner !== null) check(inner, path + at, found)
      else if (missing !== undefined) report(found, path + at, "REQUIRED", missing)
    }
  }
}

/** Whether the check should end. A list can have a million faulty elements, and describing each of them would take seconds. */
const hasTooMany = (found: ReadonlyArray<Violation>): boolean => found.length >= Limits.faults

/** Checks the numbers of a free-form value, and the length and characters of its texts and keys. */
const checkFreeForm: Check = (value, path, found) => {
  if (hasTooMany(found)) return
  if (typeof value === "number") {
    if (!Number.isFinite(value))
      report(found, path, "INVALID_VALUE", "must be a number of at most 15 significant digits")
  } else if (typeof value === "string") {
    if (PlainText.isLonger(value, PlainText.maxFreeFormLength))
      report(found, path, "TOO_LONG", tooLong(value, PlainText.maxFreeFormLength))
    else {
      const forbidden = PlainText.forbiddenCharacter(value)
      if (forbidden !== undefined) report(found, path, "INVALID_TEXT", `has ${forbidden}; remove it`)
    }
  } else if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) checkFreeForm(inner, `${path}/${index}`, found)
  } else if (Predicate.isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (PlainText.isLonger(key, PlainText.maxFreeFormLength) || PlainText.hasForbiddenCharacter(key)) {
        report(
          found,
          path,
          "INVALID_TEXT",
          "has a key of more than 20,000 characters, or with a control character; rename it"
        )
      } else checkFreeForm(inner, `${path}/${escaped(key)}`, found)
    }
  }
}

const checks: { readonly [Tag in Shape["_tag"]]: (shape: Extract<Shape, { _tag: Tag }>) => Check } = {
  Text: checkText,
  Amount: (shape) => (value, path, found) => {
    if (typeof value !== "number") return wrongType(found, path, "a number", value)
    if (!Number.isFinite(value))
      return report(found, path, "INVALID_VALUE", "must be a number of at most 15 significant digits")
    if (shape.whole && !Number.isSafeInteger(value))
      return report(found, path, "INVALID_VALUE", "must be a whole number")
    if (value < shape.min || value > shape.max)
      return report(found, path, "OUT_OF_RANGE", `must be from ${shape.min} to ${shape.max}; this is ${value}`)
    if (shape.words?.includes(value) === false)
      report(found, path, "INVALID_VALUE", `must be one of ${shape.words.join(", ")}; this is ${value}`)
  },
  Flag: () => (value, path, found) => {
    if (typeof value !== "boolean") wrongType(found, path, "true or false", value)
  },
  Time: checkTime,
  List: ({ item, min }) => {
    const check = checkOf(item)
    return (value, path, found) => {
      if (!Array.isArray(value)) return wrongType(found, path, "an array", value)
      if (value.length < min) return report(found, path, "REQUIRED", "must not be empty")
      for (const [index, inner] of value.entries()) {
        if (hasTooMany(found)) return
        check(inner, `${path}/${index}`, found)
      }
    }
  },
  Group: ({ fields }) => {
    const check = checkFields(fields)
    return (value, path, found) =>
      Predicate.isObject(value) ? check(value, path, found) : wrongType(found, path, "an object", value)
  },
  Free: ({ fields }) => {
    const check = checkFields(fields)
    const known = new Set(Object.keys(fields))
    return (value, path, found) => {
      if (!Predicate.isObject(value)) return wrongType(found, path, "an object", value)
      check(value, path, found)
      checkFreeForm(Object.fromEntries(Object.entries(value).filter(([key]) => !known.has(key))), path, found)
    }
  },
  Either: ({ message, shapes }) => {
    const all = shapes.map(checkOf)
    return (value, path, found) => {
      const fits = all.some((check) => {
        const faults: Array<Violation> = []
        check(value, path, faults)
        return faults.length === 0
      })
      if (!fits) report(found, path, "INVALID_VALUE", message)
    }
  }
}

/** The check of a shape. Make it once and use it often. */
export const checkOf = (shape: Shape): Check => (checks[shape._tag] as (shape: Shape) => Check)(shape)

/**
 * All faults of a value, in the order of the shape's fields.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { ProductShape, ShapeCheck } from "@crossdock/catalog"
 *
 * const size = { primary_identifier: "TEE-BLK-M", size: "M", price: "799" }
 * const violations = ShapeCheck.violations(ShapeCheck.checkOf(ProductShape.size), size, "/products/0/sizes/0")
 * deepStrictEqual(
 *   violations.map(({ code, path }) => [code, path]),
 *   [
 *     ["INVALID_TYPE", "/products/0/sizes/0/price"],
 *     ["REQUIRED", "/products/0/sizes/0/price_effective"]
 *   ]
 * )
 * ```
 */
export const violations = (check: Check, value: unknown, path = ""): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  check(value, path, found)
  return found
}
