/**
 * Writes docs/reference/messages.md: every message that a caller can get, with its code and the file that makes it, from the
 * syntax trees of the sources. A text counts as a message unless the tables here say what else it is, so a new one is never
 * missed.
 *
 * `npm run lab -- message-examples` runs the tests over HTTP and keeps one message that they got of each kind in
 * scripts/message-examples.json, unless it has one already. The file that they were recorded in can be given instead.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { SyntaxKind as Kind } from "typescript/unstable/ast"
import { API } from "typescript/unstable/sync"

const root = fileURLToPath(new URL("../", import.meta.url))
const examplesFile = `${root}scripts/message-examples.json`

/** Sources whose texts no caller of an interface gets as an error: what they are instead. */
const others = [
  [/^packages\/(benchmarks|crypto|fuzz|histories|storage-\w+|system-tests)\//, "tools, storage, keys"],
  [/^packages\/cli\/src\/(?!Server\.ts)/, "the command line"],
  [/\/testing\//, "fixtures"],
  [/^packages\/(kernel\/src\/(StorageError|Violation|Text)|kernel\/src\/internal\/Currency)\.ts/, "the log; data"],
  [/^packages\/orders\/src\/OrderErasure\.ts/, "the host's command"],
  [/^packages\/audit\/src\/(AuditChain|AuditExport|Checkpoint|Redaction)\.ts/, "verifying a trail; data"],
  [
    /^packages\/billing\/src\/(BillingCycle|BillingRun|Entitlement|SubscriptionLifecycle)\.ts/,
    "invoices; hosts; the log"
  ],
  [/^packages\/catalog\/src\/(CatalogWorker|ReferenceFile|ProductsInvalid)\.ts/, "importing; the log"],
  [/^packages\/marketplaces\//, "registering a marketplace"],
  [/^packages\/notifications\//, "webhooks"],
  [/^packages\/kernel\/src\/Metrics\.ts$/, "for the operator: see docs/reference/metrics.md"],
  [/^packages\/(client|files|rpc)\//, "for who calls a host: see docs/guides/client.md"],
  [/^packages\/host\//, "for who builds a host: see docs/reference/host.md"],
  [/^packages\/http\/src\/openapi\//, "documentation and its examples"],
  [/^packages\/http\/src\/seller\/ProductSchema\.ts/, "documentation"],
  [/^packages\/kernel\/src\/StoredBody\.ts/, "the log"],
  [/^packages\/catalog\/src\/internal\/ProductWriting\.ts/, "defects"],
  [/^packages\/returns\//, "reasons of a return"],
  [/^packages\/documents\/src\/(AmountInWords|GoodsAndServicesTax|ShipmentInvoice|TaxInvoice|pdf|node)/, "print"],
  [/^packages\/http\/src\/(ErrorCodes|contracts|Edge)\.ts/, "the page of codes; the log"],
  [
    /^packages\/http\/src\/(internal\/Requests|internal\/OpenApiDocument|seller\/DocumentLinks|SignedLinks)\.ts/,
    "the log; links"
  ],
  [/^packages\/http\/src\/platform\/(ConfirmPage|InvoiceDocuments|PlatformScopes)\.ts/, "a page; print; paths"],
  [/^packages\/http\/src\/system\//, "pages"],
  [/ProductCodes\.ts$/, "the page of codes"],
  [/^packages\/shipments\/src\/(Couriers|Transitions|internal\/Reports)\.ts/, "data; an impossible command"]
]

/** Calls whose texts are for logs, traces and documents. */
const silentCalls =
  /^(?:Effect\.(?:log\w*|fn|fnUntraced|annotateLogs|withSpan)|OpenApi\.\w+|failure|described|Error|UnreadableBody|present|StoredBody\.make)$/

const silentFields = new Set([
  "description",
  "title",
  "summary",
  "note",
  "example",
  "identifier",
  "pattern",
  "operation"
])

/** In contracts, all texts but those with a code are descriptions; in the shape of products, all but rules. */
const isMessage = (path, text) =>
  /Api\.ts$/.test(path) ? coded.test(text) : path.endsWith("/ProductShape.ts") ? /^must /.test(text) : true

const isCode = (text) => /^(?:[A-Z]+(?:_[A-Z]+)+|REQUIRED|[A-Z]{1,2}4\d\d)$/.test(text)

const nameOf = (node, source) => {
  switch (node.kind) {
    case Kind.Identifier:
      return node.text
    case Kind.PropertyAccessExpression:
      return node.name.text
    case Kind.ElementAccessExpression:
    case Kind.NonNullExpression:
    case Kind.ParenthesizedExpression:
    case Kind.AsExpression:
      return nameOf(node.expression, source)
    case Kind.BinaryExpression:
      return nameOf(node.left, source)
    case Kind.CallExpression: {
      const { expression } = node
      if (expression.kind === Kind.PropertyAccessExpression && expression.name.text === "join")
        return nameOf(expression.expression, source)
      const [first] = node.arguments
      return first === undefined || /Literal|Template|Function/.test(Kind[first.kind])
        ? nameOf(expression, source)
        : nameOf(first, source)
    }
    default:
      return node.getText(source).replaceAll(/\s+/g, " ")
  }
}

const isText = ({ kind }) =>
  kind === Kind.StringLiteral || kind === Kind.NoSubstitutionTemplateLiteral || kind === Kind.TemplateExpression

/** A text with its placeholders by their names; of a choice between two texts, both. */
const textOf = (node, source) => {
  if (node.kind !== Kind.TemplateExpression) return node.text
  const parts = node.templateSpans.map(({ expression, literal }) => {
    const choice = expression.kind === Kind.ConditionalExpression ? [expression.whenTrue, expression.whenFalse] : []
    const shown =
      choice.length > 0 && choice.every(isText)
        ? `(${choice
            .map((one) => textOf(one, source))
            .filter((one) => one !== "")
            .join(" / ")})`
        : `{${nameOf(expression, source)}}`
    return shown + literal.text
  })
  return node.head.text + parts.join("")
}

const coded = /^\[([A-Z_]+)\] /

/** Two words of prose with a space between, besides placeholders. */
const isProse = (text) => {
  const words = text
    .replace(coded, "")
    .replaceAll(/\{[^}]*\}/g, "…")
    .split(" ")
  return words.filter((word) => /^["(]?[A-Za-z'-]{2,}[.,;:)?"]*$/.test(word)).length >= 2 && /[a-z]/.test(text)
}

/** The code beside a text: in the same object, in the same call, or of the class that has the text. */
const codeBeside = (node, source) => {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    const own = at.kind === Kind.ClassDeclaration ? at.name : at.kind === Kind.NewExpression ? at.expression : undefined
    if (own !== undefined && classCodes.has(own.getText(source))) return classCodes.get(own.getText(source))
    const beside =
      at.kind === Kind.ObjectLiteralExpression
        ? at.properties.flatMap((one) =>
            one.name?.getText(source) === "code" && one.initializer ? [one.initializer] : []
          )
        : at.kind === Kind.CallExpression || at.kind === Kind.ArrayLiteralExpression
          ? (at.arguments ?? at.elements)
          : []
    const code = beside.find((one) => isText(one) && isCode(one.text ?? ""))
    if (code !== undefined) return code.text
    if (/Function|Method|VariableStatement/.test(Kind[at.kind])) return undefined
  }
  return undefined
}

/** The code of each domain error: the table of packages/http/src/Failure.ts. */
const classCodes = new Map(
  [
    ...readFileSync(`${root}packages/http/src/Failure.ts`, "utf8").matchAll(
      /^ {2}(\w+): \([^)]*\) =>\s+new Failure\(\{\s*code: "(\w+)"/gm
    )
  ].map(([, tag, code]) => [tag, code])
)

const api = new API({ cwd: root })
const [project] = api.updateSnapshot({ openProjects: [`${root}tsconfig.test.json`] }).getProjects()
const paths = project.program
  .getSourceFileNames()
  .map((path) => path.replace(root, ""))
  .filter((path) => /^packages\/[\w-]+\/src\//.test(path))
  .filter((path) => !others.some(([pattern]) => pattern.test(path)))
  .sort()

const messagesIn = (path) => {
  const source = project.program.getSourceFile(root + path)
  const found = []
  const visit = (node) => {
    const { kind } = node
    if (
      kind === Kind.ImportDeclaration ||
      kind === Kind.ExportDeclaration ||
      kind === Kind.TaggedTemplateExpression ||
      kind === Kind.LiteralType
    )
      return
    const callee = node.expression?.getText(source)
    if ((kind === Kind.CallExpression || kind === Kind.NewExpression) && silentCalls.test(callee)) return
    if (kind === Kind.PropertyAssignment && silentFields.has(node.name.getText(source))) return
    if (isText(node)) {
      const text = textOf(node, source).replaceAll(/\s+/g, " ").trim()
      if (isProse(text) && isMessage(path, text))
        found.push([text.replace(coded, ""), coded.exec(text)?.[1] ?? codeBeside(node, source) ?? ""])
    }
    node.forEachChild(visit)
  }
  visit(source)
  return [...new Map(found.map((one) => [one.join(" "), one])).values()]
}

const messages = paths.map((path) => [path, messagesIn(path)])
api.close()

const regExpOf = (text) =>
  text
    .split(/(\{[^}]*\}|\([^()]*\))/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&") : ".*"))
    .join("")

/** Whether an answer's message is of this kind: as a sentence, after a path, or as a part of a longer one. */
const isKind = (template) => {
  const [first = "", ...rest] = regExpOf(template)
  const text = /[a-z]/i.test(first)
    ? `[${first.toLowerCase()}${first.toUpperCase()}]${rest.join("")}`
    : first + rest.join("")
  const whole = new RegExp(`^(?:/\\S*: )?${text}\\.?$`, "s")
  const part = new RegExp(text, "s")
  const fixed = template.replaceAll(/\{[^}]*\}|\([^()]*\)/g, "").replaceAll(/[^a-z]/gi, "").length
  // A text that is little more than its values is in any message.
  return fixed < 8 ? { whole: /$^/, part: /$^/ } : { whole, part: fixed < 12 ? whole : part }
}

const unique = (some) => [...new Set(some)]

const record = () => {
  const recorded = process.argv[3] ?? join(mkdtempSync(join(tmpdir(), "messages-")), "messages.jsonl")
  if (!existsSync(recorded))
    spawnSync("npx", ["vitest", "run", "packages/http", "lab/system-tests"], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, MESSAGES_FILE: recorded, SLOW: "also" }
    })
  const got = unique(readFileSync(recorded, "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line))
    .filter(([message]) => message.length < 400)
    .sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))
  const kept = existsSync(examplesFile) ? JSON.parse(readFileSync(examplesFile, "utf8")) : {}
  const templates = unique(messages.flatMap(([, found]) => found.map(([text]) => text)))
  const examples = templates.flatMap((template) => {
    const { part, whole } = isKind(template)
    const matching = [whole, part]
      .map((kind) => got.filter(([message]) => kind.test(message)))
      .find(({ length }) => length > 0)
    if (matching === undefined) return kept[template] === undefined ? [] : [[template, kept[template]]]
    const before = kept[template]?.example
    const example = before !== undefined && part.test(before) ? before : matching[0][0]
    // Of a text that is a field's, the code of the whole request says nothing.
    const codes = unique(matching.map(([, code]) => code)).filter((code) => code !== "" && code !== "VALIDATION_FAILED")
    return [[template, { example, codes: codes.sort() }]]
  })
  writeFileSync(examplesFile, `${JSON.stringify(Object.fromEntries(examples), undefined, 2)}\n`)
  process.stdout.write(`${examples.length} of ${templates.length} messages have an example\n`)
}
if (process.argv.includes("--record")) record()
const examples = JSON.parse(readFileSync(examplesFile, "utf8"))

const cell = (text) =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("`", "\\`").replaceAll(/[[\]]/g, "\\$&")
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** A text that is a sentence says all; any other is a part of one. */
const page = [
  "# Messages",
  "",
  "<!-- Written by npm run docs. -->",
  "",
  'Every message that a caller can get, extracted from the source code. `{name}` is replaced by a value. A message that begins with a lower-case letter is about the field at its `path`; the answer has it as a sentence ("Must be an array."), and the message of the whole request puts the path before it ("/0/quantity: Must be an array."). Parts of longer messages are listed separately: [shipments](lifecycle.md) combine them, as in "Can\'t pack shipment 17: its status is placed. Confirm it, then invoice it, then pack it." What each code means: [errors](errors.md).',
  ...messages.flatMap(([path, found]) => {
    const rows = found.map(([text, code]) => {
      const { codes = [], example = text } = examples[text] ?? {}
      const all = unique([code, ...codes].filter((one) => one !== ""))
      return [cell(text), example === text ? "" : cell(example), all.map((one) => `\`${one}\``).join(", ")]
    })
    if (rows.length === 0) return []
    const name = path
      .replace(/^(?:packages|examples)\//, "")
      .replace("/src/", ": ")
      .replace(/\.ts$/, "")
    return ["", `## ${name}`, "", table(["Message", "Example", "Code"], rows)]
  }),
  ""
].join("\n")

export const documents = { "docs/reference/messages.md": page }
