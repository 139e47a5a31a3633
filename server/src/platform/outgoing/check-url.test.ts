import { describe, expect, it } from "vitest";
import more from "../../../test/data/more-urls-to-refuse.json" with { type: "json" };
import given from "../../../test/data/urls-to-refuse.json" with { type: "json" };
import { checkOutgoingUrl } from "./check-url.ts";

const GOOD = [
  ...["https://example.com", "http://example.com/", "https://example.com/hooks?a=1&b=%20", "HTTPS://Example.COM/Hook"],
  ...["https://example.com:443/", "http://example.com:80/", "https://example.com:8443/x", "http://example.com:1024/"],
  ...[
    "https://example.com.",
    "https://api.eu-1.example.co.uk/v1/",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/ü",
  ],
  ...[
    "https://8.8.8.8/",
    "http://93.184.216.34:8080/x",
    "https://[2606:4700::1111]/",
    "https://[2001:4860:4860::8888]:8443/",
  ],
  ...[
    "https://my_app.example.com/",
    "https://hooks.example.com/T0/B0/@user",
    "https://local.example.com/",
    "https://internal-api.example.com/",
  ],
  ...["https://example.com/?next=http://127.0.0.1/", "https://1.example.com/"],
];

describe("a URL for outgoing requests", () => {
  it.each([...given, ...more])("is refused, with a message: %j", (text) => {
    expect(checkOutgoingUrl(text, "refuse")).toEqual({ ok: false, reason: expect.stringMatching(/^The .+\.$/s) });
  });

  it.each(GOOD)("is allowed: %s", (text) => {
    expect(checkOutgoingUrl(text, "refuse")).toEqual({ ok: true, url: new URL(text) });
  });

  it.each([
    [
      "http://127.1/x",
      "The URL points to 127.0.0.1, a loopback address. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    ],
    [
      "http://[::ffff:10.0.0.1]/",
      "The URL points to ::ffff:a00:1, a private address. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    ],
    [
      "http://localhost/",
      "The host name localhost is not a public one: it has no domain. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    ],
    [
      "http://a.svc.cluster.local./",
      "The host name a.svc.cluster.local. is not a public one: it ends in .local. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    ],
    ["http://a:b@example.com/", "The URL contains a user name or password."],
    ["ftp://example.com/", "The URL must start with http:// or https://."],
    ["http://example.com:22/", "The port must be 80, 443 or at least 1024."],
    ["http://[fe80::1%25eth0]/x", "The host of the URL contains a percent sign."],
  ])("%s: %s", (text, reason) => expect(checkOutgoingUrl(text, "refuse")).toEqual({ ok: false, reason }));

  it("is at most 2048 characters long", () => {
    const longest = `https://example.com/${"a".repeat(2028)}`;
    expect(checkOutgoingUrl(longest, "refuse").ok).toBe(true);
    expect(checkOutgoingUrl(`${longest}a`, "refuse").ok).toBe(false);
  });
});

describe("a URL for outgoing requests where private endpoints are allowed", () => {
  const LOCAL = [
    "http://localhost:3000/x",
    "http://127.0.0.1:3000/",
    "http://[::1]:3000/",
    "http://nas.lan/",
    "http://worker:8080/",
  ];

  it.each(LOCAL)("is allowed: %s", (text) => expect(checkOutgoingUrl(text, "allow").ok).toBe(true));

  it.each(["http://worker.jobs.svc:8080/", "http://10.1.2.3:8080/"])("is allowed with a listed range: %s", (text) => {
    expect(checkOutgoingUrl(text, { cidrs: ["10.0.0.0/8"] }).ok).toBe(true);
  });

  it.each([
    ...[
      "http://169.254.169.254/",
      "http://[fe80::1]/",
      "http://0/",
      "http://[::]/",
      "http://224.0.0.1/",
      "http://240.0.0.1/",
    ],
    ...[
      "http://u@localhost:3000/",
      "http://localhost:22/",
      "http://local%68ost/",
      "http://localhost../",
      "file:///etc/passwd",
    ],
    ...["//localhost/", "http:localhost", "http:\\\\localhost\\", "http://[::ffff:169.254.169.254]/"],
  ])("is still refused: %s", (text) => expect(checkOutgoingUrl(text, "allow").ok).toBe(false));
});
