import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** Modules that may open outgoing connections without the guard, each with its reason. */
const EXCEPTIONS: Record<string, string> = {
  "api/response/send-bad-request.ts": "responds on an incoming socket",
  "platform/database/database-sockets.ts": "the database, which the operator configures",
  "platform/database/database-url.ts": "checks files of certificates and connects to nothing",
};

/** Modules that create a guarded client, each with its reason. One client is enough for all addresses from tenants. */
const MAKERS: Record<string, string> = {
  "main/open-service.ts": "the client of the service",
  "platform/access/sign-in/provider-client.ts": "identity providers, which the operator configures",
  "platform/access/credentials/oidc.ts": "the issuer, which the operator configures and which may be internal",
};

/** Names that can open a connection: a client, a socket, or a global that connects. Types of `node:http` cannot. */
const CLIENTS =
  /from "(undici|axios|got|node-fetch|ky)"|import (?!type)[^;]*from "(node:)?(https?|http2|net|tls|dgram)"|\b(fetch|WebSocket|EventSource)\(/;

/** Creating a server or parsing an address opens no connection. */
const HARMLESS =
  /import \{[^}]*\b(isIP|isIPv4|isIPv6|BlockList|createServer|Server)\b[^}]*\} from "(node:)?(net|https?)"/;

describe("outgoing calls", () => {
  it("are made only in platform/outgoing, whose connector checks the address", () => {
    const others = sourceFiles().filter(
      ({ path, text }) =>
        !path.startsWith("platform/outgoing/") && !(path in EXCEPTIONS) && CLIENTS.test(text) && !HARMLESS.test(text),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it("are detected elsewhere, whichever API they use", () => {
    const seen = [
      'import { request } from "undici";',
      'import https from "node:https";',
      'import { connect } from "node:net";',
      "const response = await fetch(url);",
      "new WebSocket(url)",
    ];
    for (const text of seen) expect(CLIENTS.test(text) && !HARMLESS.test(text)).toBe(true);
    expect(CLIENTS.test('import type { IncomingHttpHeaders } from "node:http";')).toBe(false);
  });

  it("never use a second client built from the parts of the guarded one", () => {
    const makers = sourceFiles().filter(
      ({ path, text }) => /\bmakeOutgoing\(/.test(text) && path !== "platform/outgoing/guarded-agent.ts",
    );
    expect(makers.map(({ path }) => path).filter((path) => !(path in MAKERS))).toEqual([]);
  });
});
