import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { closeAll, closing } from "../../../test/outside/loopback.ts";
import { startCanary } from "../../../test/seed/canary.ts";
import { makeOutgoing, type Resolve } from "./guarded-agent.ts";
import { sendRequest } from "./send-request.ts";

const PUBLIC = "93.184.216.34";
const PUBLIC_IPV6 = "2606:4700::1111";

/** A fake DNS zone: each name maps to addresses or to another name. */
type Zone = Record<string, { cname: string } | { addresses: string[] }>;

let canary: Awaited<ReturnType<typeof startCanary>>;
beforeAll(async () => {
  canary = await startCanary("127.0.0.1", "::1", "127.0.0.2");
});
afterEach(async () => {
  await closeAll();
  expect(canary.connections()).toBe(0);
});

/** Follows CNAMEs as a resolver does, and gives up on cycles. */
function resolverOf(zone: Zone): Resolve {
  return async (name) => {
    let at: string | undefined = name;
    for (let hops = 0; hops < 16 && at !== undefined; hops++) {
      const entry: Zone[string] | undefined = zone[at];
      if (!entry) break;
      if ("addresses" in entry) return entry.addresses;
      at = entry.cname;
    }
    throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
  };
}

function send(resolve: Resolve, host = "name.example") {
  const outgoing = makeOutgoing({
    privateEndpoints: "refuse",
    resolve,
    connectTimeoutMs: 20_000,
    maxConnectionsPerHost: 2,
  });
  closing.push(() => outgoing.destroy());
  const url = `http://${host}:${canary.port}/`;
  const once = () => sendRequest(outgoing, { method: "POST", url, headers: {}, body: "{}", timeout_ms: 20_000 });
  return { first: once(), again: once };
}

const answering =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

describe("DNS responses with private addresses", () => {
  it.each<[string, string[]]>([
    ["loopback", ["127.0.0.1"]],
    ["the end of loopback", ["127.255.255.254"]],
    ["this network", ["0.0.0.0"]],
    ["another of this network", ["0.1.2.3"]],
    ["ten", ["10.0.0.1"]],
    ["the beginning of 172.16", ["172.16.0.0"]],
    ["the end of 172.16", ["172.31.255.255"]],
    ["192.168", ["192.168.1.1"]],
    ["a carrier's network", ["100.64.0.1"]],
    ["link-local", ["169.254.1.1"]],
    ["metadata of AWS", ["169.254.169.254"]],
    ["metadata of tasks", ["169.254.170.2"]],
    ["metadata of Alibaba", ["100.100.100.200"]],
    ["metadata of Azure", ["168.63.129.16"]],
    ["metadata of Oracle", ["192.0.0.192"]],
    ["metadata of AWS by IPv6", ["fd00:ec2::254"]],
    ["multicast", ["224.0.0.1"]],
    ["broadcast", ["255.255.255.255"]],
    ["addresses for examples", ["203.0.113.7"]],
    ["addresses for benchmarks", ["198.18.0.1"]],
    ["what is reserved", ["240.0.0.1"]],
    ["AAAA only, loopback", ["::1"]],
    ["AAAA only, unspecified", ["::"]],
    ["AAAA only, unique local", ["fd12:3456::1"]],
    ["AAAA only, link-local", ["fe80::1"]],
    ["AAAA only, with a zone", ["fe80::1%lo"]],
    ["AAAA only, site-local", ["fec0::1"]],
    ["AAAA only, multicast", ["ff02::1"]],
    ["IPv4 mapped into IPv6", ["::ffff:127.0.0.1"]],
    ["IPv4 mapped, in hex", ["::ffff:7f00:1"]],
    ["IPv4 compatible", ["::127.0.0.1"]],
    ["IPv4 translated", ["::ffff:0:127.0.0.1"]],
    ["NAT64", ["64:ff9b::7f00:1"]],
    ["NAT64 for local use", ["64:ff9b:1::a00:1"]],
    ["6to4", ["2002:7f00:1::1"]],
    ["Teredo", ["2001:0:4136:e378:8000:63bf:80ff:fffe"]],
    ["ISATAP", ["2001:470:1::5efe:127.0.0.1"]],
    ["mixed, public first", [PUBLIC, "127.0.0.1"]],
    ["mixed, private first", ["10.0.0.1", PUBLIC]],
    ["mixed, public IPv4 and private IPv6", [PUBLIC, "::1"]],
    ["mixed, public IPv6 and private IPv4", [PUBLIC_IPV6, "192.168.0.1"]],
    ["mixed, the last of fifty", [...Array<string>(49).fill(PUBLIC), "169.254.169.254"]],
    ["no address but a name", ["localhost"]],
    ["an old spelling", ["127.1"]],
    ["a number", ["2130706433"]],
    ["octal", ["0177.0.0.1"]],
    ["hex", ["0x7f.0.0.1"]],
    ["an empty text", [""]],
  ])("%s: refused, and nothing is sent", async (_what, addresses) => {
    expect(await send(answering(...addresses)).first).toMatchObject({ kind: "failed", reason: "refused_address" });
  });
});

describe("CNAME chains", () => {
  const zone: Zone = {
    "name.example": { cname: "one.example" },
    "one.example": { cname: "two.example" },
    "two.example": { cname: "inside.example" },
    "inside.example": { addresses: ["127.0.0.1"] },
    "metadata.example": { cname: "link.example" },
    "link.example": { addresses: ["169.254.169.254"] },
    "half.example": { cname: "both.example" },
    "both.example": { addresses: [PUBLIC, "::1"] },
    "circle.example": { cname: "round.example" },
    "round.example": { cname: "circle.example" },
    "dangling.example": { cname: "nobody.example" },
  };

  it.each(["name.example", "one.example", "metadata.example", "half.example"])(
    "%s leads to a private address at the end of the chain, and is refused",
    async (host) => {
      expect(await send(resolverOf(zone), host).first).toMatchObject({ reason: "refused_address" });
    },
  );

  it.each(["circle.example", "dangling.example"])("%s does not resolve: a dns failure", async (host) => {
    expect(await send(resolverOf(zone), host).first).toMatchObject({ kind: "failed", reason: "dns" });
  });
});

describe("a name that changes between two lookups", () => {
  it.each<[string, string[][]]>([
    ["public, then loopback", [[PUBLIC], ["127.0.0.1"]]],
    ["public, then the second loopback address", [[PUBLIC], ["127.0.0.2"]]],
    ["public, then IPv6 loopback", [[PUBLIC_IPV6], ["::1"]]],
    ["public, then metadata", [[PUBLIC], ["169.254.169.254"]]],
    ["public, then both", [[PUBLIC], [PUBLIC, "127.0.0.1"]]],
    ["public, then mapped", [[PUBLIC], ["::ffff:127.0.0.1"]]],
  ])("%s: the connection goes to the checked address, and the next is refused", async (_what, answers) => {
    // The first address cannot be reached from here: what matters is that it is not resolved again for the dial.
    const lookups: string[][] = [];
    const resolve: Resolve = async () => {
      const addresses = answers[Math.min(lookups.length, answers.length - 1)] ?? [];
      lookups.push(addresses);
      return addresses;
    };
    const { first, again } = send(resolve);
    const [before] = [await first];
    expect(before).not.toMatchObject({ kind: "responded" });
    expect(before).not.toMatchObject({ reason: "refused_address" });
    expect(await again()).toMatchObject({ kind: "failed", reason: "refused_address" });
  });
});
