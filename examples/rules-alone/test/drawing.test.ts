/** Tests the drawing of the lifecycle by its SVG text. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict"
import { Lifecycle, operationalStatuses } from "@crossdock/shipments"
import { describe, it } from "vitest"
import { svg } from "../src/Drawing.ts"
import { movesFrom } from "../src/Moves.ts"

interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const boxes = new Map(
  [...svg.matchAll(/data-status="(\w+)".*?<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, status = "", ...numbers]): [string, Area] => {
      const [left = 0, top = 0, width = 0, height = 0] = numbers.map(Number)
      return [status, { left, right: left + width, top, bottom: top + height }]
    }
  )
)

const paths = [...svg.matchAll(/data-from="(\w+)" data-to="(\w+)"[^>]* d="([^"]+)"><title>([^<]+)/g)].map(
  ([, from = "", to = "", d = "", title = ""]) => ({ from, to, d, title })
)

const overlap = (one: Area, other: Area) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** The straight parts of a path, as areas without width. */
const partsOf = (d: string): ReadonlyArray<Area> => {
  const parts: Array<Area> = []
  let [x, y] = [0, 0]
  for (const [, command = "", numbers = ""] of d.matchAll(/([MHVhv])([-\d. ]+)/g)) {
    const [value = 0, second = 0] = numbers.trim().split(" ").map(Number)
    const [nextX, nextY] = {
      M: [value, second],
      H: [value, y],
      V: [x, value],
      h: [x + value, y],
      v: [x, y + value]
    }[command] ?? [x, y]
    if (command !== "M") {
      const [left, right] = [Math.min(x, nextX as number), Math.max(x, nextX as number)]
      parts.push({ left, right, top: Math.min(y, nextY as number), bottom: Math.max(y, nextY as number) })
    }
    ;[x, y] = [nextX as number, nextY as number]
  }
  return parts
}

describe("The drawing of the lifecycle", () => {
  it("has a box for every status, which shows its name", () => {
    deepStrictEqual([...boxes.keys()], [...operationalStatuses])
    const names = [...svg.matchAll(/<text>(.*?)<\/text>/g)].map(([, text = ""]) => text.replaceAll(/<[^>]+>/g, ""))
    deepStrictEqual(names, [...operationalStatuses])
  })

  it("has every move of the table, and no other", () => {
    const table = operationalStatuses.flatMap((from) => {
      const { status = {}, ...operations }: Lifecycle.Row = Lifecycle.transitions[from]
      const targets = [...Object.values(operations).map(({ to }) => to), ...Object.keys(status)]
      return targets.map((to) => `${from} ${to}`)
    })
    deepStrictEqual(paths.map(({ from, to }) => `${from} ${to}`).sort(), [...new Set(table)].sort())
    for (const { from, title, to } of paths) {
      const names = movesFrom(from as "placed").flatMap((move) => (move.to === to ? move.name : []))
      strictEqual(title, `${from} to ${to}: ${names.join(", ")}`)
    }
  })

  it("has dashed arrows where a return is opened, which is a new shipment", () => {
    const dashed = [...svg.matchAll(/class="move back opens" data-from="(\w+)" data-to="(\w+)"/g)]
    deepStrictEqual(
      dashed.map(([, from, to]) => `${from} ${to}`),
      ["handed_over_to_customer return_initiated", "delivery_done return_initiated"]
    )
  })

  it("has no two boxes that overlap, and no arrow that runs through a box", () => {
    const areas = [...boxes]
    for (const [status, area] of areas) {
      for (const [other, otherArea] of areas) ok(status === other || !overlap(area, otherArea), `${status} ${other}`)
      for (const { d, from, to } of paths) {
        for (const part of partsOf(d)) ok(!overlap(part, area), `${from} to ${to} runs through ${status}`)
      }
    }
  })

  it("has no arrows to different statuses that share a stretch", () => {
    const shareStretch = (one: Area, other: Area) =>
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0 ||
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0
    const isCrossing = (one: Area, other: Area) => (one.left === one.right) !== (other.left === other.right)
    const touch = (one: Area, other: Area) =>
      one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom
    const all = paths.flatMap(({ d, from, to }) => partsOf(d).map((part) => ({ name: `${from} to ${to}`, part, to })))
    for (const { name, part, to } of all) {
      for (const other of all) {
        const isShared = to !== other.to && touch(part, other.part) && !isCrossing(part, other.part)
        ok(!isShared || !shareStretch(part, other.part), `${name} and ${other.name}`)
      }
    }
  })

  it("has arrows that begin and end at their boxes", () => {
    const touches = (area: Area | undefined, x: number, y: number) =>
      area !== undefined && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom
    for (const { d, from, to } of paths) {
      const [, x = 0, y = 0] = /M([\d.]+) ([\d.]+)/.exec(d)?.map(Number) ?? []
      ok(touches(boxes.get(from), x, y), `${from} to ${to} begins elsewhere`)
      const end = partsOf(d).at(-1)
      const ends =
        end === undefined
          ? []
          : [end.left, end.right].flatMap((at) => [
              [at, end.top],
              [at, end.bottom]
            ])
      ok(
        ends.some(([endX = 0, endY = 0]) => touches(boxes.get(to), endX, endY)),
        `${from} to ${to} ends elsewhere`
      )
    }
  })
})
