/** The lifecycle as a drawing, from the host's table: the way of a shipment, where it is, and where it may go. */
import type { About } from "@crossdock/console"
import { html, wordsOf } from "./parts.ts"

const [width, height, besides, below] = [116, 38, 34, 16]

/** The columns: to the customer, back, and ends. Statuses that a host adds are in the first. */
const columns = [/^/, /^(return|rto|rejected)/, /^(cancelled|bag_lost|deadstock|credit)/]

const columnOf = (status: string) => columns.findLastIndex((pattern) => pattern.test(status))

/** The place of each status. The second column begins lower, since shipments turn back late; ends come last first. */
const placesOf = (statuses: ReadonlyArray<string>) => {
  const next = [0, 3, 0]
  const ends = statuses.filter((status) => columnOf(status) === 2).reverse()
  return new Map(
    [...statuses.filter((status) => columnOf(status) < 2), ...ends].map((status) => {
      const column = columnOf(status)
      const row = next[column] ?? 0
      next[column] = row + 1
      return [status, { column, row, x: 30 + column * (width + besides), y: 4 + row * (height + below) }]
    })
  )
}

type Place = { readonly column: number; readonly row: number; readonly x: number; readonly y: number }

const lineOf = (from: Place, to: Place): string => {
  const [start, end] = [from.y + height / 2, to.y + height / 2]
  if (from.column !== to.column) {
    const [out, into] = from.column < to.column ? [from.x + width, to.x] : [from.x, to.x + width]
    const middle = (out + into) / 2
    return `M${out} ${start}C${middle} ${start} ${middle} ${end} ${into} ${end}`
  }
  if (to.row === from.row + 1) return `M${from.x + width / 2} ${from.y + height}V${to.y}`
  const bulge = from.x - Math.min(28, 8 + 4 * Math.abs(to.row - from.row))
  return `M${from.x} ${start}C${bulge} ${start} ${bulge} ${end} ${to.x} ${end}`
}

/** `past` are the statuses that the shipment has had, in order. */
export const drawing = ({ moves, statuses }: About, past: ReadonlyArray<string>, now: string) => {
  const places = placesOf(statuses)
  const next = [...new Set(moves.flatMap(({ from, to }) => (from === now && to !== now ? [to] : [])))]
  const went = new Set(past.slice(1).map((to, at) => `${past[at]} ${to}`))
  const arrow = (wanted: string) =>
    [...new Map(moves.map((move) => [`${move.from} ${move.to}`, move])).values()].map(({ from, to }) => {
      const kind = went.has(`${from} ${to}`) ? "went" : from === now ? "may" : "other"
      const [start, end] = [places.get(from), places.get(to)]
      if (kind !== wanted || start === undefined || end === undefined || from === to) return ""
      return html`<path class="arrow ${kind}" d=${lineOf(start, end)} marker-end=${kind === "other" ? null : "url(#head)"} />`
    })
  const box = ([status, { x, y }]: readonly [string, Place]) => {
    const kind = status === now ? "now" : past.includes(status) ? "past" : next.includes(status) ? "next" : "other"
    const words = wordsOf(status).match(/.{1,17}(?= |$)/g) ?? [status]
    const lineAt = (at: number) => y + height / 2 + 4 + (at - (words.length - 1) / 2) * 12
    return html`<g class="box ${kind}"><rect x=${x} y=${y} width=${width} height=${height} rx="6" />
      ${words.map((word, at) => html`<text x=${x + width / 2} y=${lineAt(at)}>${word}</text>`)}</g>`
  }
  const bottom = Math.max(...[...places.values()].map(({ y }) => y)) + height + 6
  const said = `Before: ${past.slice(0, -1).map(wordsOf).join(", ") || "nothing"}. Now: ${wordsOf(now)}. Next: ${next.map(wordsOf).join(", ") || "nothing"}.`
  return html`<svg class="drawing" viewBox="0 0 ${34 + 3 * width + 2 * besides} ${bottom}" role="img" aria-label=${said}>
    <defs><marker id="head" viewBox="0 0 6 6" refX="6" refY="3" markerUnits="userSpaceOnUse" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0 6 3 0 6z" /></marker></defs>
    ${["other", "went", "may"].map(arrow)}${[...places].map(box)}
  </svg>`
}
