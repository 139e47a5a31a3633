import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { makeOutgoing, type Outgoing } from "../../src/platform/outgoing/guarded-agent.ts";
import { type OutgoingRequest, sendRequest } from "../../src/platform/outgoing/send-request.ts";

/** Resources that a test opened, closed after it. */
export const closing: (() => unknown)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

/** Longer than anything takes on a busy machine; tests of timeouts set their own. */
const TIMEOUT_MS = 20_000;

export function send(request: Partial<OutgoingRequest> & { url: string }, outgoing = anyOutgoing()) {
  return sendRequest(outgoing, { method: "POST", headers: {}, body: "{}", timeout_ms: TIMEOUT_MS, ...request });
}

export function anyOutgoing(more: { maxConnectionsPerHost?: number } = {}): Outgoing {
  const outgoing = makeOutgoing({
    privateEndpoints: "allow",
    resolve: async () => ["127.0.0.1"],
    connectTimeoutMs: TIMEOUT_MS,
    maxConnectionsPerHost: 2,
    ...more,
  });
  closing.push(() => outgoing.destroy());
  return outgoing;
}

export async function endpoint(response: http.RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(http.createServer(response))}`;
}

/** Sends these bytes in response to every request. */
export function rawEndpoint(bytes: string | Buffer): Promise<string> {
  return socketEndpoint((socket) => socket.once("data", () => socket.write(bytes)));
}

export async function socketEndpoint(behave: (socket: net.Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    closing.push(() => socket.destroy());
    behave(socket.on("error", () => {}).on("data", () => {}));
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

export async function listen(server: net.Server, host = "127.0.0.1"): Promise<number> {
  closing.push(() => {
    server.close();
    if (server instanceof http.Server || server instanceof https.Server) server.closeAllConnections();
  });
  server.listen(0, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
