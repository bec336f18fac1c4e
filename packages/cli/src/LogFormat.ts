/**
 * How a log entry looks on standard error: one line for a person, or JSON.
 */
import { Cause, Logger, References } from "effect"

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * `10:41:05.224 INFO GET /health/live 200 1 ms status=200 …`, and the stack of a cause on lines of its own.
 */
const pretty = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const words = (Array.isArray(message) ? message : [message]).map((one) =>
    Cause.isCause(one) ? Cause.pretty(one) : one instanceof Error ? (one.stack ?? one.message) : text(one)
  )
  const fields = Object.entries(fiber.getRef(References.CurrentLogAnnotations)).map(
    ([name, value]) => `${name}=${text(value)}`
  )
  const trace = cause.reasons.length === 0 ? [] : [`\n${Cause.pretty(cause)}`]
  return [date.toISOString().slice(11, 23), logLevel.toUpperCase(), ...words, ...fields, ...trace].join(" ")
})

/**
 * The logger of LOG_FORMAT.
 */
export const logger = (format: "pretty" | "json") =>
  Logger.withConsoleError(format === "json" ? Logger.formatJson : pretty)
