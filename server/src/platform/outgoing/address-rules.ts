import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Whether outgoing requests may reach private addresses (setting ALLOW_PRIVATE_ENDPOINTS). */
export type PrivateEndpoints = "refuse" | "allow" | { cidrs: string[] };

/** Parses ALLOW_PRIVATE_ENDPOINTS: `true`, `false`, or CIDRs separated by commas. */
export function parsePrivateEndpoints(text: string): PrivateEndpoints | { error: string } {
  const trimmed = text.trim();
  if (trimmed === "true") return "allow";
  if (trimmed === "false") return "refuse";

  const cidrs = trimmed.split(",").map((part) => part.trim());
  const error = cidrs.map(cidrIssue).find((mistake) => mistake !== undefined);
  return error === undefined ? { cidrs } : { error };
}

/** Returns why an address may not be dialed ("a loopback address"); undefined when it may. */
export function refusalReason(policy: PrivateEndpoints, address: string): string | undefined {
  if (isIP(address) === 0 || address.includes("%")) return "not a plain IP address";

  return refusedRange(policy, ipaddr.parse(address));
}

/** What the operator can do about a refused address: a sentence, or nothing if no setting allows it. */
export function remedyFor(refused: string): string {
  return ALLOWABLE.has(refused) ? ` ${PRIVATE_REMEDY}` : "";
}

export const PRIVATE_REMEDY =
  "To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.";

function cidrIssue(cidr: string): string | undefined {
  const [base = "", bits = ""] = cidr.split("/");
  if (isIP(base) === 0 || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(cidr)) {
    return `"${cidr}" is neither true, false nor a CIDR such as 10.0.0.0/8.`;
  }

  const range = rangeOf(ipaddr.parse(base));
  return NEVER.has(range) ? `${cidr} cannot be allowed: it is ${inWords(range)}.` : undefined;
}

function refusedRange(policy: PrivateEndpoints, address: Address): string | undefined {
  const range = rangeOf(address);
  if (NEVER.has(range)) return inWords(range);

  const inner = embeddedIPv4(address);
  const innerRefused = inner && refusedRange(policy, inner);
  if (innerRefused) return innerRefused;

  const passes = range === "unicast" || (policy === "allow" && LOCAL.has(range)) || isListed(policy, address);
  return passes ? undefined : inWords(range);
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Refused under every policy, even when a listed CIDR covers them: no job endpoint is there. */
const NEVER = new Set(["unspecified", "multicast", "broadcast", "linkLocal", "metadata"]);

/** Opened by "allow". A mapped address is allowed only if the IPv4 address inside it is. */
const LOCAL = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat", "ipv4Mapped"]);

/** Metadata services that clouds put outside the link-local range, from each cloud's documentation. */
const METADATA = [
  "fd00:ec2::/32", // AWS
  "fd20:ce::254/128", // Google
  "168.63.129.16/32", // Azure
  "100.100.100.200/32", // Alibaba
  "192.0.0.192/32", // Oracle
  "fd00:42::42/128", // Scaleway
].map((cidr) => ipaddr.parseCIDR(cidr));

/**
 * RFC 4291: the only block that IANA assigns as global unicast. ipaddr.js also classifies everything unknown
 * as unicast.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

function rangeOf(address: Address): string {
  const range = ipaddr.subnetMatch(address, { metadata: METADATA }, address.range());
  if (range !== "unicast" || address.kind() === "ipv4") return range;

  return ipaddr.subnetMatch(address, { unicast: [GLOBAL_IPV6] }, "reserved");
}

/** The IPv4 address embedded in an IPv6 address, by its notation. */
function embeddedIPv4(address: Address): ipaddr.IPv4 | undefined {
  // ::1 is written like IPv4-compatible 0.0.0.1, but is the loopback address.
  if (!(address instanceof ipaddr.IPv6) || address.range() === "loopback") return undefined;

  const bytes = address.toByteArray();
  const carrier = ipaddr.subnetMatch(address, CARRIERS, isIsatap(address) ? "last" : "none");
  if (carrier === "last") return new ipaddr.IPv4(bytes.slice(12));
  if (carrier === "sixToFour") return new ipaddr.IPv4(bytes.slice(2, 6));
  if (carrier === "teredo") return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff));
  return undefined;
}

const CARRIERS = {
  // IPv4-compatible, mapped (RFC 4291), translated (RFC 6145), NAT64 (RFC 6052, RFC 8215)
  last: ["::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48"].map((cidr) =>
    ipaddr.parseCIDR(cidr),
  ),
  sixToFour: [ipaddr.parseCIDR("2002::/16")],
  teredo: [ipaddr.parseCIDR("2001::/32")],
};

/** RFC 5214: an interface identifier of [02]00:5efe followed by the IPv4 address, under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , upper = 0, lower = 0] = address.parts;
  return (upper & 0xfdff) === 0 && lower === 0x5efe;
}

function isListed(policy: PrivateEndpoints, address: Address): boolean {
  if (typeof policy === "string") return false;

  const listed = policy.cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  return ipaddr.subnetMatch(address, { listed }, "none") === "listed";
}

function inWords(range: string): string {
  return WORDS[range] ?? "a reserved address";
}

const WORDS: Record<string, string> = {
  unspecified: "an unspecified address",
  multicast: "a multicast address",
  broadcast: "the broadcast address",
  linkLocal: "a link-local address",
  metadata: "a cloud metadata address",
  loopback: "a loopback address",
  private: "a private address",
  uniqueLocal: "a private address",
  carrierGradeNat: "a carrier-grade NAT address",
};

const ALLOWABLE = new Set([...LOCAL].flatMap((range) => WORDS[range] ?? []));
