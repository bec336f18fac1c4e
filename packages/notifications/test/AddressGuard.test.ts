import { BlockList, isIP } from "node:net"
import { AddressGuard } from "@crossdock/notifications"
import { describe, it } from "@effect/vitest"
import { deepStrictEqual, strictEqual } from "@effect/vitest/utils"
import * as FastCheck from "fast-check"
import { runs } from "../../kernel/test/runs.ts"

const rejected = {
  "this network": ["0.0.0.0", "0.255.255.255"],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.0",
    "172.20.1.1",
    "172.31.255.255",
    "192.168.0.0",
    "192.168.1.1",
    "192.168.255.255"
  ],
  "shared between carriers (CGNAT)": ["100.64.0.0", "100.100.100.200", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.1.2.3", "127.255.255.255", "::1", "::0.0.0.1", "0:0:0:0:0:0:0:1"],
  unspecified: ["::", "0:0:0:0:0:0:0:0"],
  "link-local": [
    "169.254.0.0",
    "169.254.169.254",
    "169.254.255.255",
    "fe80::",
    "fe80::1",
    "febf:ffff::1",
    "fe80::1%lo"
  ],
  "assigned to protocols": ["192.0.0.0", "192.0.0.170", "192.0.0.255"],
  documentation: [
    "192.0.2.1",
    "198.51.100.0",
    "198.51.100.255",
    "203.0.113.7",
    "2001:db8::1",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff::1",
    "3fff:fff:ffff::"
  ],
  "6to4 relays": ["192.88.99.1"],
  benchmarks: ["198.18.0.0", "198.19.255.255", "2001:2::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff00::", "ff02::1", "ff0e::1", "ffff::1"],
  "reserved and broadcast": ["240.0.0.0", "254.1.1.1", "255.255.255.255"],
  "IPv4-mapped, public ones too": [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.1.2.3",
    "::ffff:169.254.169.254",
    "::FFFF:C0A8:0101",
    "0:0:0:0:0:ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1"
  ],
  "IPv4-compatible": ["::127.0.0.1", "::7f00:1", "::8.8.8.8"],
  NAT64: ["64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::a00:1"],
  "6to4": ["2002::", "2002:7f00:1::", "2002:a00:1::1", "2002:c0a8:101::1", "2002:ffff:ffff::"],
  Teredo: ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:7f00:1::"],
  "overlays (ORCHID)": ["2001:10::1", "2001:20::1"],
  "local to a site": ["fc00::", "fc00::1", "fd00::1", "fdff:ffff::1", "fec0::1"],
  "discard and unassigned": [
    "100::1",
    "100:0:0:1::1",
    "1::1",
    "1fff:ffff::1",
    "4000::1",
    "5f00::1",
    "8000::1",
    "fe00::1"
  ],
  "no address": [
    "",
    "localhost",
    "example.com",
    "127.1",
    "0x7f.1",
    "2130706433",
    "010.0.0.1",
    "[::1]",
    "1.1.1.1.",
    " 1.1.1.1"
  ]
}

const passed = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "191.255.255.255",
  "192.0.1.0",
  "192.0.3.0",
  "192.88.98.255",
  "192.88.100.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "198.51.99.255",
  "198.51.101.0",
  "203.0.112.255",
  "203.0.114.0",
  "223.255.255.255",
  "2000::1",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2001:db7:ffff::1",
  "2001:db9::1",
  "2003::1",
  "2400:cb00::1",
  "2606:4700:4700::1111",
  "2606:4700:4700:0:0:0:0:1111",
  "2A00:1450:4001:81B::200E",
  "3ffe::1",
  "3fff:1000::1"
]

describe("AddressGuard", () => {
  for (const [kind, addresses] of Object.entries(rejected)) {
    it(`rejects what is ${kind}`, () => deepStrictEqual(addresses.filter(AddressGuard.isPublic), []))
  }

  it("lets public addresses pass, up to the edges of what is rejected", () => {
    deepStrictEqual(
      passed.filter((address) => !AddressGuard.isPublic(address)),
      []
    )
  })

  it("takes for an address what Node takes for one, but no zone", () => {
    const part = FastCheck.oneof(
      FastCheck.constantFrom(
        "",
        ":",
        "::",
        ".",
        "0",
        "00",
        "1",
        "255",
        "256",
        "ffff",
        "fffff",
        "1.2.3.4",
        "01.2.3.4",
        "g"
      ),
      FastCheck.nat(70_000).map(String),
      FastCheck.nat(70_000).map((n) => n.toString(16))
    )
    const text = FastCheck.array(part, { maxLength: 17 }).map((parts) => parts.join(""))
    const joined = FastCheck.array(part, { minLength: 1, maxLength: 9 }).chain((parts) =>
      FastCheck.constantFrom(".", ":", "::").map((mark) => parts.join(mark))
    )
    const edge = FastCheck.constantFrom("::", "1::", "::1", "1:2:3:4:5:6:7::", "1::3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4")
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(text, joined, edge, FastCheck.ipV4(), FastCheck.ipV6()), (one) =>
        strictEqual(AddressGuard.isAddress(one), isIP(one) !== 0, one)
      ),
      { numRuns: runs(20_000) }
    )
  })

  it("agrees with Node's lists of networks on any address", () => {
    const [blocked, global6] = [new BlockList(), new BlockList()]
    for (const network of [
      "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
      "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
      "2001::/23 2001:db8::/32 2002::/16 3fff::/20"
    ].flatMap((line) => line.split(" "))) {
      const [start = "", prefix] = network.split("/")
      blocked.addSubnet(start, Number(prefix), start.includes(":") ? "ipv6" : "ipv4")
    }
    global6.addSubnet("2000::", 3, "ipv6")
    const near = FastCheck.constantFrom(
      "2001:",
      "2001:1ff:",
      "2001:200:",
      "2001:db8:",
      "2002:",
      "3fff:",
      "3fff:fff:",
      "3fff:1000:",
      "1fff:",
      "4000:"
    )
    const six = FastCheck.tuple(near, FastCheck.nat(65_535)).map(([start, n]) => `${start}${n.toString(16)}::1`)
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(FastCheck.ipV4(), FastCheck.ipV6(), six), (one) =>
        strictEqual(
          AddressGuard.isPublic(one),
          isIP(one) === 4 ? !blocked.check(one) : global6.check(one, "ipv6") && !blocked.check(one, "ipv6"),
          one
        )
      ),
      { numRuns: runs(20_000) }
    )
  })

  it("takes names of machines and local networks for what they are", () => {
    const local = [
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "nas",
      "nas.local",
      "db.internal.",
      "router.home.arpa",
      "",
      "."
    ]
    deepStrictEqual(local.filter(AddressGuard.isPublicName), [])
    const known = [
      "shop.example",
      "hooks.shop.example.",
      "local.example",
      "internal.example",
      "xn--p1b6ci4b4b3a.example"
    ]
    deepStrictEqual(
      known.filter((name) => !AddressGuard.isPublicName(name)),
      []
    )
  })
})
