import { Edge } from "@crossdock/http"
import { describe, it } from "@effect/vitest"
import { assertTrue, deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { processorMillis } from "../../kernel/test/processorMillis.ts"
import { runs } from "../../kernel/test/runs.ts"
import { lineSample } from "../src/Edge.ts"

const byteEscapes = (char: string): ReadonlyArray<string> =>
  [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`)

/** A character in one of its escapes: each of `places` escapes one character of the escape so far. */
const escaped = (char: string, places: ReadonlyArray<number>): string => {
  // No URL has other characters than these as they are.
  let chars = char < "\x80" ? [char] : byteEscapes(char).join("").split("")
  for (const place of places) {
    const at = place % chars.length
    chars = chars.flatMap((one, nth) => (nth === at ? byteEscapes(one).join("").split("") : [one]))
  }
  return chars.join("")
}

const writing = (text: string): FastCheck.Arbitrary<string> =>
  FastCheck.array(FastCheck.array(FastCheck.nat(5), { maxLength: 4 }), {
    minLength: text.length,
    maxLength: text.length
  }).map((places) => [...text].map((char, nth) => escaped(char, places[nth] ?? [])).join(""))

const anyOf = (...texts: ReadonlyArray<string>) => FastCheck.constantFrom(...texts).chain(writing)

const path = FastCheck.constantFrom(
  "/aggregator/v1/token",
  "/aggregator/v1/tokens",
  "/auth/bazaar/token/",
  "/ims/v3/listings",
  "/"
)
const username = FastCheck.tuple(anyOf("username", "USERNAME", "ｕｓｅｒｎａｍｅ"), anyOf("=", "＝")).map((parts) => [
  ...parts,
  "acme"
])
const password = FastCheck.tuple(anyOf("password", "Password", "ｐａｓｓｗｏｒｄ"), anyOf("=", "＝", ":", " = ")).map(
  (parts) => [...parts, "canary"]
)
const separator = anyOf("?", "&", ";", "#", ",", "/", "|", "？", "＆", " ", "\\", "", "\n")

describe("Credentials in a URL", () => {
  it("aren't shown, whatever comes before them, in any order and however often they are escaped", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.tuple(path, separator, separator),
        FastCheck.shuffledSubarray([0, 1], { minLength: 1 }),
        FastCheck.tuple(username, password),
        ([prefix, first, between], order, pairs) => {
          const shown = order.includes(1) ? order : [...order, 1]
          const url = prefix + first + shown.map((nth) => pairs[nth]?.join("")).join(between)
          const taken = Edge.takeCredentials(url)
          return taken !== undefined && !taken.url.includes("canary")
        }
      ),
      { numRuns: runs(2_000) }
    )
  })

  it("aren't shown before a host that got into the path", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom("/", "//", "/http://", "/partner/"),
        anyOf(":"),
        anyOf("@"),
        (before, colon, at) => {
          const taken = Edge.takeCredentials(`${before}acme${colon}canary${at}host/aggregator/v1/token`)
          return taken !== undefined && !taken.url.includes("canary")
        }
      )
    )
  })

  it("are taken from the query of a token path in any writing of the path", () => {
    FastCheck.assert(
      FastCheck.property(writing("token"), (name) => {
        const query = "username=acme&password=canary"
        const url = `/aggregator/v1/${name}`
        deepStrictEqual(Edge.takeCredentials(`${url}?${query}`), { url, query })
      })
    )
  })

  it("leave every other URL as it is, also one whose query asks for such a name", () => {
    for (const url of [
      "/ims/v3/listings?sku=a%20b",
      "/service/platform/audit-trail/v1.0/company/1/logs?qs=username%3Dasha",
      "/order/api/v1/tokens/order?platform_order_id=12",
      "/documents/password-book.pdf?expires=1&signature=s"
    ])
      strictEqual(Edge.takeCredentials(url), undefined)
  })

  it("take a time that grows with the URL alone to find", () => {
    const shapes = ["%25", "%2", ":", "password ", "/a:", "%2%35", "token", "&username"]
    const of = (length: number) => {
      const began = processorMillis()
      for (const shape of shapes) {
        const url = `/${shape.repeat(length / shape.length)}`
        Edge.takeCredentials(url)
        Edge.isSecretPath(url)
      }
      return processorMillis() - began
    }
    of(1_000)
    const [short, long] = [of(100_000), of(400_000)]
    assertTrue(long < 10 * short + 200, `${short} ms, ${long} ms`)
  })
})

describe("The link of a confirm page", () => {
  const link = "0a".repeat(32)

  it("is secret however often each of its characters is escaped", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(
          writing(`/billing/confirm/${link}`),
          writing("/confirm/").map((before) => before + link),
          writing("billing/confirm").map((before) => `/${before}/${link.slice(1)}`)
        ),
        Edge.isSecretPath
      )
    )
  })
})

describe("A sample of log lines", () => {
  it("has at most one line a second of each kind, and its lines count every one that was left out", () => {
    const events = FastCheck.array(
      FastCheck.record({ kind: FastCheck.constantFrom("a", "b"), after: FastCheck.integer({ min: 0, max: 700 }) })
    )
    FastCheck.assert(
      FastCheck.property(events, (drawn) => {
        const sample = lineSample()
        const all = [...drawn, { kind: "a", after: 5_000 }, { kind: "b", after: 5_000 }]
        const writtenAt = new Map<string, number>()
        let [now, lines, leftOut] = [0, 0, 0]
        for (const { after, kind } of all) {
          now += after
          const one = sample(kind, now)
          if (!one.isWritten) continue
          assertTrue(now - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) >= 1_000)
          writtenAt.set(kind, now)
          lines++
          leftOut += one.leftOut
        }
        strictEqual(lines + leftOut, all.length)
      })
    )
  })

  it("goes on after the clock was set back", () => {
    const sample = lineSample()
    sample("a", 1_000_000)
    deepStrictEqual(sample("a", 0), { isWritten: true, leftOut: 0 })
  })
})
