import ipaddr from "ipaddr.js";

/**
 * The rate limit key of a client: an IPv4 address, or the /64 of an IPv6 one, within which a client can choose freely.
 */
export function clientOf(ip: string): string {
  // Anything that is not an address came from a forwarding header: its author could vary it freely, at any length.
  if (!ipaddr.isValid(ip)) return "unknown";
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}

export function isLoopback(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";
}
