/**
 * The network of a caller's address, which limits count.
 */
import ipaddr from "ipaddr.js"

/**
 * One IPv4 address, or the 64 bits of an IPv6 address that an access provider assigns to one customer: within them a caller has
 * as many addresses as it wants. Anything else stays as it is.
 */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  // `process` turns an IPv4 address that is mapped to IPv6 into IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === "ipv4") return parsed.toString()
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts
  return `${new ipaddr.IPv6([a, b, c, d, 0, 0, 0, 0].map((part) => part ?? 0))}/64`
}
