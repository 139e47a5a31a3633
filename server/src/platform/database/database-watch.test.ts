import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type pg from "pg";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakePooler } from "../../../test/outside/fake-pooler.ts";
import { cloneDatabase, runSql, type TestConnection } from "../../../test/world/database.ts";
import { holdGate, whenBlocked } from "../../../test/world/queue-world.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld } from "../../../test/world/world.ts";
import { makeMetrics } from "../metrics/metrics.ts";
import { type DatabaseWatch, watchDatabase } from "./database-watch.ts";
import { openDatabase } from "./db.ts";
import { LONG_TIMEOUTS, TIMEOUTS, type Timeouts } from "./timeouts.ts";

/** As in production, ten times faster. */
const SHORT = { ...TIMEOUTS, connect_within_ms: 90, query_within_ms: 120, check_every_ms: 30 };

/** A proxy to the database that stops forwarding when muted. */
async function openLine({ host, port, user, database }: TestConnection) {
  const ends: Socket[] = [];
  let isHushed = false;
  const server = createServer((near) => {
    ends.push(near.on("error", () => {}));
    if (isHushed) return;
    const far = connect(join(host, `.s.PGSQL.${port}`));
    ends.push(far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const)
      from.on("error", () => {}).pipe(to);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const end of ends) end.destroy();
  });
  const connection = { host: "127.0.0.1", port: (server.address() as AddressInfo).port, user, database };
  const hush = () => {
    isHushed = true;
    for (const end of ends) end.unpipe().resume();
  };
  return { connection, hush };
}

const SILENT = pino({ level: "silent" });

/** The watch of a service with these timeouts. */
function watchOf(connection: pg.ClientConfig, timeouts: Timeouts, log = SILENT): DatabaseWatch {
  const database = openDatabase(connection, connection, log, timeouts);
  const watch = watchDatabase(database, log, makeMetrics(), timeouts);
  onTestFinished(async () => {
    watch.stop();
    await database.close();
  });
  return watch;
}

describe("a silent database", () => {
  it("counts as unreachable for a service, but not yet for one used by tests", async () => {
    const { connection, hush } = await openLine(await cloneDatabase());
    const [usual, tolerant] = [watchOf(connection, SHORT), watchOf(connection, LONG_TIMEOUTS)];
    for (const watch of [usual, tolerant]) {
      watch.start();
      await until("it to be up", 20_000, async () => {
        await watch.ping();
        return watch.isUp();
      });
    }
    hush();
    await until("the service to notice", 20_000, () => !usual.isUp());
    for (let nth = 0; nth < 3; nth++) await usual.ping(); // long enough for another watch to notice, too
    expect([usual.isUp(), tolerant.isUp()]).toEqual([false, true]);
  });
});

describe("a pooler that refuses our settings", () => {
  it("counts as unreachable and not slow, though the setting it names is a timeout; the log states the reason", async () => {
    const world = await makeWorld();
    const pooler = { connectionString: await fakePooler(world.connection) };
    const said: string[] = [];
    const log = pino({ level: "error" }, { write: (line) => void said.push(line) });
    const watch = watchOf(pooler, LONG_TIMEOUTS, log);
    await watch.ping();
    expect(watch.isUp()).toBe(false);
    expect(JSON.parse(said[0] ?? "")).toMatchObject({ reason: "unsupported startup parameter: statement_timeout" });
  });
});

describe("an instance that was stalled", () => {
  it("does not mistake its own delay for a silent database", async () => {
    const watch = watchOf(await cloneDatabase(), TIMEOUTS);
    await watch.ping(); // connects
    const asking = watch.ping();
    await new Promise(setImmediate); // the ping was sent
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await asking;
    expect(watch.isUp()).toBe(true);
  });
});

describe("a jump of the database's clock", () => {
  it("is noticed if the clock goes ahead, and neither when it goes back nor when a response is late", async () => {
    const connection = await cloneDatabase();
    const watch = watchOf(connection, { ...LONG_TIMEOUTS, clock_step_ms: 60_000 });
    const clockIs = async (now: string) => {
      await runSql(
        connection,
        `create or replace function clock() returns timestamptz language sql stable as $$ select ${now} $$`,
      );
      await watch.ping();
      return watch.sinceJumpMs();
    };
    expect(await clockIs("statement_timestamp() - interval '1 day'")).toBe(Number.POSITIVE_INFINITY);
    expect(await clockIs("statement_timestamp() - interval '2 days'")).toBe(Number.POSITIVE_INFINITY);
    expect(await clockIs("statement_timestamp() - interval '2 days' + interval '59 s'")).toBe(Number.POSITIVE_INFINITY);
    expect(await clockIs("statement_timestamp() - interval '1 day'")).toBeLessThan(60_000);
  });
});

describe("the database time of an instance", () => {
  it("is that of its latest ping, even when the response to the previous one arrives later", async () => {
    const { connection, ctx } = await makeWorld();
    ctx.watch.stop(); // from now on it pings only on request
    const replaceClock = (body: string) =>
      runSql(
        connection,
        `create or replace function clock() returns timestamptz language plpgsql stable as $$ begin ${body} end $$`,
      );
    const gate = await holdGate(connection, "select pg_advisory_xact_lock(1)");
    await replaceClock("perform pg_advisory_xact_lock_shared(1); return '2030-01-01Z';");
    const overtaken = ctx.watch.ping();
    await whenBlocked(connection);
    await replaceClock("return '2030-02-01Z';");
    await until("the second answer", 20_000, async () => {
      await ctx.watch.ping();
      return ctx.watch.nowMs() >= Date.UTC(2030, 1, 1);
    });
    await gate.open();
    await overtaken;
    expect(new Date(ctx.watch.nowMs()).toISOString()).toMatch(/^2030-02-01/);
  });
});
