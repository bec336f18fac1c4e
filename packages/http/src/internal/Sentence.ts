/**
 * A message as a sentence: schemas and rules say "must be an array", callers read "Must be an array."
 */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) || text === "" ? "" : "."}`
