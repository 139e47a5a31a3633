import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { whenFileEnds } from "../../world/end-of-file.ts";

export type HostileHost = {
  url: string;
  requests: number;
  /** Milliseconds until the service closed the connection of a request that had no response. */
  closedAfter: number[];
  /** Of one response. */
  mostBytes: number;
};

export type HostileHosts = {
  hosts: Record<Kind, HostileHost>;
  /** From now on all respond 200. */
  heal: () => void;
};

type Behavior = (request: IncomingMessage, response: ServerResponse) => void;

const HUGE_BYTES = 100_000_000;
const CHUNK = Buffer.alloc(64 * 1_024, "a");
const BOMB = gzipSync(Buffer.alloc(HUGE_BYTES));
const DRIP_MS = 200;

const BEHAVIORS = {
  hang: () => {},
  error: (_, response) => void response.writeHead(500).end(),
  reset: ({ socket }) => void socket.resetAndDestroy(),
  huge: (_, response) => sendHuge(response),
  drip: ({ socket }) => {
    socket.write("HTTP/1.1 200 OK\r\nx-a: ");
    const timer = setInterval(() => socket.write("a"), DRIP_MS);
    socket.on("close", () => clearInterval(timer));
  },
  bomb: (_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(BOMB),
  redirect: ({ headers }, response) => void response.writeHead(302, { location: `http://${headers.host}/away` }).end(),
} satisfies Record<string, Behavior>;

export type Kind = keyof typeof BEHAVIORS;
export const KINDS = Object.keys(BEHAVIORS) as Kind[];

/** One server for each kind, so that each is a host of its own. */
export async function openHostileHosts(): Promise<HostileHosts> {
  let isHealed = false;
  const open = async (kind: Kind): Promise<[Kind, HostileHost]> => {
    const host: HostileHost = { url: "", requests: 0, closedAfter: [], mostBytes: 0 };
    const server = createServer((request, response) => {
      host.requests++;
      request.on("error", () => {}).resume();
      response.on("error", () => {});
      if (isHealed) return void response.end();
      const before = request.socket.bytesWritten;
      const at = performance.now();
      request.socket.once("close", () => {
        if (!response.writableEnded) host.closedAfter.push(performance.now() - at);
        host.mostBytes = Math.max(host.mostBytes, request.socket.bytesWritten - before);
      });
      BEHAVIORS[kind](request, response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    whenFileEnds(async () => {
      server.closeAllConnections();
      server.close();
    });
    host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/work`;
    return [kind, host];
  };
  const hosts = Object.fromEntries(await Promise.all(KINDS.map(open))) as Record<Kind, HostileHost>;
  return {
    hosts,
    heal: () => {
      isHealed = true;
    },
  };
}

/** Only as fast as the other side reads. */
function sendHuge(response: ServerResponse): void {
  let sent = 0;
  const more = () => {
    while (sent < HUGE_BYTES && !response.destroyed) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}
