import http from "node:http";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { closeAll, closing, listen } from "../../../test/outside/loopback.ts";
import { startCanary } from "../../../test/seed/canary.ts";
import { makeOutgoing } from "./guarded-agent.ts";
import { sendRequest } from "./send-request.ts";

let canary: Awaited<ReturnType<typeof startCanary>>;
beforeAll(async () => {
  canary = await startCanary("127.0.0.2", "::1");
});
afterEach(async () => {
  await closeAll();
  expect(canary.connections()).toBe(0);
});

const STATUSES = [300, 301, 302, 303, 307, 308];
const TARGETS: [string, () => string][] = [
  ["a loopback address", () => `http://127.0.0.2:${canary.port}/`],
  ["IPv6 loopback", () => `http://[::1]:${canary.port}/`],
  ["cloud metadata", () => "http://169.254.169.254/latest/meta-data/"],
  ["a name that leads inside", () => `http://inside.example:${canary.port}/`],
  ["a number", () => `http://2130706434:${canary.port}/`],
  ["no scheme", () => `//127.0.0.2:${canary.port}/`],
];

describe("a receiver that redirects", () => {
  it.each(STATUSES.flatMap((status) => TARGETS.map(([name, location]) => [status, name, location] as const)))(
    "%s to %s is an ordinary response: nothing is followed",
    async (status, _name, location) => {
      let requests = 0;
      const port = await listen(
        http.createServer((_request, response) => {
          requests++;
          response.writeHead(status, { location: location() }).end();
        }),
      );
      const outgoing = makeOutgoing({
        privateEndpoints: { cidrs: ["127.0.0.1/32"] },
        resolve: async (name) => [name === "inside.example" ? "127.0.0.2" : "127.0.0.1"],
        connectTimeoutMs: 20_000,
        maxConnectionsPerHost: 2,
      });
      closing.push(() => outgoing.destroy());
      const url = `http://receiver.example:${port}/`;
      const sent = await sendRequest(outgoing, { method: "POST", url, headers: {}, body: "{}", timeout_ms: 20_000 });
      expect(sent).toMatchObject({ kind: "responded", status });
      expect(requests).toBe(1);
    },
  );
});
