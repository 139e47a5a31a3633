import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { maxWithin, peak } from "../../../test/oracles/sweep-line.ts";
import { type JobEndpoint, jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { runSql } from "../../../test/world/database.ts";
import {
  claimOne,
  claimSome,
  fillQueue,
  type Gate,
  holdGate,
  makeJob,
  type TestJob,
  whenBlocked,
} from "../../../test/world/queue-world.ts";
import { rounds } from "../../../test/world/rounds.ts";
import { until } from "../../../test/world/until.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import type { Db } from "../../platform/database/db.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import type { ClaimedRun } from "../runs/claim/claimed-run.ts";
import type { Outcome } from "../runs/dispatch/outcome.ts";
import { reconcileQueue } from "../runs/maintain/reconcile-queue.ts";
import { settleRuns } from "../runs/settle/settle-runs.ts";
import { unblockNext } from "./unblock-next.ts";

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  await untilUp([world]);
  project = await world.project();
});

const settle = (...runs: ClaimedRun[]) =>
  settleRuns(
    world.ctx,
    runs.map((run) => ({ run, outcome: COMPLETED })),
  );

async function queuedRow(run_id: string | undefined) {
  const [row] = await runSql<{ blocked_on: string | null; leased: boolean }>(
    world.connection,
    "select blocked_on, lease_until is not null as leased from run_queue where run_id = $1",
    [run_id],
  );
  return row;
}

const reasonOf = async (run_id: string | undefined) => (await queuedRow(run_id))?.blocked_on;

async function activeOf(key: string): Promise<number> {
  const [row] = await runSql<{ active: number }>(
    world.connection,
    "select active from concurrency_counters where key = $1",
    [key],
  );
  return row?.active ?? 0;
}

/** One running run and a number of runs blocked behind it. */
async function oneAtATime(blocked: number, fields: object = {}) {
  const job = await makeJob(project, { max_concurrency: 1, ...fields });
  const ids = await fillQueue(world.ctx, job, blocked + 1);
  const [running] = await claimSome(world.ctx, job, blocked + 1);
  if (!running) throw new Error("nothing was claimed");
  return { job, running, blocked: ids.filter((id) => id !== running.run_id), key: `job:${job.id}` };
}

const holdCounter = (key: string): Promise<Gate> =>
  holdGate(world.connection, "select 1 from concurrency_counters where key = $1 for update", [key]);

describe("limits under load, with three dispatching instances", () => {
  let endpoint: JobEndpoint;
  let instances: Instance[];
  const random = randomFrom(testSeed("limits"));
  beforeAll(async () => {
    endpoint = await jobEndpoint();
    endpoint.respondWith((_, response) => void pause(1 + random() * 20).then(() => response.end("{}")));
    const config = { dispatch_concurrency: 30 };
    instances = [await world.anotherInstance(config), await world.anotherInstance(config)];
    instances.push(await world.anotherInstance(config));
    await untilUp(instances);
    for (const { service } of instances) service.startTasks();
    return () => Promise.all(instances.map(({ service }) => service.close()));
  });

  type Limits = { max_concurrency?: number; max_concurrency_per_key?: number; rate_limit_max?: number } & object;

  /** Runs of four tenants, dispatched to their end. */
  async function dispatchAll(limits: Limits, count: number) {
    const job = await makeJob(project, { endpoint_url: endpoint.url, ...limits });
    for (const { ctx } of instances) ctx.metrics.dequeueDuration.reset();
    const triggers = Array.from({ length: count }, (_, nth) => {
      const tenant = `t${nth % 4}`;
      return { concurrency_key: tenant, payload: { tenant } };
    });
    const ids = await fillQueue(world.ctx, job, triggers);
    await until(`all runs of ${JSON.stringify(limits)} to end`, 60_000, () => areEnded(job));
    const mine = endpoint.dispatches.filter(({ body }) => body.job_id === job.id);
    expect(mine.map(({ run_id }) => run_id).sort()).toEqual([...ids].sort());
    return { job, spans: mine.map(spanOf), starts: await startsOf(job) };
  }

  const areEnded = async (job: TestJob) => {
    const [row] = await runSql(world.connection, "select 1 from run_queue where job_id = $1 limit 1", [job.id]);
    return row === undefined;
  };
  const spanOf = ({ body, arrived_at, ended_at }: JobEndpoint["dispatches"][number]) => ({
    tenant: body.payload.tenant as string,
    from: arrived_at,
    to: ended_at ?? Number.POSITIVE_INFINITY,
  });
  const ofTenants = <T extends { tenant: string }>(all: T[]) =>
    ["t0", "t1", "t2", "t3"].map((tenant) => all.filter((each) => each.tenant === tenant));

  /** A start is the claim's time. */
  async function startsOf(job: TestJob) {
    return runSql<{ at: number; tenant: string }>(
      world.connection,
      `select (extract(epoch from t.created_at) * 1000)::float8 as at, r.concurrency_key as tenant
       from run_history t join runs r on r.id = t.run_id where r.job_id = $1 and t.cause = 'claimed'`,
      [job.id],
    );
  }

  /**
   * The window is read under its lock, the transition written a statement later: they differ by at most the longest
   * claim according to its histogram.
   */
  async function longestClaimMs(): Promise<number> {
    const durations = await Promise.all(instances.map(({ ctx }) => ctx.metrics.dequeueDuration.get()));
    const bounds = durations.map(({ values }) => {
      const claims = values.find(({ metricName }) => metricName?.endsWith("_count"))?.value;
      return Number(values.find(({ value, labels }) => value === claims && labels.le !== undefined)?.labels.le);
    });
    return Math.max(...bounds) * 1_000;
  }

  it("R4 max_concurrency and max_concurrency_per_key are never exceeded at any instant", async () => {
    const { spans } = await dispatchAll({ max_concurrency: 6, max_concurrency_per_key: 2 }, rounds(32));
    expect(peak(spans)).toBeLessThanOrEqual(6);
    for (const some of ofTenants(spans)) expect(peak(some)).toBeLessThanOrEqual(2);
  });

  it("R5 rate_limit_max and several rate_limit_keys are never exceeded in any window, with concurrency limits too", async () => {
    const { spans, starts } = await dispatchAll(
      {
        max_concurrency: 8,
        max_concurrency_per_key: 4,
        rate_limit_max: 12,
        rate_limit_window_secs: 1,
        rate_limit_keys: [
          { name: "tenant", key: "{{payload.tenant}}", max: 4, window_secs: 1 },
          { name: "burst", key: "{{payload.tenant}}", max: 6, window_secs: 2 },
        ],
      } as Limits,
      28,
    );
    const slackMs = await longestClaimMs();
    const within = (some: typeof starts, ms: number) =>
      maxWithin(
        some.map(({ at }) => at),
        Math.max(1, ms - slackMs),
      );
    expect(within(starts, 1_000)).toBeLessThanOrEqual(12);
    for (const some of ofTenants(starts)) {
      expect(within(some, 1_000)).toBeLessThanOrEqual(4);
      expect(within(some, 2_000)).toBeLessThanOrEqual(6);
    }
    expect(peak(spans)).toBeLessThanOrEqual(8);
  });

  it("counters are zero afterwards, and the reconciliation repairs nothing", async () => {
    await until("everything to be settled", 20_000, async () => (await disorder(world.connection)).length === 0);
    const [sum] = await runSql(
      world.connection,
      "select coalesce(sum(active), 0)::int as active from concurrency_counters",
    );
    expect(sum).toEqual({ active: 0 });
    await world.tick("reconcile-queue");
    const { values } = await world.ctx.metrics.repairs.get();
    expect(values.filter(({ value }) => value > 0)).toEqual([]);
  });
});

describe("a run without a free slot", () => {
  it.each(["claim", "settle"])(
    "R4 is released even if the release races with its blocking; the %s waits for the counter first",
    async (first) => {
      const job = await makeJob(project, { max_concurrency: 1 });
      const [, waiting] = await fillQueue(world.ctx, job, 2);
      const running = await claimOne(world.ctx, job);
      const gate = await holdCounter(`job:${job.id}`);
      const works = [() => claimSome(world.ctx, job), () => settle(running)];
      if (first === "settle") works.reverse();
      const inFlight: Promise<unknown>[] = [];
      for (const [index, work] of works.entries()) {
        inFlight.push(work());
        await whenBlocked(world.connection, index + 1);
      }
      await gate.open();
      await Promise.all(inFlight);
      const row = await queuedRow(waiting);
      if (!row?.leased) {
        expect(row).toEqual({ blocked_on: null, leased: false });
        await claimOne(world.ctx, job);
      }
      expect(await activeOf(`job:${job.id}`)).toBe(1);
      expect(await disorder(world.connection)).toEqual([]);
    },
  );

  it("R4 stays blocked while another unblocked one is about to be claimed: there is nothing to repair", async () => {
    const { running, blocked, key } = await oneAtATime(2);
    await settle(running);
    expect([await reasonOf(blocked[0]), await reasonOf(blocked[1])]).toEqual([null, key]);
    await world.tick("reconcile-queue");
    expect(await reasonOf(blocked[1])).toBe(key);
    await runSql(world.connection, "update run_queue set blocked_on = $1, granted_by = null where run_id = $2", [
      key,
      blocked[0],
    ]);
    await world.tick("reconcile-queue");
    expect([await reasonOf(blocked[0]), await reasonOf(blocked[1])]).toEqual([null, key]);
  });

  it("R4 is no inconsistency if the claim that a release passed by unblocks it a moment later", async () => {
    const { running, blocked, key } = await oneAtATime(1);
    await settle(running);
    const strand = "update run_queue set blocked_on = $1, granted_by = null where run_id = $2";
    await runSql(world.connection, strand, [key, blocked[0]]);
    const repairs = async () => (await world.ctx.metrics.repairs.get()).values;
    const before = await repairs();
    const { db } = world.ctx;
    const query: Db["query"] = async (text, parameters) => {
      const found = await db.query<never>(text, parameters);
      if (text.includes("room > 0")) {
        expect(found.rows).toHaveLength(1);
        await inTransaction(world.ctx, (tx) => unblockNext(tx, project.id, new Map([[key, 1]])));
      }
      return found;
    };
    await reconcileQueue({ ...world.ctx, db: { ...db, query } });
    expect(await reasonOf(blocked[0])).toBe(null);
    expect(await repairs()).toEqual(before);
  });

  it("R4 is unblocked although another transaction had locked it unchanged while the slot became free", async () => {
    const { running, blocked, key } = await oneAtATime(1);
    const gate = await holdGate(world.connection, "select 1 from runs where id = $1 for update", [blocked[0]]);
    const patch = project.api.patch(`/v1/runs/${blocked[0]}`, { tags: { held: "1" } });
    await whenBlocked(world.connection);
    expect(await settle(running)).toEqual([true]);
    expect(await reasonOf(blocked[0])).toBe(key);
    await gate.open();
    expect((await patch).status).toBe(200);
    await until("it to be unblocked", 20_000, async () => (await reasonOf(blocked[0])) === null);
  });

  it.each(["cancel", "settle"])(
    "R4 R15 starts when a running and a blocked run are canceled; the %s first",
    async (first) => {
      const { job, running, blocked, key } = await oneAtATime(2);
      const [doomed, next] = blocked;
      await runSql(world.connection, "update runs set parent_run_id = $1 where id = $2", [running.run_id, doomed]);
      const gate = await holdCounter(key);
      const works = [() => project.api.post(`/v1/runs/${running.run_id}/cancel`), () => settle(running)];
      if (first === "settle") works.reverse();
      const inFlight: Promise<unknown>[] = [];
      for (const work of works) {
        inFlight.push(work());
        await whenBlocked(world.connection, inFlight.length);
      }
      await gate.open();
      await Promise.all(inFlight);
      // An ended parent is not canceled, and neither is its child: then the child is next.
      expect(await reasonOf(first === "cancel" ? next : doomed)).toBeNull();
      expect((await claimSome(world.ctx, job, 5)).length).toBe(1);
      expect(await activeOf(key)).toBe(1);
      expect(await disorder(world.connection)).toEqual([]);
    },
  );

  it("wakes the next one when it is canceled, paused, postponed or expires before its claim", async () => {
    const leave = {
      cancel: (id: string) => project.api.post(`/v1/runs/${id}/cancel`),
      pause: (id: string) => project.api.post(`/v1/runs/${id}/pause`),
      later: (id: string) => project.api.patch(`/v1/runs/${id}`, { scheduled_at: "2099-01-01T00:00:00Z" }),
      expire: async (id: string) => {
        await runSql(world.connection, "update run_queue set expires_at = clock() where run_id = $1", [id]);
        await world.tick("expire-runs");
        return { status: 200 };
      },
    };
    for (const [how, go] of Object.entries(leave)) {
      const { running, blocked } = await oneAtATime(2);
      await settle(running);
      const [first, second] = (await reasonOf(blocked[0])) === null ? blocked : blocked.toReversed();
      expect(await reasonOf(first), how).toBeNull();
      expect(await go(first ?? ""), how).toMatchObject({ status: 200 });
      expect(await reasonOf(second), how).toBeNull();
    }
  });

  it("is unblocked at once by a change of the limit that admits it", async () => {
    const { job, blocked } = await oneAtATime(5);
    await project.api.patch(job.path, { max_concurrency: 3 });
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(2);
    await project.api.patch(job.path, { max_concurrency: null });
    expect(await claimSome(world.ctx, job, 10)).toHaveLength(3);
    expect((await Promise.all(blocked.map(queuedRow))).every((row) => row?.leased)).toBe(true);
  });
});
