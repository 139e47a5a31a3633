import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { type SeedJob, type SeedRun, seedJob, seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import { whenBlocked } from "../../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import type { LeasedRun, Outcome } from "../dispatch/outcome.ts";
import { settleRuns } from "../settle/settle-runs.ts";
import { cancelRun } from "./cancel-runs.ts";

let world: World;
let project: TestProject;
let job_id: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  job_id = (await jobOf()).id;
});

/** A job whose runs can be settled: its headers are encrypted as the service does. */
async function jobOf(fields: SeedJob = {}): Promise<{ id: string; version_id: string }> {
  const job = await seedJob(world.connection, project.id, fields);
  const place = `${project.id}/${job.version_id}/headers`;
  const headers = await world.ctx.encryption.encryptText(world.ctx.db, project.id, place, "{}");
  await runSql(world.connection, "update job_versions set headers = $2 where id = $1", [job.version_id, headers]);
  return job;
}

const seed = (run: SeedRun = {}) => seedRun(world.connection, project.id, { job_id, ...run });

const cancel = (run_id: string) =>
  cancelRun(world.ctx, {
    project_id: project.id,
    run_id,
    cause: "canceled",
    reason: null,
    by: { id: null, name: "test" },
  });

async function leaseOf(run_id: string): Promise<LeasedRun> {
  const [lease] = await runSql<LeasedRun>(
    world.connection,
    `select r.project_id, r.id as run_id, r.job_version_id, r.attempt, q.lease_token, r.tries_used, r.crash_count,
       r.max_attempts, q.slots
     from runs r join run_queue q on q.run_id = r.id where r.id = $1`,
    [run_id],
  );
  if (!lease) throw new Error("no lease");
  return lease;
}

type State = { status: string; transition_count: number; logged: number; queued: number; blocked_on: string | null };

async function stateOf(run_id: string): Promise<State> {
  const [stand] = await runSql<State>(
    world.connection,
    `select r.status, r.transition_count, (select count(*)::int from run_history t where t.run_id = r.id) as logged,
       (select count(*)::int from run_queue q where q.run_id = r.id) as queued,
       (select q.blocked_on from run_queue q where q.run_id = r.id) as blocked_on
     from runs r where r.id = $1`,
    [run_id],
  );
  if (!stand) throw new Error("no run");
  return stand;
}

async function activeOf(key: string): Promise<number | undefined> {
  const rows = await runSql<{ active: number }>(
    world.connection,
    "select active from concurrency_counters where project_id = $1 and key = $2",
    [project.id, key],
  );
  return rows[0]?.active;
}

/** Another transaction, open until the test ends it. It detects a deadlock before the service does. */
async function inAnother(statement: string, values: unknown[]) {
  const client = new pg.Client(world.connection);
  await client.connect();
  await client.query("begin");
  await client.query("set local deadlock_timeout = '20ms'");
  await client.query(statement, values);
  return {
    query: (text: string, more: unknown[]) => client.query(text, more),
    end: async () => {
      await client.query("commit");
      await client.end();
    },
  };
}

const OUTCOMES: Outcome[] = [
  { kind: "completed", result_json: '{"ok":true}', http_status: 200, duration_ms: 5 },
  { kind: "failed", error: { code: "http_400", message: "no" }, retryable: false },
  { kind: "failed", error: { code: "http_500", message: "no" }, retryable: true },
];

describe("a cancel that races with the end of a run", () => {
  it("exactly one wins, every time; the loser gets the current state", async () => {
    const won = { cancel: 0, settle: 0 };
    for (let round = 0; round < 4; round++) {
      const ids = await Promise.all(Array.from({ length: 5 }, () => seed({ status: "running" })));
      const leases = await Promise.all(ids.map(leaseOf));
      await Promise.all(
        ids.map(async (id, at) => {
          const lease = leases[at];
          const outcome = OUTCOMES[(round + at) % OUTCOMES.length];
          if (!lease || !outcome) throw new Error("no lease");
          const settle = () => settleRuns(world.ctx, [{ run: lease, outcome }]);
          const early = at === 0 ? await settle() : undefined;
          const responding = project.api.post(`/v1/runs/${id}/cancel`);
          if (at === 1) await responding;
          // In each round one is ended first, one is canceled first, and the others race.
          const [response, [settled]] = await Promise.all([responding, early ?? settle()]);
          const { status, transition_count, logged, queued } = await stateOf(id);
          expect(logged).toBe(transition_count);
          if (settled && response.status === 409) {
            won.settle++;
            expect(response.body.detail).toContain(status);
            expect([status, queued]).toEqual([outcome.kind === "completed" ? "completed" : "failed", 0]);
          } else {
            won.cancel++;
            // If a retry came first, the run is pending and is canceled just as well.
            expect([response.status, status, queued]).toEqual([200, "canceled", 0]);
            expect(transition_count).toBe(settled ? 4 : 3);
          }
        }),
      );
    }
    expect(won.cancel + won.settle).toBe(20);
    expect(Math.min(won.cancel, won.settle)).toBeGreaterThan(0);
  });

  it("the late response of a canceled run is dropped, and releases no slot twice", async () => {
    const job = await jobOf({ max_concurrency: 2 });
    const slot = `job:${job.id}`;
    const id = await seed({ job_id: job.id, status: "running", slots: [slot] });
    await runSql(world.connection, "insert into concurrency_counters values ($1, $2, 2)", [project.id, slot]);
    const lease = await leaseOf(id);
    await cancel(id);
    expect(await activeOf(slot)).toBe(1);
    const outcome: Outcome = { kind: "completed", result_json: "{}" };
    expect(await settleRuns(world.ctx, [{ run: lease, outcome }])).toEqual([false]);
    expect([await activeOf(slot), (await stateOf(id)).status]).toEqual([1, "canceled"]);
  });
});

describe("the slots of a canceled run", () => {
  it("are released, and the next blocked run is unblocked", async () => {
    const job = await jobOf({ max_concurrency_per_key: 1 });
    const slot = `key:${job.id}:k`;
    const of = { job_id: job.id, concurrency_key: "k" };
    const holder = await seed({ ...of, status: "running", slots: [slot] });
    const [next, last] = [
      await seed({ ...of, blocked_on: slot, priority: 1 }),
      await seed({ ...of, blocked_on: slot }),
    ];
    await runSql(world.connection, "insert into concurrency_counters values ($1, $2, 1)", [project.id, slot]);
    await cancel(holder);
    expect(await activeOf(slot)).toBe(0);
    expect([(await stateOf(next)).blocked_on, (await stateOf(last)).blocked_on]).toEqual([null, slot]);
  });

  it("of a whole tree are released once each", async () => {
    const job = await jobOf({ max_concurrency: 5 });
    const slot = `job:${job.id}`;
    const of: SeedRun = { job_id: job.id, status: "running", slots: [slot] };
    const root = await seed(of);
    for (let n = 0; n < 3; n++) await seed({ ...of, parent_run_id: root });
    await runSql(world.connection, "insert into concurrency_counters values ($1, $2, 5)", [project.id, slot]);
    expect(await cancel(root)).toEqual({ canceled: true, status: "running", children: 3 });
    expect(await activeOf(slot)).toBe(1);
  });

  it.each(["cancel", "pause", "PATCH"])("that were granted but never taken pass to the next run: %s", async (verb) => {
    const job = await jobOf({ max_concurrency: 1 });
    const slot = `job:${job.id}`;
    const [first, next] = [await seed({ job_id: job.id }), await seed({ job_id: job.id, blocked_on: slot })];
    await runSql(world.connection, "update run_queue set granted_by = $2 where run_id = $1", [first, slot]);
    if (verb === "PATCH") await project.api.patch(`/v1/runs/${first}`, { scheduled_at: "2090-01-01T00:00:00Z" });
    else await project.api.post(`/v1/runs/${first}/${verb}`);
    expect((await stateOf(next)).blocked_on).toBeNull();
  });
});

describe("the locks of a cancellation", () => {
  it("a child spawned while it waits for them is canceled in the same transaction", async () => {
    const root = await seed({ status: "running" });
    const holder = await inAnother("select 1 from run_queue where run_id = $1 for update", [root]);
    const canceling = cancel(root);
    await whenBlocked(world.connection);
    const child = await seed({ parent_run_id: root });
    await holder.end();
    expect(await canceling).toEqual({ canceled: true, status: "running", children: 1 });
    const transactions = await runSql(
      world.connection,
      "select distinct xmin::text from runs where id = any($1::uuid[]) and status = 'canceled'",
      [[root, child]],
    );
    expect(transactions).toHaveLength(1);
  });

  it("a run that is queued between them has its queue row locked first on the retry: no deadlock", async () => {
    const root = await seed({ status: "paused" });
    const child = await seed({ status: "paused", parent_run_id: root });
    const holder = await inAnother("select 1 from runs where id = $1 for update", [child]);
    const resumer = await inAnother(
      "update runs set prev_status = status, status = 'pending', transition_count = transition_count + 1 where id = $1",
      [root],
    );
    await resumer.query(
      `insert into run_queue (project_id, run_id, job_id, host, rank_at, run_at, timeout_secs, heartbeat_timeout_secs)
       values ($1, $2, $3, 'h', clock(), clock(), 1, 1)`,
      [project.id, root, job_id],
    );
    const canceling = cancel(root);
    await whenBlocked(world.connection);
    await resumer.end();
    // The cancellation now holds the run and waits for the child's lock. A claimer locks the queue row, then needs the run.
    const claimer = await inAnother("select 1 from run_queue where run_id = $1 for update", [root]);
    await holder.end();
    await whenBlocked(world.connection);
    await claimer.query("update runs set updated_at = clock() where id = $1", [root]);
    await claimer.end();
    expect(await canceling).toEqual({ canceled: true, status: "pending", children: 1 });
    expect(await stateOf(root)).toMatchObject({ status: "canceled", queued: 0 });
  });

  it("a run whose queue row is missing is canceled all the same", async () => {
    const id = await seed({ status: "running" });
    await runSql(world.connection, "delete from run_queue where run_id = $1", [id]);
    expect(await cancel(id)).toMatchObject({ canceled: true });
    const paused = await seed();
    await runSql(world.connection, "delete from run_queue where run_id = $1", [paused]);
    expect((await project.api.post(`/v1/runs/${paused}/pause`)).body.status).toBe("paused");
  });

  it("returns undefined for an unknown run", async () => {
    const { id } = await world.project();
    const foreign = await seedRun(world.connection, id);
    expect(await cancel(foreign)).toEqual({ canceled: false, status: undefined, children: 0 });
    expect((await stateOf(foreign)).status).toBe("pending");
  });
});
