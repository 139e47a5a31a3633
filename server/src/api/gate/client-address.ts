import ipaddr from "ipaddr.js";
import type { Config } from "../../platform/settings/config.ts";
import type { ApiRequest } from "../http-messages.ts";

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

/** A host with or without a port, and nothing that could be parsed as a user name or a path. */
export const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
/** Headers that proxies and tunnels add: their clients are on another machine. */
const PASSED_ON = /^(?:x-forwarded-.+|x-real-ip|forwarded|via|cf-connecting-ip|true-client-ip)$/;

/** Whether a proxy passed the request on, so that its address is not the client's. */
export function isPassedOn(headers: ApiRequest["headers"]): boolean {
  return Object.keys(headers).some((name) => PASSED_ON.test(name));
}

/**
 * Whether a client on this machine sent the request to this service. The address does not prove it: a page whose name
 * was pointed here (DNS rebinding) runs in a browser on this machine, and only its Host reveals it.
 */
export function isOnThisMachine(config: Config, request: ApiRequest): boolean {
  if (!isLoopback(request.socket.remoteAddress ?? "")) return false;
  if (isPassedOn(request.headers)) return false;
  const own = [config.host, config.public_url && new URL(config.public_url).host].flatMap((host) => nameOf(host) ?? []);
  return requestedHosts(request).every((host) => isOwnHost(own, host));
}

/** The host of an absolute-form target overrides the header; both must be ours. */
function requestedHosts({ headers, raw: { url = "" } }: ApiRequest): (string | undefined)[] {
  if (url.startsWith("/")) return [headers.host];
  return [headers.host, /^https?:\/\/([^/]*)/i.exec(url)?.[1]];
}

function isOwnHost(own: string[], host: string | undefined): boolean {
  const name = nameOf(host);
  if (name === undefined) return false;
  return name === "localhost" || own.includes(name) || isLoopback(name);
}

/** In canonical form, without port, brackets and the final dot. */
function nameOf(host: string | undefined): string | undefined {
  if (host === undefined || !HOST.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  const { hostname } = new URL(`http://${host}`);
  const name = hostname.replace(/^\[|\]$|\.$/g, "");
  return ipaddr.isValid(name) ? ipaddr.process(name).toString() : name;
}
