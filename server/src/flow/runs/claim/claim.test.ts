import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { disorder } from "../../../../test/oracles/queue-order.ts";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { seedRun } from "../../../../test/seed/seed-run.ts";
import { runSql } from "../../../../test/world/database.ts";
import {
  claimSome,
  fillQueue,
  holdGate,
  makeJob,
  type TestJob,
  whenBlocked,
} from "../../../../test/world/queue-world.ts";
import { rounds } from "../../../../test/world/rounds.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import { until } from "../../../../test/world/until.ts";
import { untilSubscribed } from "../../../../test/world/until-subscribed.ts";
import { untilUp } from "../../../../test/world/until-up.ts";
import { type Instance, makeWorld, type World } from "../../../../test/world/world.ts";
import { dispatcherOf } from "../../../engine/dispatcher.ts";
import type { Ctx } from "../../../platform/context.ts";
import { newId } from "../../../platform/ids.ts";
import type { Outcome } from "../dispatch/outcome.ts";
import { sweepLeases } from "../maintain/sweep-leases.ts";
import { settleRuns } from "../settle/settle-runs.ts";
import { claimLimited } from "./claim-limited.ts";
import { claimPulledRuns } from "./claim-pulled-runs.ts";
import { claimRuns } from "./claim-runs.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { LANES_TOPIC, readLane } from "./lanes.ts";

const CLAIMERS = 20;
const RUNS = sizeOf(400, 10_000);
const RETURNING = rounds(60);

let world: World;
let instances: Instance[];
beforeAll(async () => {
  world = await makeWorld();
  instances = [world, await world.anotherInstance(), await world.anotherInstance()];
  await untilUp(instances);
});

const countRows = async (condition: string, values: unknown[] = []) => {
  const [row] = await runSql<{ n: number }>(world.connection, `select count(*)::int as n ${condition}`, values);
  return row?.n ?? 0;
};

/** Claims until stopped, and then until nothing is left. */
async function claimAll(ctx: Ctx, job: TestJob, { share, isOver }: { share: number; isOver: () => boolean }) {
  const claims: ClaimedRun[][] = [];
  for (;;) {
    const wasOver = isOver();
    const claimed = await claimSome(ctx, job, share);
    claims.push(claimed);
    if (claimed.length === 0 && wasOver) return claims;
    if (claimed.length === 0) await pause(20);
  }
}

describe("claiming", () => {
  it("claims only runs of the lane's own project, though another uses the same host", async () => {
    const job = await makeJob(await world.project());
    const other = await makeJob(await world.project(), { endpoint_url: `http://${job.host}/` });
    await fillQueue(world.ctx, other, 2);
    const ids = await fillQueue(world.ctx, job, 1);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual(ids);
  });

  it("claims only runs of the lane's own project for a worker, whatever the lane's host", async () => {
    const [own, other] = [await world.project(), await world.project()];
    for (const { api, id: project_id } of [own, other]) {
      const { body } = await api.post("/v1/jobs", { name: "Pulled", delivery: "pull" });
      await fillQueue(world.ctx, { id: body.id, project_id, host: "", path: "" }, 1);
    }
    const hostOf = async ({ id }: { id: string }) => {
      const query = "select host from run_queue where project_id = $1";
      return (await runSql<{ host: string }>(world.connection, query, [id]))[0]?.host ?? "";
    };
    const claim = async (host: string) => {
      const lane = { project_id: own.id, host, share: 5, bound: "-infinity", queue: "default", turn: 0, weight: 1 };
      const worker = { worker_id: "w1", claim_id: newId(), lease_secs: 30, isFirst: false, max: 5 };
      return (await claimPulledRuns(world.ctx, [lane], worker)).claimed;
    };
    expect(await claim(await hostOf(other))).toEqual([]);
    expect(await claim(await hostOf(own))).toHaveLength(1);
  });

  it("claims no blocked run", async () => {
    const job = await makeJob(await world.project());
    const [, due] = await fillQueue(world.ctx, job, [{ delay_secs: 60, priority: 100 }, {}]);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual([due]);
  });

  it("when two instances see a run of a limited job at once, one claims it, and the other changes nothing", async () => {
    const job = await makeJob(await world.project(), { max_concurrency: 5 });
    await fillQueue(world.ctx, job, 1);
    const { project_id, host } = job;
    const { unchecked } = await claimRuns(world.ctx, [{ project_id, host, share: 1, bound: "-infinity" }]);
    const [run] = await claimLimited(world.ctx, unchecked);
    if (!run) throw new Error("nothing was claimed");
    expect(await claimLimited((instances[1] ?? world).ctx, unchecked)).toEqual([]);
    expect(await settleRuns(world.ctx, [{ run, outcome: COMPLETED }])).toEqual([true]);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("R1 claims each run once, with twenty claimers of three instances that begin before the first is queued", async () => {
    const job = await makeJob(await world.project());
    let isOver = false;
    const share = 30;
    const claimers = Array.from({ length: CLAIMERS }, (_, nth) =>
      claimAll((instances[nth % 3] ?? world).ctx, job, { share, isOver: () => isOver }),
    );
    await fillQueue(world.ctx, job, RUNS);
    isOver = true;
    const claims = (await Promise.all(claimers)).flat();

    expect(Math.max(...claims.map((claim) => claim.length))).toBeLessThanOrEqual(share);
    expect(claims.flat()).toHaveLength(RUNS);
    expect(new Set(claims.flat().map(({ run_id, attempt }) => `${run_id} ${attempt}`)).size).toBe(RUNS);
    expect(await countRows("from run_history t join runs r on r.id = t.run_id where r.job_id = $1", [job.id])).toBe(
      2 * RUNS,
    );
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("happens once per attempt, also while runs are requeued", async () => {
    const job = await makeJob(await world.project());
    await fillQueue(world.ctx, job, RETURNING);
    const taken: string[] = [];
    await Promise.all(
      instances.flatMap(({ ctx }) => [worker(ctx, job, taken), worker(ctx, job, taken), worker(ctx, job, taken)]),
    );
    expect(taken).toHaveLength(3 * RETURNING);
    expect(new Set(taken).size).toBe(3 * RETURNING);
    expect(await countRows("from runs where job_id = $1 and status = 'completed' and attempt = 3", [job.id])).toBe(
      RETURNING,
    );
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("a new run can be claimed at once, at any fraction of a millisecond", async () => {
    const job = await makeJob(await world.project());
    for (let nth = 0; nth < 30; nth++) await fillQueue(world.ctx, job, 1);
    expect(await claimSome(world.ctx, job, 30)).toHaveLength(30);
  });

  it("a run that is changed concurrently is claimed or stays queued, never leased without being started", async () => {
    const project = await world.project();
    const job = await makeJob(project);
    const ids = await fillQueue(world.ctx, job, sizeOf(120, 300));
    let isOver = false;
    const claims = claimAll(world.ctx, job, { share: 20, isOver: () => isOver });
    const statuses = await Promise.all(
      ids.slice(-20).map(async (id) => (await project.api.patch(`/v1/runs/${id}`, { tags: { moved: "1" } })).status),
    );
    isOver = true;
    expect(new Set([...statuses, 200, 409])).toEqual(new Set([200, 409]));
    expect((await claims).flat()).toHaveLength(ids.length);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("a run that was changed after the claim began is claimed in its new state", async () => {
    const job = await makeJob(await world.project());
    const [id = ""] = await fillQueue(world.ctx, job, 1);
    const change = `update runs set payload = '{"changed": true}' where id = $1`;
    const gate = await holdGate(world.connection, change, [id]);
    const claim = claimSome(world.ctx, job);
    await whenBlocked(world.connection);
    await gate.open();
    expect((await claim).map((run) => run.payload)).toEqual(['{"changed": true}']);
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("a queue row whose run is no longer pending does no harm, and is removed when its lease expires", async () => {
    const job = await makeJob(await world.project());
    const [orphan = "", good = ""] = await fillQueue(world.ctx, job, 2);
    await runSql(
      world.connection,
      `update runs set status = 'canceled', prev_status = 'pending', finished_at = clock() where id = $1`,
      [orphan],
    );
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual([good]);
    await runSql(world.connection, "update run_queue set lease_until = clock() where run_id = $1", [orphan]);
    await sweepLeases(world.ctx);
    expect(await countRows("from run_queue where run_id = $1", [orphan])).toBe(0);
    expect(await countRows("from run_history where run_id = $1", [orphan])).toBe(1);
    await runSql(world.connection, "delete from runs where id = $1", [orphan]);
  });
});

/** Resolves when an instance was notified of a lane of the project; its dispatcher was notified before. */
function whenWoken({ ctx }: Instance, project_id: string): Promise<void> {
  return new Promise((resolve) => {
    ctx.wakeup.onWake(LANES_TOPIC, (detail) => readLane(detail)?.project_id === project_id && resolve());
  });
}

/** Drains twice and completes every run, on any instance. */
async function worker(ctx: Ctx, job: TestJob, taken: string[]): Promise<void> {
  for (;;) {
    const claimed = await claimSome(ctx, job, 10);
    taken.push(...claimed.map((run) => `${run.run_id} ${run.attempt}`));
    await settleRuns(
      ctx,
      claimed.map((run) => ({ run, outcome: run.attempt < 3 ? { kind: "drained" } : COMPLETED })),
    );
    if (claimed.length > 0) continue;
    if ((await countRows("from run_queue where job_id = $1", [job.id])) === 0) return;
  }
}

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };

describe("the lower bound of a claim", () => {
  it("is where it begins: earlier runs are not seen", async () => {
    const job = await makeJob(await world.project());
    const [ahead, ...others] = await fillQueue(world.ctx, job, [{ priority: 1 }, {}, {}]);
    const { project_id, host } = job;
    const lane = { project_id, host, share: 10 };
    const [row] = await runSql<{ bound: Date }>(
      world.connection,
      "select min(rank_at) as bound from run_queue where run_id = any($1)",
      [others],
    );
    const bound = row?.bound.toISOString() ?? "";
    const { claimed, seen } = await claimRuns(world.ctx, [{ ...lane, bound }]);
    expect(claimed.map((run) => run.run_id).sort()).toEqual([...others].sort());
    expect(seen[0]?.count).toBe(2);
    const rest = await claimRuns(world.ctx, [{ ...lane, bound: "-infinity" }]);
    expect(rest.claimed.map((run) => run.run_id)).toEqual([ahead]);
  });

  it("moves back for a wake-up from before it, and for the regular scan if there was no wake-up", async () => {
    const instance = await world.anotherInstance({ dispatch_concurrency: 1 });
    const endpoint = await jobEndpoint();
    const held: (() => void)[] = [];
    endpoint.respondWith((_, response) => void held.push(() => response.end()));
    const project = await world.project();
    const job = await makeJob(project, { endpoint_url: endpoint.url });
    const ids = await fillQueue(world.ctx, job, 12);
    instance.service.startTasks();
    const started = () => endpoint.dispatches.map((dispatch) => dispatch.run_id);
    const nextAfter = async (count: number) => {
      held.shift()?.();
      await until("the next dispatch", 20_000, () => started().length > count);
      return started()[count];
    };
    await until("the first dispatch", 20_000, () => started().length === 1);
    expect(await nextAfter(1)).toBe(ids[1]);

    // One run may be claimed ahead of the free slot.
    const within = 3;
    await untilSubscribed(world, instance);
    const woken = whenWoken(instance, project.id);
    await project.api.patch(`/v1/runs/${ids[11]}`, { priority: 50 });
    await woken;
    for (let nth = 0; nth < within; nth++) await nextAfter(started().length);
    expect(started()).toContain(ids[11]);

    const silent = await seedRun(world.connection, project.id, { job_id: job.id, priority: 100 });
    await dispatcherOf(instance.ctx).poll();
    for (let nth = 0; nth < within; nth++) await nextAfter(started().length);
    expect(started()).toContain(silent);
    endpoint.respondWith(200);
    for (const reply of held) reply();
    await until("the rest", 20_000, () => started().length === 13);
    await instance.service.close();
  });
});
