import { describe, expect, it } from "vitest";
import { type PrivateEndpoints, parsePrivateEndpoints, refusalReason } from "./address-rules.ts";

const PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1"];
const PUBLIC_IPV6 = ["2606:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001::200e", "2620:0:2d0:200::7"];
const LOCAL = ["127.0.0.1", "::1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fc00::1", "fd12::1"];
const NEVER = [
  ...["0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "ff02::1", "255.255.255.255"],
  ...["169.254.169.254", "169.254.170.2", "fe80::1", "::ffff:169.254.169.254", "::ffff:0.0.0.0"],
  ...["fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "168.63.129.16", "100.100.100.200", "192.0.0.192"],
];
const RESERVED = ["240.0.0.1", "192.0.2.1", "198.18.0.1", "2001:db8::1", "100::1", "fec0::1", "4000::1", "::7f00:1"];
const CARRYING = ["64:ff9b::8.8.8.8", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"];

describe("which addresses may be dialed", () => {
  it.each([...PUBLIC, ...PUBLIC_IPV6])("%s is allowed under every policy", (address) => {
    expect(rejections(address, ["refuse", "allow", { cidrs: ["10.0.0.0/8"] }])).toEqual([]);
  });

  it.each(LOCAL)("%s is allowed only under allow", (address) => {
    expect(refusalReason("allow", address)).toBeUndefined();
    expect(rejections(address, ["refuse", { cidrs: ["203.0.113.0/24"] }])).toHaveLength(2);
  });

  it.each(NEVER)("%s is allowed under no policy, even when a listed range covers it", (address) => {
    const everything = { cidrs: ["128.0.0.0/1", "64.0.0.0/2", "8000::/1", "::ffff:0:0/96", "fc00::/7"] };
    expect(rejections(address, ["refuse", "allow", everything])).toHaveLength(3);
  });

  it.each([...RESERVED, ...CARRYING])("%s is allowed only when its range is listed", (address) => {
    expect(rejections(address, ["refuse", "allow"])).toHaveLength(2);
  });

  it("a listed range opens only itself", () => {
    const policy = { cidrs: ["10.1.0.0/16", "fd12::/16"] };
    expect(refusalReason(policy, "10.1.255.255")).toBeUndefined();
    expect(refusalReason(policy, "fd12::5")).toBeUndefined();
    expect(refusalReason(policy, "10.2.0.0")).toBe("a private address");
    expect(refusalReason(policy, "fd13::5")).toBe("a private address");
    expect(refusalReason(policy, "127.0.0.1")).toBe("a loopback address");
  });

  it("an IPv4 address inside an IPv6 address is treated like the IPv4 address", () => {
    const policy = { cidrs: ["64:ff9b::/96", "2002::/16", "2001::/32"] };
    expect(refusalReason(policy, "64:ff9b::8.8.8.8")).toBeUndefined();
    expect(refusalReason(policy, "64:ff9b::169.254.169.254")).toBe("a link-local address");
    expect(refusalReason(policy, "2002:a00:1::1")).toBe("a private address");
    expect(refusalReason(policy, "2001:0:4136:e378:8000:63bf:80ff:fffe")).toBe("a loopback address");
    expect(refusalReason("refuse", "2001:470:1::5efe:127.0.0.1")).toBe("a loopback address");
    expect(refusalReason("allow", "::ffff:127.0.0.1")).toBeUndefined();
  });

  it.each(["", "localhost", "127.1", "0x7f.1", "fe80::1%eth0", "2606:4700::1111%eth0", "8.8.8.8 "])(
    'what is not plainly an address is refused: "%s"',
    (text) => expect(refusalReason("allow", text)).toBe("not a plain IP address"),
  );

  function rejections(address: string, policies: PrivateEndpoints[]): string[] {
    return policies.map((policy) => refusalReason(policy, address)).filter((reason) => reason !== undefined);
  }
});

describe("ALLOW_PRIVATE_ENDPOINTS", () => {
  it.each([
    ["true", "allow"],
    [" false ", "refuse"],
    ["10.0.0.0/8", { cidrs: ["10.0.0.0/8"] }],
    ["10.0.0.0/8, fd00::/8", { cidrs: ["10.0.0.0/8", "fd00::/8"] }],
  ])('"%s" is read', (text, policy) => expect(parsePrivateEndpoints(text)).toEqual(policy));

  it.each(["", "yes", "TRUE", "10.0.0.0", "10.0.0.0/33", "10/8", "10.0.0.0/8,", "10.0.0.0/-1", "fd00::/129", "a/8"])(
    '"%s" is a mistake, and the message shows the setting\'s form',
    (text) => expect(parsePrivateEndpoints(text)).toEqual({ error: expect.stringContaining("a CIDR such as") }),
  );

  it.each(["169.254.0.0/16", "0.0.0.0/0", "::/0", "fe80::/10", "fd00:ec2::254/128", "224.0.0.0/4"])(
    "%s cannot be listed",
    (cidr) => expect(parsePrivateEndpoints(cidr)).toEqual({ error: expect.stringContaining("cannot be allowed") }),
  );
});
