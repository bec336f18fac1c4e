import { StoredBody } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"

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

  it("without a field is an error, even when it is the first that is read", () => {
    const empty = StoredBody.make<Parcel>({ name: "parcel", fields })
    strictEqual(
      messageOf(() => empty.read("{}", "p1")),
      "The stored parcel p1 can't be read: its id is missing or malformed"
    )
  })

  it("of each earlier version is brought up to date, step by step", () => {
    deepStrictEqual(third.read('{"id":"p1","kilograms":2}', "p1"), { id: "p1", grams: 2000 })
    deepStrictEqual(third.read('{"v":2,"id":"p1","grams":"2000"}', "p1"), { id: "p1", grams: 2000 })
  })

  it("that can't be read is an error that names the record and the reason, and nothing else of it", () => {
    const why = (text: string) =>
      messageOf(() => third.read(text, "p1")).replace("The stored parcel p1 can't be read: ", "")
    deepStrictEqual(
      [
        '{"id":"secret"',
        "[]",
        "7",
        '{"v":4,"id":"secret","grams":1}',
        '{"v":"secret","id":"p1"}',
        '{"v":0,"id":"secret"}',
        '{"v":3,"id":"secret"}'
      ].map(why),
      [
        "it is not a JSON object",
        "it is not a JSON object",
        "it is not a JSON object",
        "it has version 4, and this release knows 3",
        "its version is not a whole number from 1",
        "its version is not a whole number from 1",
        "its grams is missing or malformed"
      ]
    )
    strictEqual(
      messageOf(() => first.read('{"id":"secret"}', "p1")),
      "The stored parcel p1 can't be read: its grams is missing or malformed"
    )
    strictEqual(
      messageOf(() => first.read('{"v":2,"id":"secret","grams":1}', "p1")),
      "The stored parcel p1 can't be read: it has version 2, and this release knows 1"
    )
  })

  it("whose older version is damaged, so that it can't be upgraded, is named too", () => {
    const sealed = StoredBody.make<Parcel>({
      name: "parcel",
      fields,
      upcasters: [({ weight }) => ({ id: "p1", grams: JSON.parse(String(weight)) })]
    })
    deepStrictEqual(sealed.read('{"weight":"7"}', "p1"), { id: "p1", grams: 7 })
    strictEqual(
      messageOf(() => sealed.read('{"weight":"secret"}', "p1")),
      "The stored parcel p1 can't be read: it can't be brought from version 1 to 2"
    )
  })

  it("is judged in its lists and inner objects, wherever a part was lost, after any number of whole ones", () => {
    interface Pallet {
      readonly id: string
      readonly parcels: ReadonlyArray<Parcel>
      readonly sender: { readonly name: string; readonly phone: string | null } | null
    }
    const pallets = StoredBody.make<Pallet>({
      name: "pallet",
      fields: { id: true, parcels: [fields], sender: { name: true, phone: true } }
    })
    const whole: ReadonlyArray<Pallet> = [
      { id: "a", parcels: [], sender: null },
      { sender: { name: "n", phone: null }, id: "b", parcels: [{ id: "p", grams: 1 }] },
      { id: "c", parcels: [{ note: "v", grams: 1, id: "p" }], sender: null }
    ]
    const broken = [
      { parcels: [{ id: "p", grams: 1 }, { id: "secret" }] },
      { parcels: [7] },
      { parcels: {} },
      { parcels: undefined },
      { sender: { name: "secret" } },
      { sender: [] },
      { sender: "secret" },
      { id: undefined }
    ]
    for (const one of whole) {
      deepStrictEqual(pallets.read(pallets.write(one), one.id), one)
      deepStrictEqual(
        broken.map((change) => messageOf(() => pallets.read(JSON.stringify({ ...one, ...change }), "p1"))),
        ["parcels[1].grams", "parcels[0]", "parcels", "parcels", "sender.phone", "sender", "sender", "id"].map(
          (path) => `The stored pallet p1 can't be read: its ${path} is missing or malformed`
        )
      )
    }
  })
})

describe("A stored body with a union in it", () => {
  type Seal = { readonly code: string } | { readonly number: number; readonly maker: { readonly name: string } | null }
  const boxes = StoredBody.make<{ readonly seal: Seal | null }>({
    name: "box",
    fields: { seal: new StoredBody.OneOf<Seal>([{ code: true }, { number: true, maker: { name: true } }]) }
  })

  it("is read when it has all fields of one member, or null", () => {
    const seals = [{ code: "c" }, { number: 1, maker: null }, { number: 2, maker: { name: "n" } }, null]
    for (const seal of [...seals, ...seals]) deepStrictEqual(boxes.read(boxes.write({ seal }), "b"), { seal })
  })

  it("is an error when it has those of none, which names what the last member lacks", () => {
    const seals = [{}, { number: 1 }, { maker: null }, { number: 1, maker: {} }, { number: 1, maker: [] }, [], 7]
    deepStrictEqual(
      seals.map((seal) => messageOf(() => boxes.read(JSON.stringify({ seal }), "b"))),
      ["seal.number", "seal.maker", "seal.number", "seal.maker.name", "seal.maker", "seal", "seal"].map(
        (path) => `The stored box b can't be read: its ${path} is missing or malformed`
      )
    )
  })
})

describe("A stored list", () => {
  const parcels = StoredBody.makeList<Parcel>({ name: "parcels of pallet", fields })
  const numbers = StoredBody.makeList<number>({ name: "numbers of pallet" })

  it("is read as it was written", () => {
    const list = [{ id: "p1", grams: 7 }]
    deepStrictEqual(parcels.read(parcels.write(list), 1), list)
    deepStrictEqual(numbers.read(numbers.write([1, 2]), 1), [1, 2])
  })

  it("that can't be read is named as any body is", () => {
    deepStrictEqual(
      ['{"v":2,"id":"secret"}', '["secret', '[{"id":"secret"}]'].map((text) => messageOf(() => parcels.read(text, 1))),
      ["it is not a JSON array", "it is not a JSON array", "its [0].grams is missing or malformed"].map(
        (why) => `The stored parcels of pallet 1 can't be read: ${why}`
      )
    )
    strictEqual(
      messageOf(() => numbers.read("{}", 1)),
      "The stored numbers of pallet 1 can't be read: it is not a JSON array"
    )
  })
})
