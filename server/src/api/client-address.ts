import ipaddr from "ipaddr.js";

/** Who is counted together: an IPv4 address, or the /64 of an IPv6 one, within which a client can change at will. */
export function clientOf(ip: string): string {
  // What is no address came out of a forwarding header: its writer could change it at will, and make it any length.
  if (!ipaddr.isValid(ip)) return "unknown";
  const address = ipaddr.process(ip);
  if (address.kind() === "ipv4") return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/64`;
}

export function isLoopback(ip: string): boolean {
  return ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";
}
