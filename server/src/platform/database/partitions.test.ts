import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { keepPartitions } from "./partitions.ts";
import { sql } from "./sql.ts";
import { inTransaction } from "./transaction.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

describe("a day that gets its partition after its first rows", () => {
  it("hides none of them from a statement that is planned meanwhile", async () => {
    await world.clock.set("2035-03-30T10:00:00Z");
    const { sdk } = await runningRun(world, await world.project());
    await sdk.post("/log", { message: "early" });
    // On a busy machine the pass may exceed its lock timeout: then it is tried again.
    await until("the day to have its partition", 60_000, async () => {
      const { isKept, found } = await readDuringPass();
      expect(found).toEqual(["early"]);
      return isKept || undefined;
    });
    const [row] = await runSql(world.connection, "select tableoid::regclass::text as partition from run_logs");
    expect(row).toEqual({ partition: "run_logs_20350330" });
  });
});

/** Reads the lines while the pass has moved them, and waits for the default partition to attach the new one. */
async function readDuringPass(): Promise<{ isKept: boolean; found: string[] }> {
  let isOver = false;
  const [keeping, reading] = await inTransaction(world.ctx, async (tx) => {
    await sql`lock table run_logs_rest in access share mode`.execute(tx.db);
    const pass = keepPartitions(world.ctx, { table: "run_logs", keep_secs: 86_400 })
      .then(
        () => true,
        () => false,
      )
      .finally(() => (isOver = true));
    await untilWaiting(1);
    const read = runSql<{ message: string }>(world.connection, "select message from run_logs");
    await untilWaiting(2);
    return [pass, read] as const;
  });
  return { isKept: await keeping, found: (await reading).map(({ message }) => message) };

  async function untilWaiting(count: number): Promise<void> {
    await until(`${count} sessions to wait`, 20_000, async () => isOver || (await waiting()) >= count || undefined);
  }
}

async function waiting(): Promise<number> {
  const rows = await runSql(
    world.connection,
    `select from pg_locks l join pg_class c on c.oid = l.relation where not l.granted and c.relname ~ '^run_logs'
       and l.database = (select d.oid from pg_database d where d.datname = current_database())`,
  );
  return rows.length;
}
