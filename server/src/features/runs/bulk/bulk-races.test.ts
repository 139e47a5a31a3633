import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type SeedRun, seedJob, seedRuns } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { dyingInstance } from "../../../../test/world/dying-instance.ts";
import { holdGate, whenBlocked } from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/database/db.ts";
import { workOnBatches } from "./bulk-tasks.ts";

let world: World;
let other: Instance;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  other = await world.anotherInstance();
});
beforeEach(async () => {
  await until("both to be ready", 20_000, async () => {
    const responses = await Promise.all([world, other].map(({ anonymous }) => anonymous.get("/health/ready")));
    return responses.every(({ status }) => status === 200);
  });
  project = await world.project();
  job_id = (await seedJob(world.connection, project.id)).id;
});

const seedMany = (count: number, run: SeedRun = {}) =>
  seedRuns(
    world.connection,
    project.id,
    Array.from({ length: count }, () => ({ job_id, ...run })),
  );
const cancelAll = async (): Promise<string> =>
  (await project.api.post("/v1/runs/bulk-cancel-all", { filter: { job_id } })).body.id;
const replayAll = async (): Promise<string> =>
  (await project.api.post("/v1/runs/bulk-dlq-replay", { filter: { job_id } })).body.id;
const readBatch = async (id: string) => (await project.api.get(`/v1/batch-operations/${id}`)).body;

async function workWith(ctx: Ctx): Promise<void> {
  while (await workOnBatches(ctx));
}

/** Each run has exactly one item, one cancellation and one transition for it. */
async function expectEachOnce(batch_id: string, run_ids: string[]): Promise<void> {
  const items = await runSql<{ target_id: string }>(
    world.connection,
    "select target_id from batch_items where batch_id = $1 and status = 'succeeded' order by item_index",
    [batch_id],
  );
  expect(items.map((item) => item.target_id).toSorted()).toEqual(run_ids.toSorted());
  const [moved] = await runSql(
    world.connection,
    `select count(*)::int as transitions, count(distinct run_id)::int as runs from run_history
     where project_id = $1 and to_status = 'canceled'`,
    [project.id],
  );
  expect(moved).toEqual({ transitions: run_ids.length, runs: run_ids.length });
}

describe("two instances that process batches", () => {
  it("R10 share them and process no item twice", async () => {
    const many = sizeOf(250, 700);
    const ids = await seedMany(many);
    const batch = await cancelAll();
    await Promise.all([workWith(world.ctx), workWith(other.ctx), workWith(other.ctx), workWith(world.ctx)]);
    await workWith(world.ctx);
    expect(await readBatch(batch)).toMatchObject({ status: "completed", processed: many, succeeded: many });
    await expectEachOnce(batch, ids);
  });

  it("R10 two batches with the same filter cancel each run exactly once", async () => {
    const ids = await seedMany(sizeOf(120, 300));
    const batches = [await cancelAll(), await cancelAll()];
    await Promise.all([workWith(world.ctx), workWith(other.ctx)]);
    // A page that fails because both batches contend for the same rows is retried in the next pass.
    await until("both to end", 20_000, async () => {
      await workWith(world.ctx);
      const read = await Promise.all(batches.map(readBatch));
      return read.every(({ status }) => status === "completed");
    });
    const [first, second] = await Promise.all(batches.map(readBatch));
    expect(first.succeeded + second.succeeded).toBe(ids.length);
  });

  it("R10 replay each dead letter once even if both hold the batch because one's lease expired", async () => {
    await seedMany(120, { status: "failed", is_dead_letter: true });
    const batch = await replayAll();
    const expired = (async () => {
      for (let n = 0; n < 40; n++) {
        await runSql(
          world.connection,
          `update batch_operations set lease_until = clock() - interval '1 second', prev_status = status
           where id = $1 and lease_until is not null`,
          [batch],
        );
      }
    })();
    await Promise.all([workWith(world.ctx), workWith(other.ctx), expired]);
    await workWith(world.ctx);
    expect(await readBatch(batch)).toMatchObject({ status: "completed", succeeded: 120 });
    const [row] = await runSql(
      world.connection,
      "select count(*)::int as runs, count(distinct replay_of)::int as originals from runs where batch_id = $1",
      [batch],
    );
    expect(row).toEqual({ runs: 120, originals: 120 });
  });
});

/** Crashes at the n-th statement, inside a transaction or between two; PostgreSQL rolls the open one back. */
function dyingAfter(living: Ctx, statements: number): Ctx {
  const { ctx, die } = dyingInstance(living);
  let left = statements;
  const tire = () => {
    if (left-- > 0) return;
    die();
    throw Object.assign(new Error("Connection terminated"), { code: "ECONNRESET" });
  };
  const query = ({ query }: Db): Db["query"] => {
    return async (text, parameters) => {
      tire();
      return query(text, parameters);
    };
  };
  const begin = async () => {
    const trx = await ctx.db.begin();
    const commit = async () => {
      tire();
      await trx.commit();
    };
    return { ...trx, query: query(trx), commit };
  };
  return { ...ctx, db: { query: query(ctx.db), begin } };
}

describe("an instance that crashes while it processes a batch", () => {
  it.each([0, 2, 5, 9, 12, 13, 14, 20, 33])(
    "R10 after %i statements: another instance finishes it, and nothing is done twice",
    async (statements) => {
      const many = sizeOf(100, 350);
      const ids = await seedMany(many);
      const batch = await cancelAll();
      await workWith(dyingAfter(world.ctx, statements)).catch(() => {});
      await workWith(other.ctx);
      await world.clock.pass("61s");
      await workWith(other.ctx);
      expect(await readBatch(batch)).toMatchObject({ status: "completed", processed: many, succeeded: many });
      await expectEachOnce(batch, ids);
    },
  );

  it("R10 delays the batch only until its lease expires", async () => {
    await seedMany(3);
    const batch = await cancelAll();
    await runSql(
      world.connection,
      `update batch_operations set prev_status = status, status = 'running', lease_token = gen_random_uuid(),
         lease_until = clock() + interval '60 seconds' where id = $1`,
      [batch],
    );
    expect(await workOnBatches(other.ctx)).toBe(false);
    await world.clock.pass("60s");
    await workWith(other.ctx);
    expect((await readBatch(batch)).status).toBe("completed");
  });
});

describe("canceling a batch halfway", () => {
  it("R11 stops it after the current page: canceled runs stay canceled, the rest continue", async () => {
    const ids = await seedMany(sizeOf(450, 900));
    const batch = await cancelAll();
    const gate = await holdGate(world.connection, "select 1 from run_queue where run_id = $1 for update", [ids[100]]);
    const working = workWith(world.ctx);
    await whenBlocked(world.connection, 1);
    const canceling = project.api.post(`/v1/batch-operations/${batch}/cancel`);
    await whenBlocked(world.connection, 2);
    await gate.open();
    const { status, body } = await canceling;
    expect([status, body.status]).toEqual([200, "canceled"]);
    // Pages have a hundred runs, so the locked run is in the second. The next page may start before the cancel gets the
    // lock.
    expect(body.processed).toBeGreaterThanOrEqual(200);
    expect(body.processed % 100).toBe(0);
    expect(body.processed).toBeLessThan(ids.length);
    await working;
    expect(await readBatch(batch)).toMatchObject({ status: "canceled", processed: body.processed });
    const [row] = await runSql(
      world.connection,
      "select count(*) filter (where status = 'canceled')::int as canceled from runs where project_id = $1",
      [project.id],
    );
    expect(row).toEqual({ canceled: body.processed });
  });

  it("R11 a batch that has not started changes nothing", async () => {
    await seedMany(2);
    const batch = await cancelAll();
    await project.api.post(`/v1/batch-operations/${batch}/cancel`);
    await workWith(world.ctx);
    expect(await readBatch(batch)).toMatchObject({ status: "canceled", processed: 0 });
  });
});

describe("a run that ends while a batch cancels it", () => {
  it("R10 is skipped with its reason", async () => {
    const [run_id] = await seedMany(1, { status: "running" });
    const batch = await cancelAll();
    await holdThenEnd(run_id ?? "");
    const { data } = (await project.api.get(`/v1/batch-operations/${batch}/items`)).body;
    expect(data).toEqual([
      expect.objectContaining({
        target_id: run_id,
        status: "skipped",
        error: { code: "run_already_ended", message: "The run has already ended: its status is completed." },
      }),
    ]);
    expect(await readBatch(batch)).toMatchObject({ status: "completed", processed: 1, skipped: 1 });
  });

  /** Settles the run like the engine, and holds the queue row lock until the batch waits for it. */
  async function holdThenEnd(run_id: string): Promise<void> {
    const client = new pg.Client(world.connection);
    await client.connect();
    await client.query("begin");
    await client.query("select 1 from run_queue where run_id = $1 for update", [run_id]);
    const working = workWith(world.ctx);
    await whenBlocked(world.connection);
    await client.query("delete from run_queue where run_id = $1", [run_id]);
    await client.query(
      `with moved as (
         update runs set prev_status = status, status = 'completed', transition_count = transition_count + 1, finished_at = clock()
         where id = $1 returning project_id, id, transition_count
       )
       insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select project_id, id, transition_count, 'running', 'completed', 'completed', 1, clock() from moved`,
      [run_id],
    );
    await client.query("commit");
    await client.end();
    await working;
  }
});

describe("a batch whose pages fail", () => {
  it("R11 is retried, and fails with its reason after five passes", async () => {
    await seedMany(2);
    const batch = await cancelAll();
    await runSql(world.connection, "update batch_operations set plan = $2 where id = $1", [
      batch,
      JSON.stringify({ conditions: [{ key: "nonsense", negated: false, values: [1] }] }),
    ]);
    for (let pass = 0; pass < 4; pass++) {
      expect(await workOnBatches(world.ctx)).toBe(false);
      expect((await readBatch(batch)).status).toBe("running");
    }
    await workOnBatches(world.ctx);
    expect(await readBatch(batch)).toMatchObject({ status: "failed", processed: 0, error: expect.any(String) });
  });
});
