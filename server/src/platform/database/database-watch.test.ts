import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { cloneDatabase, dropDatabase, runSql } from "../../../test/database.ts";
import { holdGate, whenBlocked } from "../../../test/queue-world.ts";
import { until } from "../../../test/until.ts";
import { makeWorld } from "../../../test/world.ts";
import { makeMetrics } from "../metrics.ts";
import { watchDatabase } from "./database-watch.ts";
import { openDatabase } from "./db.ts";

describe("an instance that stood still", () => {
  it("does not take its own delay for the database's silence", async () => {
    const connection = await cloneDatabase();
    const log = pino({ level: "silent" });
    const database = openDatabase(connection, connection, log);
    const watch = watchDatabase(database, log, makeMetrics());
    await watch.ping(); // connects
    const asking = watch.ping();
    await new Promise(setImmediate); // the question is on its way
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    await asking;
    expect(watch.isUp()).toBe(true);
    await database.close();
    await dropDatabase(connection);
  });
});

describe("the time that an instance knows", () => {
  it("is that of its last question, also when the answer to the one before comes later", async () => {
    const { connection, ctx } = await makeWorld();
    ctx.watch.stop(); // from now on it asks when it is told to
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
