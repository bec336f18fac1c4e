/**
 * The lifecycle as SVG. It has a box for each status, and an arrow for each pair of statuses with a move between them. All
 * arrows to one status share a line between two columns.
 */
import { type OperationalStatus, operationalStatuses } from "@crossdock/shipments"
import { type Move, moves } from "./Moves.ts"

/** The part of the lifecycle that a status belongs to: on the way to the customer, on the way back, cancelled, or lost. */
export type Way = "forward" | "back" | "cancelled" | "lost"

type Column = 0 | 1 | 2

/** The column, the row and the way of each status. If a new status has no place here, the program doesn't compile. */
const places: Readonly<Record<OperationalStatus, readonly [Column, number, Way]>> = {
  placed: [1, 0, "forward"],
  bag_confirmed: [1, 1, "forward"],
  bag_invoiced: [1, 2, "forward"],
  dp_assigned: [1, 3, "forward"],
  bag_packed: [1, 4, "forward"],
  bag_picked: [1, 5, "forward"],
  out_for_delivery: [1, 6, "forward"],
  delivery_done: [1, 7, "forward"],
  handed_over_to_customer: [0, 5, "forward"],
  delivery_reattempt_requested: [2, 5, "forward"],
  delivery_attempt_failed: [2, 6, "forward"],
  rejected_by_customer: [2, 7, "back"],
  rto_in_transit: [2, 8, "back"],
  rto_bag_delivered: [2, 9, "back"],
  return_initiated: [0, 6, "back"],
  return_dp_assigned: [0, 7, "back"],
  return_bag_in_transit: [0, 8, "back"],
  return_bag_delivered: [0, 9, "back"],
  return_accepted: [1, 10, "back"],
  credit_note_generated: [1, 11, "back"],
  bag_lost: [1, 9, "lost"],
  deadstock: [1, 12, "lost"],
  cancelled_customer: [0, 1, "cancelled"],
  cancelled_seller: [0, 3, "cancelled"]
}

const box = { width: 96, height: 44 }
const margin = 8
/** The height of a self-loop above its box. */
const loop = 9
const rowHeight = 64
const trackWidth = 7

type Side = "left" | "right"

interface Arrow {
  readonly from: OperationalStatus
  readonly to: OperationalStatus
  readonly moves: ReadonlyArray<Move>
}

const arrows: ReadonlyArray<Arrow> = [...Map.groupBy(moves, ({ from, to }) => `${from} ${to}`).values()].flatMap(
  (group) => group.slice(0, 1).map(({ from, to }) => ({ from, to, moves: group }))
)

/** Whether an arrow is a straight line: one box is above the other, with no box between them. */
const isDirect = ({ from, to }: Arrow): boolean => {
  const [[column, start], [otherColumn, end]] = [places[from], places[to]]
  const [first, last] = [Math.min(start, end), Math.max(start, end)]
  const isBetween = ([at, row]: (typeof places)[OperationalStatus]) => at === column && row > first && row < last
  return column === otherColumn && start !== end && !Object.values(places).some(isBetween)
}

/** The gap between columns in which an arrow runs: 0 is the left gap, and 1 the right gap. */
const gapOf = ({ from, to }: Arrow): 0 | 1 => {
  const [[column], [otherColumn]] = [places[from], places[to]]
  return column + otherColumn <= 1 ? 0 : 1
}

const sideAt = (status: OperationalStatus, gap: 0 | 1): Side => (places[status][0] === gap ? "right" : "left")

/** The arrows to one status in one gap. They share a vertical line on a track. */
interface Line {
  readonly gap: 0 | 1
  readonly to: OperationalStatus
  readonly arrows: ReadonlyArray<Arrow>
  readonly rows: readonly [number, number]
  readonly track: number
}

const bundled = arrows.filter((arrow) => arrow.from !== arrow.to && !isDirect(arrow))

/** The lines. Each has the first track that is free over its rows. */
const lines: Array<Line> = []
for (const group of Map.groupBy(bundled, (arrow) => `${gapOf(arrow)} ${arrow.to}`).values()) {
  const [first] = group
  if (first === undefined) continue
  const gap = gapOf(first)
  const rows = [...group.map(({ from }) => places[from][1]), places[first.to][1]]
  const [top, bottom] = [Math.min(...rows), Math.max(...rows)]
  const near = lines.filter((one) => one.gap === gap && one.rows[0] <= bottom && one.rows[1] >= top)
  const used = new Set(near.map(({ track }) => track))
  let track = 0
  while (used.has(track)) track++
  lines.push({ gap, to: first.to, arrows: group, rows: [top, bottom], track })
}

const tracksIn = (gap: 0 | 1): number =>
  lines.reduce((most, line) => (line.gap === gap ? Math.max(most, line.track + 1) : most), 0)

const gapWidths = [0, 1].map((gap) => (tracksIn(gap as 0 | 1) + 2) * trackWidth) as [number, number]
const columnAt = [
  margin,
  margin + box.width + gapWidths[0],
  margin + 2 * box.width + gapWidths[0] + gapWidths[1]
] as const

const width = columnAt[2] + box.width + margin
const height = 2 * margin + loop + Math.max(...Object.values(places).map(([, row]) => row)) * rowHeight + box.height

/** The position of a status's box. */
export const boxOf = (status: OperationalStatus) => {
  const [column, row] = places[status]
  return { x: columnAt[column], y: margin + loop + row * rowHeight, ...box }
}

const touches = ({ arrows, to }: Line, row: number): boolean =>
  [to, ...arrows.map(({ from }) => from)].some((status) => places[status][1] === row)

/**
 * The height at which a line touches a box. The boxes on both sides of a gap share these heights, so no two lines meet at one.
 */
const portAt = (status: OperationalStatus, line: Line): number => {
  const touching = lines.filter((one) => one.gap === line.gap && touches(one, places[status][1]))
  return boxOf(status).y + (box.height * (touching.indexOf(line) + 1)) / (touching.length + 1)
}

const edgeAt = (status: OperationalStatus, gap: 0 | 1): number =>
  boxOf(status).x + (sideAt(status, gap) === "right" ? box.width : 0)

const directPath = ({ from, to }: Arrow): string => {
  const [start, end] = [boxOf(from), boxOf(to)]
  const x = start.x + box.width / 2
  return start.y < end.y ? `M${x} ${start.y + box.height}V${end.y}` : `M${x} ${start.y}V${end.y + box.height}`
}

const loopPath = ({ from }: Arrow): string => {
  const { x, y } = boxOf(from)
  return `M${x + box.width - 22} ${y}v-${loop}h14v${loop}`
}

const linePath = (line: Line, { from, to }: Arrow): string => {
  const gapStart = columnAt[line.gap] + box.width
  const x = gapStart + (line.track + 1.5) * trackWidth
  return `M${edgeAt(from, line.gap)} ${portAt(from, line)}H${x}V${portAt(to, line)}H${edgeAt(to, line.gap)}`
}

const pathOf = (arrow: Arrow): string => {
  if (arrow.from === arrow.to) return loopPath(arrow)
  const line = lines.find((one) => one.arrows.includes(arrow))
  return line === undefined ? directPath(arrow) : linePath(line, arrow)
}

/** A status in as few lines as possible. A line has at most 14 characters and ends after an underscore. */
const wrapped = (status: string): ReadonlyArray<string> => status.match(/.{1,14}(?<=_|$)/g) ?? [status]

const arrowSvg = (arrow: Arrow): string => {
  const { from, moves, to } = arrow
  const way = moves.some(({ opensReturn }) => opensReturn) ? "back opens" : places[to][2]
  const title = `${from} to ${to}: ${moves.map(({ name }) => name).join(", ")}`
  return `<path class="move ${way}" data-from="${from}" data-to="${to}" marker-end="url(#head)" d="${pathOf(arrow)}"><title>${title}</title></path>`
}

const boxSvg = (status: OperationalStatus): string => {
  const { height, width, x, y } = boxOf(status)
  const words = wrapped(status)
  const top = y + height / 2 + 4 - (words.length - 1) * 6.5
  const text = words.map((word, at) => `<tspan x="${x + width / 2}" y="${top + at * 13}">${word}</tspan>`).join("")
  return `<g class="status ${places[status][2]}" data-status="${status}" role="button" tabindex="0" aria-pressed="false" aria-label="${status}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/><text>${text}</text></g>`
}

/** The whole drawing. The page defines the colors, with a class for each way. */
export const svg = `<svg viewBox="0 0 ${width} ${height}" role="group" aria-label="Shipment lifecycle"><defs><marker id="head" viewBox="0 0 6 6" refX="6" refY="3" markerUnits="userSpaceOnUse" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 6 3 0 6z" fill="context-stroke"/></marker></defs>${arrows.map(arrowSvg).join("")}${operationalStatuses.map(boxSvg).join("")}</svg>`
