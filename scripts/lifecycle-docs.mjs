/** Writes docs/reference/lifecycle.md from the data of packages/shipments. */
import { Lifecycle, operationalStatuses, orderStatuses, orderStatusValues, rejectionCodes } from "@crossdock/shipments"

const { guards, operations, stockOnReaching, transitions } = Lifecycle
const statuses = operationalStatuses

/** All moves, each as {from, operation, to, who, guards, note, opensReturn}. */
const moves = statuses.flatMap((from) => {
  const { status = {}, ...others } = transitions[from]
  return [
    ...Object.entries(others).map(([operation, move]) => ({
      from,
      operation: operations[operation].name,
      who: operations[operation].by.join(", ") || "the service",
      ...move
    })),
    ...Object.entries(status).map(([to, limits]) => ({
      from,
      operation: `status ${to}`,
      to,
      ...limits,
      who: limits.who ?? "seller, marketplace"
    }))
  ]
})

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const notes = ({ from, guards: ids = [], note, opensReturn, to }) =>
  [
    ...ids.map((id) => `\`${id}\``),
    ...(from === to || opensReturn || stockOnReaching[to] === undefined ? [] : [`stock: ${stockOnReaching[to]}`]),
    ...(note === undefined ? [] : [note])
  ].join("; ")

const label = ({ operation }) => operation.split(",")[0].split(" ")[0]

const arrows = new Map()
for (const move of moves) {
  if (move.from === move.to) continue
  const arrow = `${move.from} --> ${move.to}`
  arrows.set(arrow, new Set([...(arrows.get(arrow) ?? []), move.opensReturn ? "opens a new shipment" : label(move)]))
}
const final = statuses.filter((from) =>
  moves.every((move) => move.from !== from || move.from === move.to || move.opensReturn)
)

const diagram = [
  "stateDiagram-v2",
  "  [*] --> placed",
  ...[...arrows].map(([arrow, labels]) => `  ${arrow} : ${[...labels].join(", ")}`),
  ...final.map((status) => `  ${status} --> [*]`)
].join("\n")

const shown = (status) => {
  const order = orderStatuses[status]
  return typeof order === "string"
    ? [[order, status]]
    : [
        [order.wayOut, `${status} (on the way out)`],
        [order.wayBack, `${status} (on the way back)`]
      ]
}
const mapping = statuses.flatMap(shown)
const cases = [...new Set(Object.values(rejectionCodes).flatMap((codes) => Object.keys(codes)))]

const text = `<!-- Made by scripts/lifecycle-docs.mjs from packages/shipments. Change the data, then npm run docs. -->

# The shipment lifecycle

\`\`\`mermaid
${diagram}
\`\`\`

## Moves

The table lists all allowed moves. Any other move is rejected. Reporting the current status by the status operation
succeeds and changes nothing. A locked shipment rejects every move with \`SHIPMENT_LOCKED\`. [Shipments](shipments.md)
explains the operations. The column Notes has the [conditions](#conditions) of a move, its effect on
[stock](shipments.md#stock), and its other effects. The [glossary](../guides/glossary.md) defines AWB and QC.

${table(
  ["From", "Operation", "To", "Who", "Notes"],
  moves.map((move) => [move.from, move.operation, move.to, move.who, notes(move)])
)}

## Conditions

${table(
  ["Condition", "Reason in the message", "Column of its code"],
  Object.entries(guards).map(([id, guard]) => [
    `\`${id}\``,
    typeof guard.reason === "string" ? guard.reason : guard.reason({ item: "…", left: "…", requested: "…" }),
    guard.rejectedAs
  ])
)}

## What a seller reads

${table(
  ["Order status", "Operational statuses"],
  orderStatusValues.map((order) => [
    order,
    mapping.flatMap(([one, status]) => (one === order ? [status] : [])).join(", ")
  ])
)}

## Codes per operation

The columns are the reasons for which a move can be rejected. If a cell is empty, the operation answers its code for
wrongStatus. [Errors](errors.md#shipment-codes) explains each code.

${table(
  ["Operation", ...cases],
  Object.entries(rejectionCodes).map(([family, codes]) => [family, ...cases.map((one) => codes[one] ?? "")])
)}
`

export const documents = { "docs/reference/lifecycle.md": text }
