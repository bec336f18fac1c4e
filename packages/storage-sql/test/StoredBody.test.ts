import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as StoredBody from "../src/StoredBody.ts"

interface Parcel {
  readonly id: string
  readonly grams: number
  readonly note?: string
}

const fields = { id: true, grams: true } as const

const first = StoredBody.make<Parcel>({ name: "parcel", fields })

/** Version 1 had kilograms, version 2 had grams as text. */
const third = StoredBody.make<Parcel>({
  name: "parcel",
  fields,
  upcasters: [
    ({ kilograms, ...rest }) => ({ ...rest, grams: String(Number(kilograms) * 1000) }),
    ({ grams, ...rest }) => ({ ...rest, grams: Number(grams) })
  ]
})

const messageOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    return error instanceof StoredBody.UnreadableBody ? error.message : String(error)
  }
  return "it was read"
}

describe("A stored body", () => {
  it("is read as it was written, in its first version without a number", () => {
    const parcel = { id: "p1", grams: 7, note: "v" }
    strictEqual(first.write(parcel), JSON.stringify(parcel))
    deepStrictEqual(first.read(first.write(parcel), "p1"), parcel)
    deepStrictEqual(third.read(third.write(parcel), "p1"), parcel)
    strictEqual(third.write(parcel).includes('"v":3'), true)
  })

  it("of each earlier version is brought up to date, step by step", () => {
    deepStrictEqual(third.read('{"id":"p1","kilograms":2}', "p1"), { id: "p1", grams: 2000 })
    deepStrictEqual(third.read('{"v":2,"id":"p1","grams":"2000"}', "p1"), { id: "p1", grams: 2000 })
  })

  it("that can't be read is an error that names the record and the reason, and nothing else of it", () => {
    const why = (text: string) =>
      messageOf(() => third.read(text, "p1")).replace("The stored parcel p1 can't be read: ", "")
    deepStrictEqual(
      ['{"id":"secret"', "[]", "7", '{"v":4,"id":"secret","grams":1}', '{"v":"2","id":"secret"}'].map(why),
      [
        "it is no JSON object",
        "it is no JSON object",
        "it is no JSON object",
        "it has version 4, and this release knows 3",
        "it has version 2, and this release knows 3"
      ]
    )
    strictEqual(
      messageOf(() => first.read('{"id":"secret"}', "p1")),
      "The stored parcel p1 can't be read: it has no grams"
    )
  })
})
