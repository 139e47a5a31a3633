import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import more from "../../../test/data/more-urls-to-refuse.json" with { type: "json" };
import given from "../../../test/data/urls-to-refuse.json" with { type: "json" };
import { closeAll, closing, listen } from "../../../test/outside/loopback.ts";
import type { PrivateEndpoints } from "./address-rules.ts";
import { ConnectFailure } from "./connect-failure.ts";
import { makeOutgoing, type Outgoing, type Resolve } from "./guarded-agent.ts";
import { sendRequest } from "./send-request.ts";

const REFUSED = [...given, ...more];
const canaries: net.Server[] = [];
let canaryPort = 0;
let canaryConnections = 0;

beforeAll(async () => {
  canaryPort = await startCanary("127.0.0.1", 0);
  await startCanary("::1", canaryPort);
  await startCanary("127.0.0.2", canaryPort);
});

afterEach(async () => {
  await closeAll();
  expect(canaryConnections).toBe(0);
});

afterAll(() => {
  for (const canary of canaries) canary.close();
});

describe("connecting, where private endpoints are refused", () => {
  it.each(REFUSED)("sends nothing to %j", async (url) => {
    const sent = await send(outgoingTo("refuse", answer("127.0.0.1", "::1")), url);
    expect(sent).toMatchObject({ kind: "failed", reason: "refused_address" });
  });

  it.each(REFUSED.filter(isHttpUrl))("refuses the connection itself, after the check of the URL: %j", async (text) => {
    const url = new URL(text);
    url.port = String(canaryPort);
    const outgoing = outgoingTo("refuse", answer("127.0.0.1", "::1"));
    expect(await dispatchUnchecked(outgoing, url)).toMatchObject({ reason: "refused_address" });
  });

  it("uses the system's resolver by default", async () => {
    const outgoing = makeOutgoing({ privateEndpoints: "refuse", connectTimeoutMs: 20_000, maxConnectionsPerHost: 1 });
    closing.push(() => outgoing.destroy());
    const failure = await dispatchUnchecked(outgoing, new URL(`http://localhost:${canaryPort}/`));
    expect(failure).toMatchObject({ reason: "refused_address" });
  });
});

describe("connecting to a host name", () => {
  const PUBLIC = "93.184.216.34";
  it.each([
    ["one private answer", ["10.0.0.1"]],
    ["loopback", ["127.0.0.1"]],
    ["an IPv6 answer only", ["::1"]],
    ["an IPv4 answer inside IPv6", ["::ffff:127.0.0.1"]],
    ["NAT64 of loopback", ["64:ff9b::7f00:1"]],
    ["public first, private second", [PUBLIC, "127.0.0.1"]],
    ["private first, public second", ["127.0.0.1", PUBLIC]],
    ["public IPv4, private IPv6", [PUBLIC, "::1"]],
    ["public IPv6, private IPv4", ["2606:4700::1111", "127.0.0.1"]],
    ["the last of fifty", [...Array(49).fill(PUBLIC), "169.254.169.254"]],
    ["unspecified", ["0.0.0.0"]],
    ["unspecified IPv6", ["::"]],
    ["cloud metadata", ["169.254.169.254"]],
    ["a zone", ["fe80::1%lo"]],
    ["no address at all, but a name", ["localhost"]],
    ["an old spelling", ["127.1"]],
    ["an empty text", [""]],
  ])("refuses %s", async (_what, addresses) => {
    const sent = await send(outgoingTo("refuse", answer(...addresses)), `http://name.example:${canaryPort}/`);
    expect(sent).toMatchObject({ kind: "failed", reason: "refused_address" });
  });

  it("does not reveal the address of a name", async () => {
    const sent = await send(outgoingTo("refuse", answer("10.20.30.40")), "http://name.example/");
    expect(sent).toMatchObject({
      message:
        "The host name.example resolves to a private address, which is not allowed. To allow private addresses, the operator sets ALLOW_PRIVATE_ENDPOINTS, for example to 10.0.0.0/8.",
    });
  });

  it.each([
    ["no address", answer()],
    ["an error", () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }))],
    ["an error without a code", () => Promise.reject(new Error("SERVFAIL"))],
  ])("%s is a dns failure", async (_what, resolve) => {
    const sent = await send(outgoingTo("refuse", resolve), "http://name.example/");
    expect(sent).toMatchObject({ kind: "failed", reason: "dns", message: expect.stringContaining("name.example") });
  });

  it("ends a resolver that never returns at the connect timeout", async () => {
    const outgoing = outgoingTo("refuse", () => new Promise(() => {}), { connectTimeoutMs: 100 });
    const sent = await send(outgoing, "http://name.example/");
    expect(sent).toMatchObject({ kind: "failed", reason: "connect" });
  });

  it("refuses a name that turns private between two connections (rebinding)", async () => {
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const resolve: Resolve = async () => answers.shift() ?? [];
    const port = await startEndpoint("127.0.0.1", { keepAlive: false });
    const outgoing = outgoingTo({ cidrs: ["127.0.0.1/32"] }, resolve);

    expect(await send(outgoing, `http://name.example:${port}/`)).toMatchObject({ kind: "responded" });
    expect(answers).toHaveLength(1);
    expect(await send(outgoing, `http://name.example:${canaryPort}/`)).toMatchObject({ reason: "refused_address" });
  });

  it("keeps a reused connection at the address that was checked", async () => {
    let lookups = 0;
    const port = await startEndpoint("127.0.0.1", { keepAlive: true });
    const outgoing = outgoingTo("allow", async () => [++lookups === 1 ? "127.0.0.1" : "127.0.0.2"], {
      maxConnectionsPerHost: 1,
    });

    for (let n = 0; n < 5; n++) await send(outgoing, `http://name.example:${port}/`);
    expect(lookups).toBe(1);
  });

  it("keeps the name in Host", async () => {
    const port = await startEndpoint("127.0.0.1", { keepAlive: true });
    const sent = await send(outgoingTo("allow", answer("127.0.0.1")), `http://name.example:${port}/`);
    expect(sent).toMatchObject({ headers: { "x-seen-host": `name.example:${port}` } });
  });

  it("keeps the name in TLS (SNI)", async () => {
    const hello: Buffer[] = [];
    const server = net.createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (data) => {
          hello.push(data);
          socket.destroy();
        });
    });
    const port = await listen(server);
    const sent = await send(outgoingTo("allow", answer("127.0.0.1")), `https://name.example:${port}/`);

    expect(Buffer.concat(hello).includes("name.example")).toBe(true);
    expect(sent).toMatchObject({ kind: "failed", reason: "tls" });
  });

  it("tries the next checked address when the first does not listen", async () => {
    const port = await startEndpoint("127.0.0.1", { keepAlive: true });
    const sent = await send(outgoingTo("allow", answer("127.0.0.3", "127.0.0.1")), `http://name.example:${port}/`);
    expect(sent).toMatchObject({ kind: "responded", status: 200 });
  });

  it("reaches an endpoint that has only an IPv6 address", async () => {
    const port = await startEndpoint("::1", { keepAlive: true });
    expect(await send(outgoingTo("allow", answer("::1")), `http://name.example:${port}/`)).toMatchObject({
      status: 200,
    });
    expect(await send(outgoingTo("allow", answer()), `http://[::1]:${port}/`)).toMatchObject({ status: 200 });
  });
});

describe("the pool", () => {
  it("reuses a connection, and opens no more than the limit", async () => {
    const connections = new Set<net.Socket>();
    const port = await startEndpoint("127.0.0.1", { keepAlive: true, connections });
    const outgoing = outgoingTo("allow", answer("127.0.0.1"), { maxConnectionsPerHost: 4 });

    await Promise.all(Array.from({ length: 40 }, () => send(outgoing, `http://name.example:${port}/`)));
    expect(connections.size).toBe(4);
  });

  it("fails every waiting request when the connection is refused", async () => {
    const port = await startEndpoint("127.0.0.1", { keepAlive: true });
    await closeAll();
    const outgoing = outgoingTo("allow", answer("127.0.0.1"), { maxConnectionsPerHost: 2 });

    const all = await Promise.all(Array.from({ length: 50 }, () => send(outgoing, `http://name.example:${port}/`)));
    expect(all.map((sent) => sent.kind === "failed" && sent.reason)).toEqual(Array(50).fill("connect"));
  });

  it("waits for the request in flight on close, and sends no later ones", async () => {
    const port = await startEndpoint("127.0.0.1", { keepAlive: true, delayMs: 80 });
    const outgoing = outgoingTo("allow", answer("127.0.0.1"));
    const first = send(outgoing, `http://name.example:${port}/`);

    await outgoing.close();
    expect(await first).toMatchObject({ kind: "responded", status: 200 });
    expect(await send(outgoing, `http://name.example:${port}/`)).toMatchObject({ kind: "failed", reason: "aborted" });
  });

  it("ends requests in flight and waiting ones on destroy", async () => {
    const port = await startEndpoint("127.0.0.1", { keepAlive: true, delayMs: 60_000 });
    const outgoing = outgoingTo("allow", answer("127.0.0.1"), { maxConnectionsPerHost: 1 });
    const all = [1, 2, 3].map(() => send(outgoing, `http://name.example:${port}/`));

    setTimeout(() => void outgoing.destroy(), 50);
    for (const sent of await Promise.all(all)) expect(sent).toMatchObject({ kind: "failed", reason: "aborted" });
  });
});

function answer(...addresses: string[]): Resolve {
  return async () => addresses;
}

function outgoingTo(
  privateEndpoints: PrivateEndpoints,
  resolve: Resolve,
  more: { connectTimeoutMs?: number; maxConnectionsPerHost?: number } = {},
): Outgoing {
  const outgoing = makeOutgoing({
    privateEndpoints,
    resolve,
    connectTimeoutMs: 20_000,
    maxConnectionsPerHost: 2,
    ...more,
  });
  closing.push(() => outgoing.destroy());
  return outgoing;
}

function send(outgoing: Outgoing, url: string) {
  return sendRequest(outgoing, { method: "POST", url, headers: {}, body: "{}", timeout_ms: 20_000 });
}

function dispatchUnchecked(outgoing: Outgoing, url: URL): Promise<unknown> {
  return new Promise((resolve, reject) => {
    outgoing.dispatcher.dispatch(
      { origin: url.origin, path: url.pathname, method: "GET" },
      {
        onRequestStart() {},
        onResponseEnd: () => reject(new Error("The request was sent.")),
        onResponseError: (_controller, error) => (error instanceof ConnectFailure ? resolve(error) : reject(error)),
      },
    );
  });
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

async function startCanary(host: string, port: number): Promise<number> {
  const canary = net.createServer((socket) => {
    canaryConnections++;
    socket.destroy();
  });
  canaries.push(canary);
  canary.listen(port, host);
  await once(canary, "listening");
  return (canary.address() as AddressInfo).port;
}

type EndpointHabits = { keepAlive: boolean; delayMs?: number; connections?: Set<net.Socket> };

function startEndpoint(host: string, { keepAlive, delayMs = 0, connections }: EndpointHabits): Promise<number> {
  const server = http.createServer((request, response) => {
    response.shouldKeepAlive = keepAlive;
    response.setHeader("x-seen-host", request.headers.host ?? "");
    setTimeout(() => response.end("ok"), delayMs);
  });
  server.on("connection", (socket) => connections?.add(socket));
  return listen(server, host);
}
