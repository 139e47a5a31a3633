import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { TestConnection } from "../../database.ts";
import { atTheEnd } from "../../service/start-service.ts";

export type DatabaseProxy = {
  url: string;
  /** Breaks every connection and takes no new ones: a server that was stopped. */
  refuse: () => Promise<void>;
  /** Delays the answers to health checks alone, from the next ones on. */
  delayHealthChecks: (ms: number) => void;
  /** Takes connections and bytes, and passes nothing on: a cable that was pulled. */
  fallSilent: () => void;
  /** Serves new connections. Those that fell silent stay so for good, as behind a firewall that forgot them. */
  serve: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket };

/** A way to the database of the test run that can be broken. */
export async function openDatabaseProxy(connection: TestConnection): Promise<DatabaseProxy> {
  const pairs = new Set<Pair>();
  const hushed = new Set<Pair>();
  let silent = false;
  let healthDelayMs = 0;
  let listener: Server | undefined;
  let port = 0;

  function pairUp(client: Socket): void {
    const pair = { client, server: connect(join(connection.host, `.s.PGSQL.${connection.port}`)) };
    pairs.add(pair);
    // The first message names the application, in plain text.
    let delayMs = () => 0;
    client.once("data", (bytes) => {
      if (bytes.includes("millrace health")) delayMs = () => healthDelayMs;
    });
    pass(client, (bytes) => pair.server.write(bytes), pair);
    pass(pair.server, (bytes) => later(delayMs(), () => client.write(bytes)), pair);
    if (silent) hush(pair);
  }

  function pass(from: Socket, on: (bytes: Buffer) => void, pair: Pair): void {
    from.on("error", () => {});
    from.on("data", on);
    from.on("close", () => {
      if (!pairs.delete(pair)) return;
      pair.client.destroy();
      pair.server.destroy();
    });
  }

  /** What was passed on is no longer; bytes are read and lost. */
  function hush(pair: Pair): void {
    pairs.delete(pair);
    hushed.add(pair);
    for (const socket of [pair.client, pair.server]) socket.removeAllListeners("data").resume();
  }

  async function serve(): Promise<void> {
    silent = false;
    for (const { server } of hushed) server.destroy();
    if (listener) return;
    listener = createServer(pairUp).listen(port, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    port = typeof address === "object" && address ? address.port : 0;
  }

  async function refuse(): Promise<void> {
    const closing = listener;
    listener = undefined;
    const closed = closing && once(closing, "close");
    closing?.close();
    for (const { client, server } of [...pairs, ...hushed]) {
      client.destroy();
      server.destroy();
    }
    await closed;
  }

  function fallSilent(): void {
    silent = true;
    for (const pair of pairs) hush(pair);
  }

  await serve();
  atTheEnd(refuse);
  return {
    url: `postgres://${connection.user}@127.0.0.1:${port}/${connection.database}`,
    delayHealthChecks: (ms) => {
      healthDelayMs = ms;
    },
    refuse,
    fallSilent,
    serve,
  };
}

function later(ms: number, act: () => void): void {
  if (ms > 0) setTimeout(act, ms);
  else act();
}
