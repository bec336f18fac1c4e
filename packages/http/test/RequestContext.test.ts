import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import { networkOf } from "../src/RequestContext.ts"

describe("the network of a caller", () => {
  it("is an IPv4 address itself, also one that is written as IPv6", () => {
    deepStrictEqual(["192.0.2.7", "::ffff:192.0.2.7", "::FFFF:c000:207"].map(networkOf), Array(3).fill("192.0.2.7"))
  })

  it("is the first 64 bits of an IPv6 address, however it is written", () => {
    const one = networkOf("2001:db8:1:2::1")
    deepStrictEqual(
      ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:0db8:0001:0002::", "2001:db8:1:2::1%eth0"].map(networkOf),
      Array(3).fill(one)
    )
    strictEqual(networkOf("2001:db8:1:3::1") === one, false)
  })

  it("is anything else unchanged", () => {
    deepStrictEqual(["unknown", "", "_hidden", "1.2.3.4.5", "2001:db8::1::2"].map(networkOf), [
      "unknown",
      "",
      "_hidden",
      "1.2.3.4.5",
      "2001:db8::1::2"
    ])
  })
})
