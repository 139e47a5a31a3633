import { describe, expect, it } from "vitest";
import { clientOf, isLoopback } from "./client-address.ts";

describe("rate limit grouping", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    ["fe80::1%eth0", "fe80::/64"],
  ])("O4 %s is %s", (ip, client) => {
    expect(clientOf(ip)).toBe(client);
  });

  it.each(["", "junk", "999.1.1.1", "10.0.0.1:5000", "x".repeat(10_000), "1.2.3.4, 5.6.7.8"])(
    "O4 everything that is not an address counts as one client: %s",
    (text) => {
      expect(clientOf(text)).toBe(clientOf("no address"));
    },
  );

  it("O4 normalizes the spelling of an address", () => {
    expect(clientOf("2001:db8:1:2:0:0:0:1")).toBe(clientOf("2001:db8:1:2::1"));
  });
});

describe("the local machine", () => {
  it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])("is %s", (ip) => expect(isLoopback(ip)).toBe(true));
  it.each(["10.0.0.1", "0.0.0.0", "::", "localhost", "", "128.0.0.1"])("is not %s", (ip) => {
    expect(isLoopback(ip)).toBe(false);
  });
});
