import { once } from "node:events";
import { createServer, Socket } from "node:net";
import pg from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { until } from "../../../test/world/until.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { openDatabaseSockets } from "./database-sockets.ts";
import { sql } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The messages that each socket of this process sends, as the parts of each: other files' sockets send too. */
function watchWrites(): Map<unknown, string[][]> {
  const sent = new Map<unknown, string[][]>();
  const methods = Socket.prototype as unknown as Record<string, (...args: unknown[]) => void>;
  for (const name of ["_write", "_writev"]) {
    const send = methods[name];
    vi.spyOn(methods, name).mockImplementation(function (this: Socket, ...args) {
      const parts = name === "_write" ? [args[0]] : (args[0] as { chunk: unknown }[]).map(({ chunk }) => chunk);
      sent.set(this, [...(sent.get(this) ?? []), parts.map(String)]);
      send?.apply(this, args);
    });
  }
  return sent;
}

async function connected(greeting = ""): Promise<{ socket: Socket; received: () => string; close: () => void }> {
  let text = "";
  const server = createServer((peer) => {
    peer.on("data", (chunk) => (text += chunk));
    peer.write(greeting);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = openDatabaseSockets().open();
  socket.connect((server.address() as { port: number }).port, "127.0.0.1");
  await Promise.all([once(socket, "connect"), once(server, "connection")]); // the greeting is a message too
  return { socket, received: () => text, close: () => void [socket.destroy(), server.close()] };
}

describe("a socket to the database", () => {
  it("sends all writes of one turn of the event loop as one message, in order", async () => {
    const { socket, received, close } = await connected();
    const sent = watchWrites();
    socket.write("begin;");
    await Promise.resolve();
    socket.cork(); // as the driver does around each statement
    socket.write("first");
    socket.write("!;");
    socket.uncork();
    await Promise.resolve().then(() => Promise.resolve());
    socket.write("second;");
    await until("both to arrive", 20_000, () => received().endsWith("second;"));
    expect(received()).toBe("begin;first!;second;");
    expect(sent.get(socket)?.map((parts) => parts.length)).toEqual([4]);
    close();
  });

  it("sends writes of a later turn as another message", async () => {
    const { socket, received, close } = await connected();
    const sent = watchWrites();
    for (const text of ["a", "b"]) {
      socket.write(text);
      await new Promise(setImmediate);
    }
    await until("both to arrive", 20_000, () => received() === "ab");
    expect(sent.get(socket)?.map((parts) => parts.length)).toEqual([1, 1]);
    close();
  });

  it("is closed when it receives nothing in its first two seconds, and not otherwise", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const silent = await connected();
    const greeted = await connected("hello");
    greeted.socket.resume();
    await once(greeted.socket, "data");
    vi.advanceTimersByTime(1_999);
    await new Promise(setImmediate);
    expect([silent.socket.destroyed, greeted.socket.destroyed]).toEqual([false, false]);
    vi.advanceTimersByTime(1);
    await new Promise(setImmediate);
    expect([silent.socket.destroyed, greeted.socket.destroyed]).toEqual([true, false]);
    for (const { close } of [silent, greeted]) close();
  });
});

describe("while the database is silent", () => {
  it("fails new connections at once, and opens them again afterwards", async () => {
    const world = await makeWorld();
    const sockets = openDatabaseSockets();
    const pool = new pg.Pool({ ...world.connection, stream: sockets.openUnlessSilent });
    sockets.markSilence();
    await expect(pool.query("select 1")).rejects.toThrow("Connection terminated");
    sockets.closeSilent();
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});

describe("a transaction", () => {
  it("begins in the message of its first statements", async () => {
    const world = await makeWorld();
    const one = (ctx: { db: typeof world.ctx.db }) => sql`select 'mine'`.execute(ctx.db);
    await inTransaction(world.ctx, one); // connects
    const sent = watchWrites();
    await inTransaction(world.ctx, (tx) => Promise.all([one(tx), one(tx)]));
    const mine = [...sent.values()].filter((messages) => messages.flat().some((text) => text.includes("'mine'")));
    expect(mine.map((messages) => messages.length)).toEqual([2]); // those, and the commit
  });
});
