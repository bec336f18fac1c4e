/** Draws the pictures of docs/guides/concepts.md: the interfaces, and the paths of a shipment. */
import { readFileSync } from "node:fs"
import { MarketplaceApi, OperatorApi, PlatformApi, SellerApi } from "@crossdock/http"
import { Lifecycle, orderStatuses } from "@crossdock/shipments"
import { OpenApi } from "effect/http-api"

const page = "docs/guides/concepts.md"

const way = [
  "placed",
  "bag_confirmed",
  "bag_invoiced",
  "dp_assigned",
  "bag_packed",
  "bag_picked",
  "out_for_delivery",
  "delivery_done"
]
const back = [
  "delivery_done",
  "return_initiated",
  "return_dp_assigned",
  "return_bag_in_transit",
  "return_bag_delivered",
  "return_accepted",
  "credit_note_generated"
]

const chart = (direction, lines) =>
  `\`\`\`mermaid\nflowchart ${direction}\n${lines.map((line) => `  ${line}`).join("\n")}\n\`\`\``

/** The name of the move between two statuses. It is an operation, or a report of the second status. */
const moveOf = (from, to) => {
  const { status = {}, ...operations } = Lifecycle.transitions[from]
  const found = Object.entries(operations).find(([, move]) => move.to === to)
  if (found !== undefined) return Lifecycle.operations[found[0]].name
  if (status[to] === undefined) throw new Error(`The lifecycle has no move from ${from} to ${to}`)
  return `status ${to}`
}

const shown = (status, side) => {
  const order = orderStatuses[status]
  return `${status}["${status} (${typeof order === "string" ? order : order[side]})"]`
}

const chain = (statuses, side) =>
  chart(
    "TB",
    statuses
      .slice(1)
      .map((to, at) => `${shown(statuses[at], side)} -- ${moveOf(statuses[at], to)} --> ${shown(to, side)}`)
  )

const interfaces = Object.entries({
  seller: SellerApi,
  marketplace: MarketplaceApi,
  platform: PlatformApi,
  operator: OperatorApi
}).map(
  ([name, api]) =>
    `${name} --> ${OpenApi.fromApi(api)
      .tags.filter((tag) => !/^(Authorization|Document links)$/.test(tag.name))
      .map((tag) => `${name}-${tag.name.replaceAll(/\W/g, "")}["${tag.name}"]`)
      .join(" & ")}`
)

const drawings = { interfaces: chart("LR", interfaces), way: chain(way, "wayOut"), back: chain(back, "wayBack") }

const written = Object.entries(drawings).reduce(
  (text, [name, drawing]) =>
    text.replace(
      new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`),
      () => `<!-- ${name} -->\n\n${drawing}\n\n<!-- /${name} -->`
    ),
  readFileSync(new URL(`../${page}`, import.meta.url), "utf8")
)

export const documents = { [page]: written }
