import { Gtin, ProductShape, productErrorCodes, Shape } from "@crossdock/catalog"

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ")
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n")

const bound = (min, max) =>
  min <= -Shape.Limits.amount && max >= Shape.Limits.amount
    ? ""
    : `, ${min} to ${max === Number.MAX_SAFE_INTEGER ? "2^53 − 1" : max}`

const itemsOf = (item) => {
  const [values] = described[item._tag](item)
  return values.startsWith("must") ? `; each item ${values}` : `: ${values}`
}

/** The values of a shape, and the codes of its rejections. */
const described = {
  Text: ({ min, max, pattern, words }) =>
    words === undefined
      ? [
          `text of ${min} to ${max} characters${pattern === undefined ? "" : `; ${pattern.message}: \`${pattern.source}\``}`,
          ["INVALID_TYPE", "TOO_LONG", "INVALID_TEXT", ...(pattern === undefined ? [] : ["INVALID_VALUE"])]
        ]
      : [`one of ${words.join(", ")}`, ["INVALID_TYPE", "INVALID_VALUE"]],
  Amount: ({ min, max, whole }) => [
    `${whole ? "a whole number" : "a number"}${bound(min, max)}`,
    ["INVALID_TYPE", "INVALID_VALUE", "OUT_OF_RANGE"]
  ],
  Flag: () => ["true or false", ["INVALID_TYPE"]],
  Time: ({ of }) => [of === "day" ? "yyyy-mm-dd" : "ISO 8601 with its offset", ["INVALID_TYPE", "INVALID_VALUE"]],
  List: ({ item, min }) => [
    `a ${min > 0 ? "non-empty " : ""}list${["Group", "Free"].includes(item._tag) ? " of objects" : itemsOf(item)}`,
    ["INVALID_TYPE", ...(min > 0 ? ["REQUIRED"] : [])]
  ],
  Group: () => ["an object", ["INVALID_TYPE"]],
  Free: () => ["an object with the category's attributes and any other keys", ["INVALID_TYPE"]],
  Either: ({ shapes }) => [shapes.map((shape) => described[shape._tag](shape)[0]).join(", or "), ["INVALID_VALUE"]]
}

const inner = (shape) => (shape._tag === "List" ? inner(shape.item) : (shape.fields ?? {}))

const rowsOf = (fields, path) =>
  Object.entries(fields).flatMap(([name, { example, required, shape, what = "" }]) => {
    const here = `${path}/${name}`
    const [takes, codes] = described[shape._tag](shape)
    const all = [...new Set([...(required ? ["REQUIRED"] : []), ...codes])]
    return [
      [
        `\`${here}\``,
        what,
        required ? "yes" : "",
        takes,
        all.map((code) => `\`${code}\``).join(" "),
        example === undefined ? "" : `\`${JSON.stringify(example)}\``
      ],
      ...rowsOf(inner(shape), `${here}${shape._tag === "List" ? "/*" : ""}`)
    ]
  })

const head = ["Field", "Meaning", "Required", "Values", "Codes", "Example"]
const section = (title, shape) => `## ${title}\n\n${table(head, rowsOf(shape.fields, ""))}`

const text = `# The rules of a product

\`npm run docs\` writes this page from the rules of \`@crossdock/catalog\`, so don't edit it. Fields are JSON Pointers into
one product, and \`*\` is any index. Null in an optional field counts as absent. Fields that aren't listed are ignored. The read
of [product attributes](seller.md#catalog-attributes) lists a category's attributes, with their types and allowed values.
[Catalog](catalog.md) describes the writes.

${section("A create", ProductShape.create({}))}

${section("An update", ProductShape.update({}))}

${section("A delete", ProductShape.remove)}

## Codes

The last column says what is rejected. "request" means the whole request: the answer is 400 and lists every violation of
every product. "product" means only this product: its violations are in the write's answer and in the write's status.

${table(
  ["Code", "Cause", "What to do", "Rejects"],
  Object.entries(productErrorCodes).map(([code, { cause, fails, fix }]) => [`\`${code}\``, cause, fix, fails])
)}

## Trade item numbers

${table(
  ["`gtin_type`", "Number of digits"],
  [...Gtin.lengths].map(([type, lengths]) => [`\`${type}\``, lengths.join(", ")])
)}

The last digit is the check digit. The other digits are multiplied by 3 and 1 in turn, beginning with 3 at the right. The
check digit completes the sum of the results to a multiple of ten. Numbers of any other type aren't checked, because
sellers define these types.
`

/** After a field of a shape was renamed, the text contains undefined. */
export const faults = text.includes("undefined") ? ["docs/reference/catalog-rules.md would say undefined"] : []
export const documents = { "docs/reference/catalog-rules.md": text }
