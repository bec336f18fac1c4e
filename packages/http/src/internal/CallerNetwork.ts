/**
 * The network of a caller's address, which limits count.
 */
import ipaddr from "ipaddr.js"

/** Some proxies add the port: `203.0.113.7:51234`, `[2001:db8::1]:51234`. */
const withoutPort = (text: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const ipv4 = /^(?:::ffff:)?((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/

/** Whether a proxy wrote an address, with or without a port. */
export const isAddress = (text: string): boolean => ipaddr.isValid(withoutPort(text))

/**
 * One IPv4 address, or the 64 bits of an IPv6 address that an access provider assigns to one customer: within them a caller has
 * as many addresses as it wants. Anything else stays as it is.
 */
export const networkOf = (text: string): string => {
  // The usual one, without reading its numbers. A server that listens on IPv6 too sees IPv4 addresses mapped to it.
  const plain = ipv4.exec(text)?.[1]
  if (plain !== undefined) return plain
  const address = withoutPort(text)
  if (!ipaddr.isValid(address)) return text
  // `process` turns an IPv4 address that is mapped to IPv6 into IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts
  return `${new ipaddr.IPv6([a, b, c, d, 0, 0, 0, 0].map((part) => part ?? 0))}/64`
}
