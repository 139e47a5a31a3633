import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { readResponses, sendRaw } from "../../test/outside/raw-request.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { type Instance, makeWorld, type World } from "../../test/world/world.ts";
import { newKey } from "../platform/access/credentials/key-format.ts";
import { newId } from "../platform/ids.ts";

const ECHO = "/v1/test/echo";
const MAX_BODY_BYTES = 2_048;

let world: World;
let narrow: Instance;
beforeAll(async () => {
  world = await makeWorld({ routes: edgeRoutes });
  narrow = await world.anotherInstance({ max_body_bytes: MAX_BODY_BYTES });
});

function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ payload: "" });
  return JSON.stringify({ payload: "x".repeat(bytes - empty.length) });
}

async function sendBytes(
  body: string | Buffer,
  headers: Record<string, string> = { "content-type": "application/json" },
) {
  const response = await fetch(`${world.url}${ECHO}`, { method: "POST", headers, body });
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it is about
  return { status: response.status, body: (await response.json()) as any };
}

describe("the size of a body", () => {
  it("O5 may be exactly the limit, and not one byte more", async () => {
    expect((await narrow.anonymous.post(ECHO, bodyOf(MAX_BODY_BYTES))).status).toBe(200);
    const refused = await narrow.anonymous.post(ECHO, bodyOf(MAX_BODY_BYTES + 1));
    expect([refused.status, refused.body.code]).toEqual([413, "payload_too_large"]);
  });

  it("O5 of a refused request does not matter to a client that reads only after it has sent everything", async () => {
    const body = Buffer.alloc(8_000_000, "x");
    const head = `POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname).pause();
    await once(socket, "connect");
    await new Promise((sent, failed) => {
      socket.once("error", failed);
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
      socket.write(body, sent);
    });
    const [reply] = readResponses(Buffer.concat(await socket.toArray()).toString("latin1"));
    expect(reply?.status).toBe(401);
  });

  it.each([
    ["without a credential", "/v1/jobs", "X-Request-Id: a"],
    ["of an unknown key", "/v1/jobs", `Authorization: Bearer ${newKey()}`],
    ["of an unknown key, on the fast path", "/v1/jobs/a/trigger", `Authorization: Bearer ${newKey()}`],
    ["of a wrong run token", `/sdk/v1/runs/${newId()}/log`, "Authorization: Bearer a.b.c"],
  ])("O5 does not matter to the refusal of a request %s, which comes before it", async (_, path, credential) => {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: 1000\r\n\r\n{`);
    const [received] = await once(socket, "data");
    socket.destroy();
    expect(String(received)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("O5 is counted in bytes, not in characters", async () => {
    const euros = JSON.stringify({ payload: "€".repeat(700) });
    expect(euros.length).toBeLessThan(MAX_BODY_BYTES);
    expect((await narrow.anonymous.post(ECHO, euros)).status).toBe(413);
  });

  it.each([0, 1])("O5 is also counted when the body comes in chunks without a length: %i over", async (over) => {
    const body = bodyOf(MAX_BODY_BYTES + over);
    const head = `POST ${ECHO} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    const chunks = (body.match(/.{1,500}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
    const [reply] = readResponses(
      await sendRaw(narrow.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
    );
    expect(reply?.status).toBe(over === 0 ? 200 : 413);
  });

  it("O5 is a megabyte by default", async () => {
    expect((await sendBytes(bodyOf(1_048_576))).status).toBe(200);
  });
});

describe("the content type of a body", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ])("O5 may be %s", async (type) => {
    expect((await sendBytes('{"payload":1}', { "content-type": type })).body.payload).toBe(1);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "text/json",
    "json",
    ",",
    "application/json, text/plain",
  ])("O5 may not be %s", async (type) => {
    const { status, body } = await sendBytes('{"payload":1}', { "content-type": type });
    expect([status, body.code]).toEqual([415, "unsupported_media_type"]);
  });

  it("O5 may not be missing", async () => {
    const head = `POST ${ECHO} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"payload":1}`;
    expect(readResponses(await sendRaw(world.url, head))[0]?.status).toBe(415);
  });

  it.each(["gzip", "GZIP", "br", "deflate", "identity, gzip"])("O5 may not be compressed: %s", async (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    expect((await sendBytes(gzipSync('{"payload":1}'), headers)).status).toBe(415);
  });

  it("O5 may come with the content encoding identity", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "identity" };
    expect((await sendBytes('{"payload":1}', headers)).status).toBe(200);
  });
});

describe("an empty body", () => {
  it("O5 is no body, with or without a content type", async () => {
    const none = await fetch(`${world.url}${ECHO}`, { method: "POST" });
    expect(none.status).toBe(200);
    expect((await sendBytes("")).status).toBe(200);
  });

  it.each(["null", "[]", '"text"', "1", "true"])("O5 is not %s: 422", async (text) => {
    const { status, body } = await sendBytes(text);
    expect([status, body.code, body.errors[0]?.location]).toEqual([422, "validation_failed", "body"]);
  });
});

describe("a body that could not be stored as sent", () => {
  const deep = (levels: number) => `{"payload":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const cases: [
    name: string,
    body: string | Buffer,
    status: number,
    code: string,
    location: string,
    message: RegExp,
  ][] = [
    ["malformed, with its position", '{"payload": tru}', 400, "bad_request", "body", /line 1, column 13/],
    ["malformed on a later line", '{\n  "payload": 1,\n}', 400, "bad_request", "body", /line 3, column 1/],
    ["cut off", '{"payload": "x', 400, "bad_request", "body", /line 1/],
    ["white space", "   ", 400, "bad_request", "body", /empty/],
    ["two values", "{} {}", 400, "bad_request", "body", /line 1, column 4/],
    ["a duplicate key", '{"payload":1,"payload":1}', 400, "duplicate_key", "body.payload", /duplicate/],
    [
      "a nested duplicate key",
      '{"payload":{"items":[{"a":1},{"a":1,"b":2,"a":3}]}}',
      400,
      "duplicate_key",
      "body.payload.items[1].a",
      /duplicate/,
    ],
    ["a byte order mark", "\ufeff{}", 400, "bad_request", "body", /byte order mark/],
    [
      "bad UTF-8",
      Buffer.from([...Buffer.from('{"payload":"'), 0xff, 0x22, 0x7d]),
      400,
      "bad_request",
      "body",
      /UTF-8 \(byte 12\)/,
    ],
    ["U+0000", '{"payload":{"a":["\\u0000"]}}', 400, "invalid_text", "body.payload.a[0]", /U\+0000/],
    ["U+0000 in a key", '{"payload":{"a\\u0000":1}}', 400, "invalid_text", 'body.payload["a\\u0000"]', /U\+0000/],
    [
      "a lone surrogate",
      '{"payload":"a\\ud800b"}',
      400,
      "invalid_text",
      "body.payload",
      /lone surrogate at position 1/,
    ],
    ["1e400", '{"payload":[1e400]}', 422, "number_out_of_range", "body.payload[0]", /too large/],
    [
      "12345678901234567890",
      '{"payload":{"n":12345678901234567890}}',
      422,
      "number_out_of_range",
      "body.payload.n",
      /2\^53/,
    ],
    [
      "a number that would be rounded",
      '{"payload":0.12345678901234567890}',
      422,
      "number_out_of_range",
      "body.payload",
      /rounded/,
    ],
    ["64 levels in the object", deep(64), 422, "payload_too_complex", `body.payload${"[0]".repeat(63)}`, /64 levels/],
    ["a hundred thousand levels", deep(100_000), 422, "payload_too_complex", "body", /64 levels/],
    [
      "50,001 values",
      JSON.stringify({ payload: Array(50_000).fill(1) }),
      422,
      "payload_too_complex",
      "body",
      /50000 values/,
    ],
    [
      "__proto__",
      '{"payload":{"__proto__":{"admin":true}}}',
      422,
      "payload_too_complex",
      "body.payload.__proto__",
      /not a usable key/,
    ],
    [
      "a key of 257 bytes",
      `{"payload":{"${"k".repeat(257)}":1}}`,
      422,
      "payload_too_complex",
      "body.payload",
      /256 bytes/,
    ],
  ];

  it.each(cases)("O5 O3 %s", async (_, sent, status, code, location, message) => {
    const { status: given, body } = await sendBytes(sent);
    expect([given, body.code]).toEqual([status, code]);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({ location, message: expect.stringMatching(message) });
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it("O5 just within each limit is returned unchanged", async () => {
    const kept = [
      JSON.parse(deep(63)).payload,
      Array(49_998).fill(1),
      { ["k".repeat(256)]: "\u0001\ud83d\ude00", constructor: 1, toString: null, "": 0 },
      [9_007_199_254_740_991, -9_007_199_254_740_991, 1e300, 0.1, -0.5e-10],
    ];
    for (const payload of kept) expect((await sendBytes(JSON.stringify({ payload }))).body.payload).toEqual(payload);
  });
});
