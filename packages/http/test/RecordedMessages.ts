/**
 * Keeps every message that the tests get, one JSON line each, in the file of MESSAGES_FILE, from which
 * `npm run lab -- message-examples` fills the examples of docs/reference/messages.md.
 */
import { appendFileSync } from "node:fs"

const file = process.env.MESSAGES_FILE

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The messages at any depth, each with the code beside it. */
const messagesIn = (value: unknown): ReadonlyArray<readonly [message: string, code: string]> => {
  if (!isObject(value)) return []
  const inner = Object.values(value).flatMap(messagesIn)
  const { code, message } = value
  return typeof message === "string" ? [[message, typeof code === "string" ? code : ""], ...inner] : inner
}

export const record = (body: unknown): void => {
  if (file === undefined) return
  const lines = messagesIn(body).map((found) => `${JSON.stringify(found)}\n`)
  if (lines.length > 0) appendFileSync(file, lines.join(""))
}
