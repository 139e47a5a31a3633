import { readFileSync } from "node:fs";
import https from "node:https";
import type net from "node:net";
import { isDeepStrictEqual } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import {
  anyOutgoing,
  closeAll,
  endpoint,
  listen,
  rawEndpoint,
  send,
  socketEndpoint,
} from "../../../test/outside/loopback.ts";
import { until } from "../../../test/world/until.ts";
import { abortRequest, newAbortHandle } from "./abort-handle.ts";

afterEach(closeAll);

describe("a slow endpoint", () => {
  const slow: [string, (socket: net.Socket) => void][] = [
    ["never answers", () => {}],
    ["stops in the headers", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-")],
    ["stops in the body", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")],
    ["drips its headers", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-a: ", "a")],
    ["drips its body", (socket) => drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n", "a")],
    [
      "drips chunk extensions",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", "a"),
    ],
    ["drips 102 Processing", (socket) => drip(socket, "", "HTTP/1.1 102 Processing\r\n\r\n")],
  ];

  it.each(slow)("%s: timeout", async (_name, behave) => {
    const sockets: net.Socket[] = [];
    const url = await socketEndpoint((socket) => {
      sockets.push(socket);
      behave(socket);
    });
    const sent = await send({ url, timeout_ms: 150 });

    expect(sent).toMatchObject({ kind: "failed", reason: "timeout", message: "No complete response within 150 ms." });
    await until("the connection", 20_000, () => sockets.length === 1); // it may be accepted after it was closed
    // By an end or by a reset: `once` would reject on the latter.
    await Promise.all(sockets.map((socket) => socket.closed || new Promise((close) => socket.once("close", close))));
    expect(sockets).toHaveLength(1);
  });

  it("accepts no TLS: timeout", async () => {
    const url = await socketEndpoint(() => {});
    expect(await send({ url: url.replace("http:", "https:"), timeout_ms: 150 })).toMatchObject({ reason: "timeout" });
  });

  it("makes others wait for its connection: their timeouts run, and a timed out request is never sent", async () => {
    const seen: string[] = [];
    const url = await endpoint((request, response) => {
      seen.push(request.url ?? "");
      if (request.url !== "/hangs") response.end();
    });
    const outgoing = anyOutgoing({ maxConnectionsPerHost: 1 });
    const abortHandle = newAbortHandle();
    const hanging = send({ url: `${url}/hangs`, abortHandle }, outgoing);
    await until("the request", 20_000, () => isDeepStrictEqual(seen, ["/hangs"]));
    const waiting = send({ url: `${url}/waits`, timeout_ms: 100 }, outgoing);
    const later = send({ url: `${url}/later` }, outgoing);

    expect(await waiting).toMatchObject({ kind: "failed", reason: "timeout" });
    abortRequest(abortHandle);
    expect(await hanging).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(await later).toMatchObject({ kind: "responded", status: 200 });
    expect(seen).toEqual(["/hangs", "/later"]);
  });
});

describe("an endpoint that disconnects", () => {
  it.each<[string, (socket: net.Socket) => void]>([
    ["resets at once", (socket) => socket.resetAndDestroy()],
    ["closes at once", (socket) => socket.end()],
    ["resets in the headers", (socket) => socket.write("HTTP/1.1 200 OK\r\nx-", () => socket.resetAndDestroy())],
    [
      "resets in the body",
      (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab", () => socket.resetAndDestroy()),
    ],
    ["closes in the body", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab")],
    ["closes in a chunk", (socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nab")],
  ])("%s: reset", async (_name, behave) => {
    const url = await socketEndpoint((socket) => socket.once("data", () => behave(socket)));
    expect(await send({ url })).toMatchObject({ kind: "failed", reason: "reset" });
  });

  it("does not listen: connect", async () => {
    const url = await socketEndpoint(() => {});
    await closeAll();
    expect(await send({ url })).toMatchObject({
      reason: "connect",
      message: "Could not connect to the endpoint (ECONNREFUSED).",
    });
    expect(await send({ url: url.replace("http:", "https:") })).toMatchObject({ reason: "connect" });
  });
});

describe("an endpoint that does not speak HTTP", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["a bad status line", "HTTP/1.1 abc OK\r\n\r\n"],
    ["HTTP/2 frames", Buffer.from("000012040000000000000300000064", "hex")],
    ["a bad header", `${head}b\u0000d: 1\r\n\r\n`],
    ["a bad content-length", `${head}content-length: -1\r\n\r\n`],
    ["two lengths", `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ["length and chunks", `${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`],
    ["a bad chunk size", `${head}transfer-encoding: chunked\r\n\r\nzz\r\nab`],
    ["headers over 16 KiB", `${head}${"x-a: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".repeat(600)}\r\n`],
    ["one header over 16 KiB", `${head}x-a: ${"a".repeat(20_000)}\r\n\r\n`],
    ["trailers over 16 KiB", `${head}transfer-encoding: chunked\r\n\r\n0\r\nx-a: ${"a".repeat(20_000)}\r\n\r\n`],
    ["an upgrade nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
    ["a 100 nobody asked for", "HTTP/1.1 100 Continue\r\n\r\n"],
  ])("%s: protocol, in our own words", async (_what, bytes) => {
    const url = await rawEndpoint(bytes);
    const sent = await send({ url });
    expect(sent).toMatchObject({ kind: "failed", reason: "protocol" });
    expect(sent).toMatchObject({
      message: expect.stringMatching(/^The endpoint's response is not valid HTTP \(\w+\)\.$/),
    });
  });

  it.each([
    ["less than its length, then close", `${head}connection: close\r\ncontent-length: 9\r\n\r\nab`],
    ["half a chunk, then close", `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n9\r\nab`],
  ])("%s is not a response", async (_what, bytes) => {
    const url = await socketEndpoint((socket) => socket.once("data", () => socket.end(bytes)));
    expect(await send({ url })).toMatchObject({ kind: "failed" });
  });
});

describe("an https endpoint", () => {
  it("that speaks plain HTTP: tls", async () => {
    const url = await endpoint((_request, response) => response.end());
    expect(await send({ url: url.replace("http:", "https:") })).toMatchObject({ kind: "failed", reason: "tls" });
  });

  it("with an untrusted certificate: tls", async () => {
    const data = new URL("../../../test/data/", import.meta.url);
    const server = https.createServer({
      key: readFileSync(new URL("self-signed.key.pem", data)),
      cert: readFileSync(new URL("self-signed.cert.pem", data)),
    });
    const port = await listen(server);
    const sent = await send({ url: `https://endpoint.test:${port}/` });
    expect(sent).toMatchObject({
      reason: "tls",
      message: "The TLS handshake with the endpoint failed (DEPTH_ZERO_SELF_SIGNED_CERT).",
    });
  });
});

function drip(socket: net.Socket, first: string, again: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(again), 20);
  socket.on("close", () => clearInterval(timer));
}
