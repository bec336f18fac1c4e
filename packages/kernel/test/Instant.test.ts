import { Instant } from "@crossdock/kernel"
import { describe, it } from "@effect/vitest"
import { assertTrue, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { prop } from "./prop.ts"

const two = (n: number): string => String(n).padStart(2, "0")
const upTo = (max: number) => FastCheck.integer({ min: 0, max })

/** Dates and times that may exist or not, with their offsets in minutes. */
const written = FastCheck.tuple(
  upTo(9999),
  upTo(13),
  upTo(32),
  upTo(25),
  upTo(61),
  upTo(61),
  FastCheck.integer({ min: -840, max: 840 })
)

describe("An instant", () => {
  prop("that is accepted prints as the same date and time at its offset", [written], ([parts]) => {
    const [year, month, day, hour, minute, second, offset] = parts
    const local = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
    const sign = offset < 0 ? "-" : "+"
    const zone = `${sign}${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
    const millis = Instant.parse(`${local}${zone}`)
    if (millis !== undefined) strictEqual(new Date(millis + offset * 60_000).toISOString(), `${local}.000Z`)
    const exists =
      month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60 && year % 9999 > 0
    if (exists) assertTrue(millis !== undefined, `${local}${zone}`)
  })

  it.each([
    "2026-02-30T00:00:00Z",
    "2026-02-29T10:00:00+05:30",
    "2026-04-31T00:00:00Z",
    "2026-04-30T24:00:00Z",
    "2026-04-30T23:60:00Z",
    "2026-04-30T10:00:00",
    "2026-04-30",
    "2026-04-30T10:00:00+25:00",
    "30-04-2026T10:00:00Z",
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
    ""
  ])("does not exist: %s", (text) => strictEqual(Instant.parse(text), undefined))

  it.each([
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
    ["9999-12-31T23:59:59.999Z", Instant.last],
    ["2026-04-30T05:30+05:30", Date.UTC(2026, 3, 30)],
    ["2026-04-30T05:30:00.5+0530", Date.UTC(2026, 3, 30) + 500]
  ] as const)("is read with its offset: %s", (text, millis) => strictEqual(Instant.parse(text), millis))
})
