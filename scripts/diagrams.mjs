/** Draws Mermaid flowcharts as SVG. It reads `a --> b & c`, `a -- text --> b` and `a[Label]`. */
import { escaped } from "./markdown.mjs"

const rowHeight = 46
const boxHeight = 30
const widthOf = (label) => label.length * 7.4 + 20

const parsed = (source) => {
  const [, direction] = /^flowchart (LR|TB)/.exec(source)
  const labels = new Map()
  const edges = []
  const nodeOf = (text) => {
    const [, id, label] = /^([\w-]+)(?:\["?(.*?)"?\])?$/.exec(text.trim())
    if (label !== undefined || !labels.has(id)) labels.set(id, label ?? id)
    return id
  }
  for (const line of source.split("\n").slice(1)) {
    const [, from, text, to] = /^\s*(.+?) (?:-- (.+?) )?--> (.+)$/.exec(line) ?? []
    if (from === undefined) continue
    for (const end of to.split("&")) edges.push({ from: nodeOf(from), to: nodeOf(end), text })
  }
  return { direction, edges, labels }
}

/** The layer of each node: the length of the longest path to it. */
const layersOf = ({ edges, labels }) => {
  const layer = new Map([...labels.keys()].map((id) => [id, 0]))
  for (const _ of labels) for (const { from, to } of edges) layer.set(to, Math.max(layer.get(to), layer.get(from) + 1))
  // A node without incoming arrows is moved next to its targets.
  for (const id of labels.keys()) {
    const next = edges.filter(({ from }) => from === id).map(({ to }) => layer.get(to) - 1)
    if (next.length > 0 && edges.every(({ to }) => to !== id)) layer.set(id, Math.min(...next))
  }
  return layer
}

/** The places of nodes and arrows. An arrow over several layers has a place in each of them. */
const placesOf = (graph) => {
  const layer = layersOf(graph)
  const columns = []
  const put = (id, at) => {
    columns[at] ??= []
    columns[at].push(id)
    return id
  }
  for (const [id, at] of layer) put(id, at)
  const ways = graph.edges.map(({ from, to, text }, nth) => {
    const between = []
    for (let at = layer.get(from) + 1; at < layer.get(to); at++) between.push(put(`${nth}.${at}`, at))
    return { text, points: [from, ...between, to] }
  })
  const links = ways.flatMap(({ points }) => points.slice(1).map((to, at) => [points[at], to]))
  for (let round = 0; round < 12; round++) {
    const position = new Map(columns.flatMap((ids) => ids.map((id, at) => [id, at - ids.length / 2])))
    const mean = (id) => {
      const near = links.flatMap(([a, b]) => (a === id ? [position.get(b)] : b === id ? [position.get(a)] : []))
      return near.length === 0 ? position.get(id) : near.reduce((sum, one) => sum + one, 0) / near.length
    }
    for (const ids of columns) ids.sort((a, b) => mean(a) - mean(b))
  }
  return { columns, rows: rowsOf(columns, links), ways }
}

/** The row of each place. It is near the rows of the place's neighbours. All places of a column have different rows. */
const rowsOf = (columns, links) => {
  const most = Math.max(...columns.map((ids) => ids.length))
  const row = new Map(columns.flatMap((ids) => ids.map((id, at) => [id, at + (most - ids.length) / 2])))
  for (let round = 0; round < 20; round++) {
    for (const ids of columns) {
      const wanted = ids.map((id) => {
        const near = links.flatMap(([a, b]) => (a === id ? [row.get(b)] : b === id ? [row.get(a)] : []))
        return near.length === 0 ? row.get(id) : near.reduce((sum, one) => sum + one, 0) / near.length
      })
      // From the top, each place gets the row that it wants or the next free one. Then low places move up.
      const taken = []
      for (const at of wanted) taken.push(Math.max(at, taken.length === 0 ? 0 : taken.at(-1) + 1))
      for (let at = taken.length - 1, lowest = most - 1; at >= 0; at--, lowest = taken[at + 1] - 1)
        taken[at] = Math.min(taken[at], lowest)
      ids.forEach((id, at) => {
        row.set(id, taken[at])
      })
    }
  }
  return row
}

export const svgOf = (source, title) => {
  const graph = parsed(source)
  const { columns, rows, ways } = placesOf(graph)
  const widths = columns.map((ids) =>
    Math.max(...ids.map((id) => (graph.labels.has(id) ? widthOf(graph.labels.get(id)) : 0)))
  )
  const isDown = graph.direction === "TB"
  const most = Math.max(...columns.map((ids) => ids.length))
  const widest = Math.max(...widths)
  const at = new Map()
  const size = { width: 0, height: 0 }
  let offset = 8
  columns.forEach((ids, nth) => {
    ids.forEach((id) => {
      const across = (rows.get(id) + 0.5) * (isDown ? widest + 24 : rowHeight) + 4
      const width = graph.labels.has(id) ? widthOf(graph.labels.get(id)) : 0
      at.set(
        id,
        isDown ? { x: across, y: offset + boxHeight / 2, width } : { x: offset + widths[nth] / 2, y: across, width }
      )
    })
    offset += isDown ? boxHeight + 34 : widths[nth] + 54
  })
  size.width = isDown ? most * (widest + 24) + 8 : offset - 46
  size.height = isDown ? offset - 26 : most * rowHeight + 8
  const start = ({ width, x, y }) => (isDown ? [x, width === 0 ? y : y + boxHeight / 2] : [x + width / 2, y])
  const end = ({ width, x, y }) => (isDown ? [x, width === 0 ? y : y - boxHeight / 2] : [x - width / 2, y])
  const curve = (from, to) => {
    const [[a, b], [c, d]] = [start(at.get(from)), end(at.get(to))]
    return isDown
      ? `C${a} ${(b + d) / 2} ${c} ${(b + d) / 2} ${c} ${d}`
      : `C${(a + c) / 2} ${b} ${(a + c) / 2} ${d} ${c} ${d}`
  }
  const arrows = ways.map(({ points, text }) => {
    const [x, y] = start(at.get(points[0]))
    const path = points
      .slice(1)
      .map((to, nth) => curve(points[nth], to))
      .join("")
    const [c, d] = end(at.get(points.at(-1)))
    const label =
      text === undefined
        ? ""
        : `<text class="label" x="${isDown ? (x + c) / 2 + 6 : (x + c) / 2}" y="${isDown ? (y + d) / 2 + 4 : (y + d) / 2 - 5}"${isDown ? ' text-anchor="start"' : ""}>${escaped(text)}</text>`
    return `<path class="arrow" marker-end="url(#arrow)" d="M${x} ${y}${path}"/>${label}`
  })
  const boxes = [...graph.labels].map(([id, label]) => {
    const { width, x, y } = at.get(id)
    return `<rect class="box" x="${x - width / 2}" y="${y - boxHeight / 2}" width="${width}" height="${boxHeight}" rx="6"/><text x="${x}" y="${y + 4}">${escaped(label)}</text>`
  })
  const [width, height] = [Math.ceil(size.width), Math.ceil(size.height)]
  return `<svg class="diagram" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}"><defs><marker id="arrow" viewBox="0 0 6 6" refX="6" refY="3" markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 6 3 0 6z"/></marker></defs>${arrows.join("")}${boxes.join("")}</svg>`
}
