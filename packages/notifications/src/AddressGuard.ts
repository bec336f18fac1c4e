/**
 * Decides which addresses webhooks may reach, by default only public ones. Source: docs/reference/notifications.md#addresses.
 *
 * @example
 * ```ts
 * import { deepStrictEqual } from "node:assert/strict"
 * import { AddressGuard } from "@crossdock/notifications"
 *
 * deepStrictEqual(["8.8.8.8", "169.254.169.254", "::ffff:8.8.8.8"].map(AddressGuard.isPublic), [true, false, false])
 * deepStrictEqual(["shop.example", "localhost"].map(AddressGuard.isPublicName), [true, false])
 * ```
 */

const blocked4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3"

/** The public IPv6 addresses: those in 2000::/3 that aren't blocked. 6to4 is blocked, since it embeds IPv4 addresses. */
const public6 = "2000::/3"
const blocked6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20"

type Parts = ReadonlyArray<number> | undefined

const partsOf4 = (text: string): Parts => {
  const parts = text.split(".")
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
    ? parts.map(Number)
    : undefined
}

/** The groups of an IPv6 address, as a URL normalizes them: in hex and without an embedded IPv4 address. */
const partsOf6 = (text: string): Parts => {
  const url = `http://[${text}]`
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined
  const [left = [], right = []] = new URL(url).hostname
    .slice(1, -1)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":")))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0")
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

const isWithin = (parts: ReadonlyArray<number>, network: ReadonlyArray<number>, prefix: number, width: number) =>
  parts.every((part, at) => {
    const free = Math.min(width, Math.max(0, (at + 1) * width - prefix))
    return part >> free === (network[at] ?? 0) >> free
  })

const isOneOf = (networks: string, partsOf: (text: string) => Parts, width: number) => {
  const all = networks.split(" ").map((network) => network.split("/"))
  return (parts: ReadonlyArray<number>) =>
    all.some(([address = "", prefix]) => isWithin(parts, partsOf(address) ?? [], Number(prefix), width))
}

const isBlocked4 = isOneOf(blocked4, partsOf4, 8)
const isPublic6 = isOneOf(public6, partsOf6, 16)
const isBlocked6 = isOneOf(blocked6, partsOf6, 16)

/** Whether a text is an IP address. It is false for a name. */
export const isAddress = (text: string): boolean => partsOf4(text) !== undefined || partsOf6(text) !== undefined

/** Why an attempt failed if its address isn't allowed. */
export const rejection = "the address is not public"

/** Whether a text is a public IP address. It is false for a name. */
export const isPublic = (address: string): boolean => {
  const four = partsOf4(address)
  if (four !== undefined) return !isBlocked4(four)
  const six = partsOf6(address)
  return six !== undefined && isPublic6(six) && !isBlocked6(six)
}

/** Names, and endings of names, that only a machine or its network knows (RFC 6761, 6762, 8375, 9476). */
const localNames = ["localhost", "local", "internal", "home.arpa", "localdomain", "lan", "intranet", "corp", "private"]

/** Whether a host name may be public. It must have a dot and no local ending. The name isn't resolved. */
export const isPublicName = (name: string): boolean => {
  const plain = name.toLowerCase().replace(/\.$/, "")
  return plain.includes(".") && !localNames.some((local) => plain === local || plain.endsWith(`.${local}`))
}
