import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { TestConnection } from "../world/database.ts";
import { whenFileEnds } from "../world/end-of-file.ts";

export type ChaosProxy = {
  port: number;
  /** Breaks every connection and accepts no new ones until `heal`, like a stopped server. */
  cut: () => Promise<void>;
  /** Accepts connections and bytes but forwards nothing until `heal`, like an unplugged cable. */
  blackhole: () => void;
  /** Delays responses by this much; with a text, only on connections whose first message contains it. */
  delay: (ms: number, of?: string) => void;
  /** Forwards this many bytes per second in each direction of a connection. 0: no limit. */
  throttle: (bytesPerSec: number) => void;
  /** Forwards a matching request, then drops its response and the connection. Undefined: none. */
  dropReplies: (isHit: ((request: Buffer) => boolean) | undefined) => void;
  /** The number of dropped responses. */
  dropped: () => number;
  /** Restores service. Silenced connections stay silent, as behind a firewall that has lost their state. */
  heal: () => Promise<void>;
};

type Pair = { client: Socket; server: Socket; opening: string; isDoomed: boolean };

/** A TCP proxy between the service and a dependency that can fail in the ways that networks fail. */
export async function openChaosProxy(target: NetConnectOpts): Promise<ChaosProxy> {
  const pairs = new Set<Pair>();
  const silent = new Set<Pair>();
  let isSilent = false;
  let delayed = { ms: 0, of: "" };
  let bytesPerSec = 0;
  let isHit: ((request: Buffer) => boolean) | undefined;
  let dropped = 0;
  let listener: Server | undefined;
  let port = 0;

  function pairUp(client: Socket): void {
    const pair: Pair = { client, server: connect(target), opening: "", isDoomed: false };
    pairs.add(pair);
    client.once("data", (bytes) => {
      pair.opening = bytes.toString("latin1");
    });
    pass(client, pair, (bytes) => {
      if (isHit?.(bytes)) pair.isDoomed = true;
      pair.server.write(bytes);
    });
    pass(pair.server, pair, (bytes) => reply(pair, bytes));
    if (isSilent) hush(pair);
  }

  function reply(pair: Pair, bytes: Buffer): void {
    const ms = delayed.ms > 0 && pair.opening.includes(delayed.of) ? delayed.ms : 0;
    if (pair.isDoomed) {
      dropped++;
      breakOff(pair);
    } else if (ms > 0) setTimeout(() => pair.client.write(bytes), ms);
    else pair.client.write(bytes);
  }

  function pass(from: Socket, pair: Pair, on: (bytes: Buffer) => void): void {
    from.on("error", () => {});
    from.on("data", (bytes) => {
      on(bytes);
      if (bytesPerSec === 0) return;
      from.pause();
      setTimeout(() => from.resume(), (bytes.length / bytesPerSec) * 1_000);
    });
    from.on("close", () => {
      if (pairs.has(pair)) breakOff(pair);
    });
  }

  function breakOff(pair: Pair): void {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }

  /** Reads and discards bytes. */
  function hush(pair: Pair): void {
    pairs.delete(pair);
    silent.add(pair);
    for (const socket of [pair.client, pair.server]) socket.removeAllListeners("data").resume();
  }

  async function heal(): Promise<void> {
    isSilent = false;
    for (const { server } of silent) server.destroy();
    if (listener) return;
    listener = createServer(pairUp).listen(port, "127.0.0.1");
    await once(listener, "listening");
    port = (listener.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closing = listener;
    listener = undefined;
    const closed = closing && once(closing, "close");
    closing?.close();
    for (const pair of [...pairs, ...silent]) breakOff(pair);
    silent.clear();
    await closed;
  }

  await heal();
  whenFileEnds(cut);
  return {
    ...{ port, cut, heal, dropped: () => dropped },
    blackhole: () => {
      isSilent = true;
      for (const pair of pairs) hush(pair);
    },
    delay: (ms, of = "") => {
      delayed = { ms, of };
    },
    throttle: (limit) => {
      bytesPerSec = limit;
    },
    dropReplies: (given) => {
      isHit = given;
    },
  };
}

/** In front of the database of the test run. */
export async function openDatabaseProxy(connection: TestConnection): Promise<ChaosProxy & { url: string }> {
  const proxy = await openChaosProxy({ path: join(connection.host, `.s.PGSQL.${connection.port}`) });
  return { ...proxy, url: `postgres://${connection.user}@127.0.0.1:${proxy.port}/${connection.database}` };
}
