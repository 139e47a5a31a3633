/**
 * Bytes for the HTTP parser itself that no client library would send. `ambiguous`: two parsers could see two requests.
 * `isWhole`: the client waits for the response; otherwise it ends the connection, which may abort the request.
 */
export type RawCase = { bytes: string; ambiguous: boolean; isWhole?: true };

const ECHO = "POST /v1/test/echo HTTP/1.1";

const REQUEST_LINES = [
  "GET /health HTTP/1.1",
  "GET /health HTTP/1.0",
  "GET /health HTTP/2.0",
  "GET /health HTTP/9.9",
  "GET /health",
  "get /health HTTP/1.1",
  "GET  /health  HTTP/1.1",
  "GET http://evil.example/health HTTP/1.1",
  "GET /health\u0000 HTTP/1.1",
  "GET /\u00ff HTTP/1.1",
  "G\u0001T /health HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "\u0016\u0003\u0001\u0002\u0000", // a TLS client on a plaintext port
  `GET /${"x".repeat(20_000)} HTTP/1.1`,
];

const HEADERS = [
  "Host: a",
  "",
  "Host: a\r\nHost: b",
  "Host: ",
  "Host: a\r\nX: \u0000",
  "Host: a\r\nX: a\r\n folded",
  "Host: a\r\nNo colon here",
  "Host: a\r\n: no name",
  `Host: a\r\nX: ${"x".repeat(20_000)}`,
  `Host: a\r\n${Array.from({ length: 300 }, (_, index) => `X-${index}: y`).join("\r\n")}`,
];

/** Wrong or contradictory lengths, with a second request in place of the body. */
const AMBIGUOUS = [
  "Content-Length: 5\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nContent-Length: 5",
  "Content-Length: 5\r\nContent-Length: 6",
  "Content-Length: 5, 6",
  "Content-Length: +5",
  "Content-Length: -1",
  "Content-Length: 0x5",
  "Content-Length: 1e1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked, x",
  "Transfer-Encoding:\u000bchunked",
];

const BODIES = [
  "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
  "5;x=\n\r\nhello\r\n0\r\n\r\n",
  "zz\r\n",
  "ffffffffffffffff\r\nx",
];

/** Truncated requests: the announced bytes never arrive. */
const CUT = [
  "Content-Length: 100\r\n\r\n{",
  "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
  "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
  "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 1\r\n\r\n",
  "Content-Type: application/json\r\nContent-Length: 3",
];

/** Bodies as bytes, each with the media type that it is sent as. */
const ODD_BODIES: [type: string, body: string][] = [
  ["application/json", "\xef\xbb\xbf{}"],
  ["application/json", "\u0000"],
  ["application/json", '{"payload":"\\u0000"}'],
  ["application/json", '{"payload":"\\ud800"}'],
  ["application/json", '{"payload":"\xed\xa0\x80"}'], // a surrogate as UTF-8
  ["application/json", '{"payload":"\xc0\x80"}'], // an overlong NUL
  ["application/json", '{"payload":"\xff\xfe"}'],
  ["application/json", "\xff\xfe{\u0000}\u0000"], // UTF-16
  ["application/json", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ["application/json", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
  ["application/json", "[".repeat(60_000)],
  ["application/json", '{"payload":1e400}'],
  ["application/json", `{"payload":${"9".repeat(60_000)}}`],
  ["application/json", '{"__proto__":{"polluted":true}}'],
  ["application/json", '{"payload":{"__proto__":{"polluted":true}}}'],
  ["application/json", '{"constructor":{"prototype":{"polluted":true}}}'],
  ["application/json", '{"payload":1,"payload":2,"\\u0070ayload":3}'],
  ["application/json", '{"payload":NaN}'],
  ["application/json", '{"payload":1,}'],
  ["application/json", " ".repeat(60_000)],
  ["application/json", `{"payload":"${"\\u00e9".repeat(10_000)}"}`],
  ["application/json", "null"],
  ["application/json", '"text"'],
  ["application/json", `{"payload":"${"x".repeat(1_100_000)}"}`],
  ["application/json;;", "{}"],
  ["application/json; charset=utf-16", "{}"],
  ["application/json\r\nContent-Encoding: gzip", "\x1f\x8b\x08"],
  ["application/json\r\nExpect: 200-ok", "{}"],
  ["APPLICATION/JSON", "{}"],
  ["text/plain", "{}"],
  ["application/x-www-form-urlencoded", "payload=1"],
  ["multipart/form-data; boundary=x", '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--'],
  ["", "{}"],
  ["\xff", "{}"],
];

/** `heads`: request lines with their credentials, of routes that read a body. */
export function rawCases(heads: readonly string[] = [ECHO]): RawCase[] {
  const lines = REQUEST_LINES.flatMap((line) =>
    HEADERS.slice(0, 7).map((headers) => ({
      bytes: `${line}\r\n${headers}${headers && "\r\n"}\r\n`,
      ambiguous: false,
    })),
  );
  return [...lines, ...heads.flatMap(casesOf)];
}

function casesOf(head: string): RawCase[] {
  const headers = HEADERS.map((each) => ({ bytes: `${head}\r\n${each}${each && "\r\n"}\r\n`, ambiguous: false }));
  const smuggling = AMBIGUOUS.flatMap((lengths) =>
    BODIES.map((body) => ({
      bytes: `${head}\r\nHost: a\r\nContent-Type: application/json\r\n${lengths}\r\n\r\n${body}`,
      ambiguous: true,
    })),
  );
  const cut = CUT.map((end) => ({ bytes: `${head}\r\nHost: a\r\n${end}`, ambiguous: false }));
  const bodies = ODD_BODIES.map(([type, body]) => ({
    bytes: `${head}\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ambiguous: false,
    isWhole: true as const,
  }));
  return [...headers, ...smuggling, ...cut, ...bodies];
}
