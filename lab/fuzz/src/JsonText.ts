/** Writes JSON. It can also write JSON that no value has: `-0`, `1e999`, repeated keys, ten thousand brackets. */

/** JSON to write without a change. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Raw)

/** The text of a value. Undefined fields are left out. */
export const of = (value: unknown): string => {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(of).join(",")}]`
  if (!isObject(value)) return JSON.stringify(value) ?? "null"
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${of(field)}`).join(",")}}`
}
