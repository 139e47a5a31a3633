import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { anyOutgoing, closeAll, endpoint, rawEndpoint, send } from "../../../test/outside/loopback.ts";
import { abortRequest, newAbortHandle } from "./abort-handle.ts";

afterEach(closeAll);

describe("a response", () => {
  it("has status, headers and body; the request has method, path, headers and body", async () => {
    const seen: unknown[] = [];
    const url = await endpoint((request, response) => {
      request.on("data", (data) =>
        seen.push(request.method, request.url, request.headers["x-svc-run-id"], String(data)),
      );
      request.on("end", () =>
        response.writeHead(201, { "content-type": "application/json", "x-two": ["a", "b"] }).end('{"a":1}'),
      );
    });

    const sent = await send({ url: `${url}/hook?a=%20b`, headers: { "X-Svc-Run-Id": "r1" }, body: "ünï" });
    expect(sent).toMatchObject({
      kind: "responded",
      status: 201,
      truncated: false,
      headers: { "content-type": "application/json", "x-two": ["a", "b"] },
    });
    expect(sent).toMatchObject({ body: Buffer.from('{"a":1}'), duration_ms: expect.any(Number) });
    expect(seen).toEqual(["POST", "/hook?a=%20b", "r1", "ünï"]);
  });

  it.each([200, 204, 400, 404, 409, 429, 500, 503])("%i is a response", async (status) => {
    const url = await endpoint((_request, response) => response.writeHead(status).end());
    expect(await send({ url })).toMatchObject({ kind: "responded", status, body: Buffer.alloc(0) });
  });

  const targets = [
    "http://127.0.0.1:1/",
    "http://169.254.169.254/latest/",
    "/elsewhere",
    "//[::1]/",
    "file:///etc/passwd",
  ];
  it.each([301, 302, 303, 307, 308].flatMap((status) => targets.map((location) => ({ status, location }))))(
    "$status to $location is not followed",
    async ({ status, location }) => {
      let requests = 0;
      const url = await endpoint((_request, response) => {
        requests++;
        response.writeHead(status, { location }).end();
      });
      expect(await send({ url })).toMatchObject({ kind: "responded", status, headers: { location } });
      expect(requests).toBe(1);
    },
  );

  it("leaves no timer behind", async () => {
    const url = await endpoint((_request, response) => response.end());
    const outgoing = anyOutgoing();
    const before = countTimers();
    await Promise.all(Array.from({ length: 50 }, () => send({ url, timeout_ms: 60_000 }, outgoing)));
    expect(countTimers() - before).toBeLessThan(10);
  });

  it("may follow early hints", async () => {
    const url = await rawEndpoint(
      "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    );
    expect(await send({ url })).toMatchObject({ kind: "responded", status: 200, body: Buffer.from("ok") });
  });
});

describe("a long response", () => {
  it("that ends exactly at the cap is complete", async () => {
    const url = await endpoint((_request, response) => response.end("x".repeat(1000)));
    const sent = await send({ url, max_response_bytes: 1000 });
    expect(sent).toMatchObject({ kind: "responded", truncated: false, body: Buffer.alloc(1000, "x") });
  });

  it("is cut at the cap, and its connection is not reused", async () => {
    const url = await endpoint((request, response) => response.end(request.url === "/a" ? "x".repeat(1001) : "short"));
    const outgoing = anyOutgoing();
    const cut = await send({ url: `${url}/a`, max_response_bytes: 1000 }, outgoing);
    expect(cut).toMatchObject({ kind: "responded", status: 200, truncated: true, body: Buffer.alloc(1000, "x") });
    expect(await send({ url }, outgoing)).toMatchObject({ body: Buffer.from("short") });
  });

  it("of 100 MB is read to 1 MiB, twenty times, ten at once, with flat memory", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    let written = 0;
    const url = await endpoint((_request, response) => {
      let left = (100 * 1024 * 1024) / piece.length;
      const pump = () => {
        while (left-- > 0 && !response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on("drain", pump);
      pump();
    });
    const outgoing = anyOutgoing({ maxConnectionsPerHost: 10 });
    const before = process.memoryUsage().rss;

    for (let n = 0; n < 2; n++) {
      const all = await Promise.all(Array.from({ length: 10 }, () => send({ url }, outgoing)));
      expect(all.map((sent) => sent.kind === "responded" && sent.truncated && sent.body.length)).toEqual(
        Array(10).fill(1024 * 1024),
      );
    }
    expect(written).toBeLessThan(20 * 10 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it("in one-byte chunks does not take more memory than its bytes", async () => {
    const url = await rawEndpoint(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(200_000)}0\r\n\r\n`,
    );
    const sent = await send({ url, max_response_bytes: 100_000 });
    expect(sent).toMatchObject({ kind: "responded", truncated: true });
    expect(sent.kind === "responded" && sent.body.equals(Buffer.alloc(100_000, "x"))).toBe(true);
    expect(sent.kind === "responded" && sent.body.buffer.byteLength).toBeLessThanOrEqual(200_000);
  });

  it("that is a gzip bomb stays compressed", async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const url = await endpoint((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
    );
    const sent = await send({ url });
    expect(sent).toMatchObject({ kind: "responded", truncated: false, headers: { "content-encoding": "gzip" } });
    expect(sent.kind === "responded" && gunzipSync(sent.body).length).toBe(8 * 1024 * 1024);
  });
});

describe("the caller", () => {
  it("may abort before the request", async () => {
    const url = await endpoint(() => {});
    expect(await send({ url, abortHandle: { isAborted: true, onAbort: undefined } })).toMatchObject({
      kind: "failed",
      reason: "aborted",
    });
  });

  it("may abort a hundred requests, each by its abort handle, at any phase", async () => {
    const url = await endpoint((_request, response) => void response.writeHead(200).write("begun"));
    const abortHandles = Array.from({ length: 100 }, newAbortHandle);
    const outgoing = anyOutgoing({ maxConnectionsPerHost: 10 });
    const all = abortHandles.map((abortHandle) => send({ url, abortHandle }, outgoing));

    setTimeout(() => abortHandles.forEach(abortRequest), 60);
    for (const sent of await Promise.all(all)) expect(sent).toMatchObject({ kind: "failed", reason: "aborted" });
  });

  it.each<[string, Record<string, string>]>([
    ["a second Host", { HOST: "127.0.0.1" }],
    ["a line break in a header", { "x-a": "a\r\nx-b: c" }],
    ["a bad header name", { "x a": "a" }],
    ["its own framing", { "transfer-encoding": "chunked" }],
    ["a length that lies", { "content-length": "1" }],
    ["an upgrade", { upgrade: "websocket" }],
    ["an expectation", { expect: "100-continue" }],
  ])("may not send %s", async (_what, headers) => {
    let requests = 0;
    const url = await endpoint(() => requests++);
    expect(await send({ url, headers })).toMatchObject({ kind: "failed", reason: "protocol" });
    expect(requests).toBe(0);
  });
});

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
}
