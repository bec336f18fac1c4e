/**
 * Finds where a text stops being JSON, which JSON.parse does not always say.
 */

const space = /[ \t\n\r]*/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/**
 * The end of the string that starts at `from`, and whether it is one: otherwise `at` is where its fault is.
 */
const endOfString = (text: string, from: number): { readonly at: number; readonly isString: boolean } => {
  let at = from + 1
  while (at < text.length) {
    const c = text.charAt(at)
    if (c === '"') return { at: at + 1, isString: true }
    if (c < " ") break
    const next = c === "\\" ? endOf(escaped, text, at) : at + 1
    if (next === at) break
    at = next
  }
  return { at, isString: false }
}

type Expected = "value" | "element" | "key" | "firstKey" | "colon" | "next"

/**
 * The index of the first character that can't be there; the text's length when it ends too early. It is one pass without
 * recursion.
 */
const faultAt = (text: string): number => {
  const open: Array<"]" | "}"> = []
  let expected = "value" as Expected
  let at = endOf(space, text, 0)
  for (; at < text.length; at = endOf(space, text, at)) {
    const c = text.charAt(at)
    const closes = c === open.at(-1) && (expected === "next" || expected === "element" || expected === "firstKey")
    if (closes) {
      open.pop()
      expected = "next"
      at++
    } else if (expected === "next") {
      if (c !== "," || open.length === 0) return at
      expected = open.at(-1) === "}" ? "key" : "value"
      at++
    } else if (expected === "colon") {
      if (c !== ":") return at
      expected = "value"
      at++
    } else if (c === '"') {
      const end = endOfString(text, at)
      if (!end.isString) return end.at
      expected = expected === "key" || expected === "firstKey" ? "colon" : "next"
      at = end.at
    } else if (expected === "key" || expected === "firstKey") {
      return at
    } else if (c === "[" || c === "{") {
      open.push(c === "[" ? "]" : "}")
      expected = c === "[" ? "element" : "firstKey"
      at++
    } else {
      const end = endOf(scalar, text, at)
      if (end === at) return at
      expected = "next"
      at = end
    }
  }
  return at
}

const grouped = new Intl.NumberFormat("en-US")

/**
 * What is wrong with a text that JSON.parse rejected, and where: "unexpected end at line 1, column 12". Columns are UTF-16
 * code units.
 */
export const describe = (text: string): string => {
  const at = faultAt(text)
  const before = text.slice(0, at)
  const line = before.split("\n").length
  const column = at - before.lastIndexOf("\n")
  const [character] = text.slice(at, at + 2)
  const what = character === undefined ? "end" : JSON.stringify(character)
  return `unexpected ${what} at line ${grouped.format(line)}, column ${grouped.format(column)}`
}
