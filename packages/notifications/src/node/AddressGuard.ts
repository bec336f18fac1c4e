/**
 * Decides which addresses a webhook may be sent to: only public ones, unless the host allows private ones. Source:
 * docs/reference/notifications.md#addresses.
 */
import { BlockList, isIP, isIPv4 } from "node:net"

const blocked = new BlockList()
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
] as const) {
  blocked.addSubnet(network, prefix, "ipv4")
}

/**
 * The public IPv6 addresses are those of 2000::/3, except Teredo, documentation, and 6to4, which contains an IPv4 address.
 * So IPv4-mapped, NAT64, local and multicast addresses are all rejected.
 */
const publicV6 = new BlockList()
publicV6.addSubnet("2000::", 3, "ipv6")
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
] as const) {
  blocked.addSubnet(network, prefix, "ipv6")
}

/**
 * Whether an IP address is public. A name is not an address, and not public.
 *
 * @example
 * ```ts
 * import { strictEqual } from "node:assert/strict"
 * import { AddressGuard } from "@crossdock/notifications/node"
 *
 * strictEqual(AddressGuard.isPublic("8.8.8.8"), true)
 * strictEqual(AddressGuard.isPublic("169.254.169.254"), false)
 * strictEqual(AddressGuard.isPublic("::ffff:8.8.8.8"), false)
 * strictEqual(AddressGuard.isPublic("shop.example"), false)
 * ```
 */
export const isPublic = (address: string): boolean => {
  if (isIPv4(address)) return !blocked.check(address, "ipv4")
  return isIP(address) === 6 && publicV6.check(address, "ipv6") && !blocked.check(address, "ipv6")
}
