import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** Who may speak to the outside without the guard, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  "api/answer-unreadable.ts": "answers on a socket that somebody opened to us",
  "platform/database/database-sockets.ts": "the database, which the operator names",
};

/** Who makes a guarded client, each with its reason: one is enough for all that tenants name. */
const MAKERS: Record<string, string> = {
  "main/open-service.ts": "the one of the service",
  "platform/access/oidc.ts": "the issuer, which the operator names and which may be inside",
};

/** Names that lead outside: a client, a socket, or the global that dials by itself. Types of `node:http` do not. */
const CLIENTS =
  /from "(undici|axios|got|node-fetch|ky)"|import (?!type)[^;]*from "(node:)?(https?|http2|net|tls|dgram)"|\b(fetch|WebSocket|EventSource)\(/;

/** A server, or a look at an address, is no call. */
const HARMLESS =
  /import \{[^}]*\b(isIP|isIPv4|isIPv6|BlockList|createServer|Server)\b[^}]*\} from "(node:)?(net|https?)"/;

describe("calls to the outside", () => {
  it("are made in platform/outgoing alone, where the address is checked in the connector", () => {
    const others = sourceFiles().filter(
      ({ path, text }) =>
        !path.startsWith("platform/outgoing/") && !(path in EXCEPTIONS) && CLIENTS.test(text) && !HARMLESS.test(text),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it("would be seen elsewhere, whichever way they go", () => {
    const seen = [
      'import { request } from "undici";',
      'import https from "node:https";',
      'import { connect } from "node:net";',
      "const answer = await fetch(url);",
      "new WebSocket(url)",
    ];
    for (const text of seen) expect(CLIENTS.test(text) && !HARMLESS.test(text)).toBe(true);
    expect(CLIENTS.test('import type { IncomingHttpHeaders } from "node:http";')).toBe(false);
  });

  it("are dialled by nobody who makes a client of his own from the guarded one's parts", () => {
    const makers = sourceFiles().filter(
      ({ path, text }) => /\bmakeOutgoing\(/.test(text) && path !== "platform/outgoing/guarded-agent.ts",
    );
    expect(makers.map(({ path }) => path).filter((path) => !(path in MAKERS))).toEqual([]);
  });
});
