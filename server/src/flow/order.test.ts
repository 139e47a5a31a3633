import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../test/database.ts";
import { makeFlowWorld } from "../../test/flow-world.ts";
import { claimOne, claimSome, fillQueue, makeJob, type TestJob } from "../../test/queue-world.ts";
import { rounds } from "../../test/rounds.ts";
import { testSeed } from "../../test/seed.ts";
import type { TestProject, World } from "../../test/world.ts";
import { groupBy } from "../platform/group-by.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { settleRuns } from "./settle-runs.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

const complete = (run: ClaimedRun) =>
  settleRuns(world.ctx, [{ run, outcome: { kind: "completed", result_json: "null" } }]);

/** Claims and completes until nothing is queued; returns the order of the starts. */
async function drain(job: TestJob, share = 10): Promise<string[]> {
  const order: string[] = [];
  for (let empty = 0; empty < 2; ) {
    // A claim may only find the runs that precede those it saw.
    const claimed = await claimSome(world.ctx, job, share);
    empty = claimed.length === 0 ? empty + 1 : 0;
    order.push(...claimed.map((run) => run.run_id));
    for (const run of claimed) await complete(run);
  }
  return order;
}

describe("runs that wait for a limit", () => {
  it("start in order of rank, and no newcomer that arrives the moment the slot is freed overtakes them", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    for (let round = 0; round < rounds(5); round++) {
      const [zero] = await fillQueue(world.ctx, job, 1);
      const holder = await claimOne(world.ctx, job);
      const [one, two, three] = await fillQueue(world.ctx, job, [{}, {}, { priority: 10 }]);
      expect(await claimSome(world.ctx, job, 10)).toEqual([]);
      const [[four]] = await Promise.all([fillQueue(world.ctx, job, [{ priority: -5 }]), complete(holder)]);
      expect([zero, ...(await drain(job))]).toEqual([zero, three, one, two, four]);
    }
  });

  it("precede a newcomer with the best rank of all once they are released for the slot", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(world.ctx, job, 1);
    const holder = await claimOne(world.ctx, job);
    const [waiting] = await fillQueue(world.ctx, job, 1);
    await claimSome(world.ctx, job, 10);
    await complete(holder);
    const [urgent] = await fillQueue(world.ctx, job, [{ priority: 100 }]);
    expect(await drain(job, 1)).toEqual([waiting, urgent]);
  });

  it("keep their order under a rate limit, whatever arrives meanwhile", async () => {
    const job = await makeJob(project, { rate_limit_max: 2, rate_limit_window_secs: 60 });
    await fillQueue(world.ctx, job, 2);
    await claimSome(world.ctx, job, 10);
    const urgent = await fillQueue(world.ctx, job, Array(8).fill({ priority: 50 }));
    const order: string[] = [];
    for (let minute = 0; minute < 5; minute++) {
      await fillQueue(world.ctx, job, 4);
      order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
      await world.clock.pass("62s");
      await fillQueue(world.ctx, job, 1);
      order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
      await world.tick("release-rate-limits");
    }
    order.push(...(await claimSome(world.ctx, job, 10)).map((run) => run.run_id));
    expect(order.slice(0, 8)).toEqual(urgent);
  });

  it("of one concurrency key start first in, first out, per priority", async () => {
    const job = await makeJob(project, { max_concurrency_per_key: 1 });
    const runs = await fillQueue(world.ctx, job, Array(4).fill({ concurrency_key: "k" }));
    const holder = await claimOne(world.ctx, job);
    expect(holder.run_id).toBe(runs[0]);
    await claimSome(world.ctx, job, 10);
    const later = await fillQueue(world.ctx, job, [{ concurrency_key: "k" }, { concurrency_key: "k", priority: 3 }]);
    await complete(holder);
    expect(await drain(job)).toEqual([runs[1], later[1], runs[2], runs[3], later[0]]);
  });

  it("wake the next one when canceled, paused or postponed after their release", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const verbs = [
      (id: string) => project.api.post(`/v1/runs/${id}/cancel`),
      (id: string) => project.api.post(`/v1/runs/${id}/pause`),
      (id: string) => project.api.patch(`/v1/runs/${id}`, { scheduled_at: "2100-01-01T00:00:00Z" }),
    ];
    for (const verb of verbs) {
      await fillQueue(world.ctx, job, 1);
      const holder = await claimOne(world.ctx, job);
      const [first, second] = await fillQueue(world.ctx, job, 2);
      await claimSome(world.ctx, job, 10);
      await complete(holder);
      expect((await verb(first ?? "")).status).toBe(200);
      expect(await drain(job)).toEqual([second]);
    }
  });
});

it("a run of a paused workflow run gets its position back on resume, before later ones", async () => {
  const job = await makeJob(project, { max_concurrency: 1 });
  const { body: workflow } = await project.api.post("/v1/workflows", {
    name: "Paused",
    steps: [{ step_ref: "a", job_id: job.id }],
  });
  await fillQueue(world.ctx, job, 1);
  const holder = await claimOne(world.ctx, job);
  const { body: run } = await project.api.post(`/v1/workflows/${workflow.id}/trigger`, {});
  await project.api.post(`/v1/workflow-runs/${run.id}/pause`);
  const [later] = await fillQueue(world.ctx, job, 1);
  await claimSome(world.ctx, job, 10);
  await project.api.post(`/v1/workflow-runs/${run.id}/resume`);
  await complete(holder);
  const [first, second] = await drain(job);
  expect(second).toBe(later);
  expect((await project.api.get(`/v1/runs/${first}`)).body.workflow_run_id).toBe(run.id);
});

it.each(["resume", "rate"])(
  "a run behind one that a %s has released is released when that one is canceled",
  async (by) => {
    const job = await makeJob(project, { max_concurrency: 1 });
    const [first] = await fillQueue(world.ctx, job, 1);
    const granted_by = by === "rate" ? `rate:${job.id}::` : by;
    await runSql(world.connection, "update run_queue set granted_by = $2 where run_id = $1", [first, granted_by]);
    const [behind] = await fillQueue(world.ctx, job, [{ priority: 1 }]);
    // It precedes the other in the queue, and is claimed alone.
    expect(await claimSome(world.ctx, job, 1)).toEqual([]);
    await project.api.post(`/v1/runs/${first}/cancel`);
    expect((await claimSome(world.ctx, job, 1)).map((run) => run.run_id)).toEqual([behind]);
  },
);

type Arrival = { priority: number; key: number };
const arrival = fc.record({ priority: fc.integer({ min: -2, max: 2 }), key: fc.nat(2) });
const event = fc.oneof(
  { weight: 3, arbitrary: arrival.map((run) => ({ kind: "arrive" as const, run })) },
  { weight: 3, arbitrary: fc.constant({ kind: "claim" as const, run: null }) },
  { weight: 2, arbitrary: fc.constant({ kind: "end" as const, run: null }) },
);

type Row = { run_id: string; rank: number; blocked_on: string | null; granted_by: string | null };

/** Queued runs that are not leased. */
const readLine = (job: TestJob): Promise<Row[]> =>
  runSql(
    world.connection,
    `select run_id, extract(epoch from rank_at)::float8 as rank, blocked_on, granted_by
     from run_queue where job_id = $1 and lease_until is null`,
    [job.id],
  );

/**
 * Newcomers that start while another keeps waiting for a limit that both need; and runs that had waited and start while
 * an earlier one keeps waiting, unless the place was granted before that one came.
 */
function overtaken(started: Row[], before: Row[], after: Row[], needs: (run_id: string) => string[]): string[] {
  const isLater = (one: Row, other: Row) =>
    one.rank > other.rank || (one.rank === other.rank && one.run_id > other.run_id);
  const isBehind = (other: Row, run: Row, limit: string) =>
    run.granted_by !== null && (isLater(other, run) || (run.granted_by === limit && other.granted_by === null));
  return started.flatMap((run) =>
    needs(run.run_id).flatMap((limit) =>
      before
        .filter((other) => waits(other, limit) && !isBehind(other, run, limit))
        .filter(({ run_id }) => after.some((row) => row.run_id === run_id && waits(row, limit)))
        .map(({ run_id }) => `${run.run_id} before ${run_id} under ${limit}`),
    ),
  );
}

function waits({ blocked_on, granted_by }: Row, limit: string): boolean {
  return blocked_on === limit || granted_by === limit;
}

it("in any order of operations, none is lost, and none overtakes a waiter of a limit they share", async () => {
  const property = fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 25 }), async (events) => {
    const job = await makeJob(project, { max_concurrency: 3, max_concurrency_per_key: 1 });
    const running: ClaimedRun[] = [];
    const arrived = new Map<string, Arrival & { nth: number }>();
    const started: string[] = [];
    const needs = (run_id: string) => [`job:${job.id}`, `key:${job.id}:k${arrived.get(run_id)?.key}`];

    async function claim(): Promise<void> {
      const before = await readLine(job);
      const claimed = await claimSome(world.ctx, job, 10);
      const ids = claimed.map((run) => run.run_id);
      const starts = before.filter((row) => ids.includes(row.run_id));
      expect(overtaken(starts, before, await readLine(job), needs)).toEqual([]);
      running.push(...claimed);
      started.push(...ids);
    }

    for (const { kind, run } of events) {
      if (kind === "arrive" && run) {
        const [id] = await fillQueue(world.ctx, job, [{ priority: run.priority, concurrency_key: `k${run.key}` }]);
        arrived.set(id ?? "", { ...run, nth: arrived.size });
      }
      if (kind === "claim") await claim();
      const ended = kind === "end" ? running.shift() : undefined;
      if (ended) await complete(ended);
    }
    for (let left = arrived.size; left >= 0; left--) {
      await claim();
      await claim();
      const ended = running.shift();
      if (ended) await complete(ended);
    }

    expect(started.toSorted()).toEqual([...arrived.keys()].toSorted());
    const alike = groupBy(started, (id) => `${arrived.get(id)?.key} ${arrived.get(id)?.priority}`);
    for (const ids of alike.values()) {
      const nths = ids.map((id) => arrived.get(id)?.nth ?? 0);
      expect(nths).toEqual(nths.toSorted((a, b) => a - b));
    }
  });
  await fc.assert(property, { seed: testSeed("order"), numRuns: rounds(5) });
});
