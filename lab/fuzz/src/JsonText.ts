/**
 * Writes JSON, also JSON that no value is written as: `-0`, `1e999`, a key twice, ten thousand brackets.
 */

/**
 * JSON that is written as it is.
 */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Raw)

/**
 * The text of a value. Fields that are undefined are left out.
 */
export const of = (value: unknown): string => {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(of).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${of(field)}`).join(",")}}`
}
