/** Distinctive texts that must not appear somewhere, in any spelling. */

/** A text in plain, URL-encoded, in hex, and in Base64 at any offset. */
export const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "")
    return text.slice(before === 0 ? 0 : before + 1, -1)
  })
  const query = encodeURIComponent(secret)
  return [
    secret,
    query,
    query.replaceAll("%20", "+"),
    new URLSearchParams({ a: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))
  ]
}

/** One character per byte, so that texts, files and bodies can be searched alike. */
export const bytesOf = (text: string | Buffer): string =>
  (typeof text === "string" ? Buffer.from(text) : text).toString("latin1").toLowerCase()

/** The texts that `bytes` contains in any spelling, by form. */
export const hits = (secrets: ReadonlyMap<string, string>, where: string, bytes: string): ReadonlyArray<string> =>
  [...secrets].flatMap(([form, secret]) =>
    [...new Set(spellings(secret).map(bytesOf))]
      .filter((spelling) => bytes.includes(spelling))
      .slice(0, 1)
      .map((spelling) => `${form} in ${where} as ${spelling}`)
  )
