import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { peak } from "../../../../test/oracles/sweep-line.ts";
import { randomFrom, testSeed } from "../../../../test/seed/seed.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import {
  claimOne,
  claimSome,
  fillQueue,
  holdGate,
  makeJob,
  type TestJob,
  whenBlocked,
} from "../../../../test/world/queue-world.ts";
import { sizeOf } from "../../../../test/world/size.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import type { Ctx } from "../../../platform/context.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import { reconcileQueue } from "../maintain/reconcile-queue.ts";
import { settleRuns } from "../settle/settle-runs.ts";
import { enqueueRuns } from "./enqueue-runs.ts";
import type { NewRun, Starts } from "./new-run.ts";
import { lockNewSlots, newSlotsOf } from "./new-slots.ts";
import { prepareRun, type Trigger } from "./prepare-run.ts";
import { connectStarter } from "./start-locally.ts";
import { triggerRuns } from "./trigger-runs.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

let world: World;
let project: TestProject;
/** An instance with slots for every run; `started`: the runs that it started when they were created. */
let here: { ctx: Ctx; started: ClaimedRun[] };
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
  here = await freeInstance();
});

async function freeInstance() {
  const { ctx } = await world.anotherInstance();
  const started: ClaimedRun[] = [];
  const start = (runs: ClaimedRun[]) => void started.push(...runs);
  connectStarter(ctx, { reserve: (_, wanted) => wanted, release: () => {}, start });
  return { ctx, started };
}

const keyOf = (job: TestJob) => `job:${job.id}`;
const complete = (...runs: ClaimedRun[]) =>
  settleRuns(
    world.ctx,
    runs.map((run) => ({ run, outcome: { kind: "completed", result_json: "null" } })),
  );

async function activeOf(job: TestJob): Promise<number> {
  const [row] = await runSql<{ active: number }>(
    world.connection,
    "select active from concurrency_counters where key = $1",
    [keyOf(job)],
  );
  return row?.active ?? 0;
}

async function statusesOf(ids: string[]): Promise<string[]> {
  const rows = await runSql<{ id: string; status: string }>(
    world.connection,
    "select id, status from runs where id = any($1::uuid[])",
    [ids],
  );
  const byId = new Map(rows.map(({ id, status }) => [id, status]));
  return ids.map((id) => byId.get(id) ?? "missing");
}

const slotsOf = async (job: TestJob) =>
  (
    await runSql<{ slots: string[] | null }>(
      world.connection,
      "select slots from run_queue where job_id = $1 and lease_until is not null",
      [job.id],
    )
  ).map(({ slots }) => slots);

async function prepare(job: TestJob, triggers: Partial<Trigger>[]) {
  const found = await findTriggerableJob(world.ctx, job.project_id, job.id);
  if (!found) throw new Error("no such job");
  return triggers.map((trigger) => prepareRun(found, { created_by: "test", trigger_type: "api", ...trigger }));
}

const startedOf = (job: TestJob, { started } = here) => started.filter((run) => run.job_id === job.id);

describe("runs of a job whose only limit is max_concurrency", () => {
  it("R4 are created running while there is room, each with a slot that its end releases", async () => {
    const job = await makeJob(project, { max_concurrency: 3 });
    const ids = [...(await fillQueue(here.ctx, job, 1)), ...(await fillQueue(here.ctx, job, 2))];
    expect(await statusesOf(ids)).toEqual(["running", "running", "running"]);
    expect(await slotsOf(job)).toEqual(Array(3).fill([keyOf(job)]));
    expect(await activeOf(job)).toBe(3);
    const started = startedOf(job);
    expect(started.map(({ run_id, slots }) => ({ run_id, slots }))).toEqual(
      ids.map((run_id) => ({ run_id, slots: [keyOf(job)] })),
    );
    expect(await complete(...started)).toEqual([true, true, true]);
    expect(await activeOf(job)).toBe(0);
    await reconcileQueue(world.ctx);
    expect(await activeOf(job)).toBe(0);
  });

  it("R4 queue together when there is no room for all of a batch, and the claim takes those with the best rank", async () => {
    const job = await makeJob(project, { max_concurrency: 2 });
    await fillQueue(here.ctx, job, 1);
    const [low, high] = await fillQueue(here.ctx, job, [{ priority: 0 }, { priority: 5 }]);
    expect(await statusesOf([low ?? "", high ?? ""])).toEqual(["pending", "pending"]);
    expect(await activeOf(job)).toBe(1);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual([high]);
    expect(await activeOf(job)).toBe(2);
  });

  it("R4 start in one batch with runs without a limit, which start even if there is no room", async () => {
    const [limited, free] = [await makeJob(project, { max_concurrency: 1 }), await makeJob(project)];
    const batch = [...(await prepare(limited, [{}])), ...(await prepare(free, [{}, {}]))];
    await triggerRuns(here.ctx, batch);
    expect(await statusesOf(batch.map((run) => run.id))).toEqual(["running", "running", "running"]);
    expect(startedOf(free).map((run) => run.slots)).toEqual([null, null]);
    const next = [...(await prepare(limited, [{}])), ...(await prepare(free, [{}]))];
    await triggerRuns(here.ctx, next);
    expect(await statusesOf(next.map((run) => run.id))).toEqual(["pending", "running"]);
    expect(await activeOf(limited)).toBe(1);
  });

  it("release their slots when they are canceled, retried or fail", async () => {
    const job = await makeJob(project, { max_concurrency: 3, max_attempts: 2 });
    const [id] = await fillQueue(here.ctx, job, 3);
    const [, second, third] = startedOf(job);
    if (!second || !third) throw new Error("none was started");
    expect((await project.api.post(`/v1/runs/${id}/cancel`)).status).toBe(200);
    expect(await activeOf(job)).toBe(2);
    const error = { code: "x", message: "x" };
    await settleRuns(world.ctx, [
      { run: second, outcome: { kind: "failed", retryable: true, error } },
      { run: third, outcome: { kind: "failed", retryable: false, error } },
    ]);
    expect(await activeOf(job)).toBe(0);
  });

  it("take no slot when the job has changed since they were prepared", async () => {
    const job = await makeJob(project, { max_concurrency: 3 });
    const stale = await prepare(job, [{}, {}]);
    await project.api.patch(job.path, { description: "changed" });
    const kindsOf = async (runs: NewRun[]) => (await triggerRuns(here.ctx, runs)).map(({ kind }) => kind);
    expect(await kindsOf(stale)).toEqual(["stale", "stale"]);
    expect(await activeOf(job)).toBe(0);
    const fresh = await prepare(job, [{}]);
    expect(await kindsOf([...stale, ...fresh])).toEqual(["stale", "stale", "created"]);
    expect(await activeOf(job)).toBe(1);
    expect(startedOf(job).map((run) => run.run_id)).toEqual(fresh.map((run) => run.id));
  });

  it("take no slot either when the counter was locked first", async () => {
    const job = await makeJob(project, { max_concurrency: 3 });
    const stale = await prepare(job, [{}]);
    await project.api.patch(job.path, { description: "changed" });
    const starts: Starts = { lease_token: randomUUID(), ids: new Set(stale.map((run) => run.id)), slots: "locked" };
    await inTransaction(here.ctx, async (tx) => {
      await lockNewSlots(tx, newSlotsOf(stale, starts));
      expect(await enqueueRuns(tx, stale, starts)).toEqual(new Map());
    });
    expect(await activeOf(job)).toBe(0);
  });

  it("R4 lock the counter last, so that no other trigger waits while they are inserted", async () => {
    const job = await makeJob(project, { max_concurrency: 3 });
    await fillQueue(here.ctx, job, 1);
    const inserting = await holdGate(world.connection, "lock table run_queue in share mode");
    const filling = fillQueue(here.ctx, job, 1);
    await whenBlocked(world.connection);
    const counter = "select 1 from concurrency_counters where key = $1 for update skip locked";
    const locked = await runSql(world.connection, counter, [keyOf(job)]);
    await inserting.open();
    expect(locked).toHaveLength(1);
    expect(await statusesOf(await filling)).toEqual(["running"]);
    expect(await activeOf(job)).toBe(2);
  });

  it("queue while the job is paused", async () => {
    const job = await makeJob(project, { max_concurrency: 3 });
    await project.api.post(`${job.path}/pause`);
    const ids = await fillQueue(here.ctx, job, 1);
    expect(await statusesOf(ids)).toEqual(["pending"]);
    expect(await activeOf(job)).toBe(0);
  });
});

describe("a new run of a limited job overtakes no other: it queues", () => {
  it("R4 behind one that was released for the slot", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const [waiting] = await fillQueue(here.ctx, job, 1);
    await claimSome(world.ctx, job, 10);
    await complete(...startedOf(job));
    expect(await activeOf(job)).toBe(0);
    const [next] = await fillQueue(here.ctx, job, [{ priority: 100 }]);
    expect(await statusesOf([next ?? ""])).toEqual(["pending"]);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual([waiting]);
  });

  it("R4 behind one that was released for the slot in another lane: its version is sent to another host", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const [waiting] = await fillQueue(here.ctx, job, 1);
    await complete(...startedOf(job));
    expect((await project.api.patch(job.path, { endpoint_url: "http://127.0.0.1:1024/" })).status).toBe(200);
    expect(await statusesOf(await fillQueue(here.ctx, job, 1))).toEqual(["pending"]);
    expect((await claimOne(world.ctx, job)).run_id).toBe(waiting);
  });

  it("R4 behind one that is blocked on the limit, although there is room", async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    await fillQueue(world.ctx, job, 1);
    await runSql(world.connection, "update run_queue set blocked_on = $1 where job_id = $2", [keyOf(job), job.id]);
    expect(await statusesOf(await fillQueue(here.ctx, job, 1))).toEqual(["pending"]);
  });

  it("R4 behind one that was blocked while this one waited for the counter", async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    await complete(await started(job));
    await fillQueue(world.ctx, job, [{ delay_secs: 1_000 }]);
    const gate = await holdGate(
      world.connection,
      `with counter as materialized (select 1 from concurrency_counters where key = $1 for update)
       update run_queue set blocked_on = $1 from counter where job_id = $2`,
      [keyOf(job), job.id],
    );
    const filling = fillQueue(here.ctx, job, 1);
    await whenBlocked(world.connection);
    await gate.open();
    expect(await statusesOf(await filling)).toEqual(["pending"]);
  });

  it("R4 behind one that is queued before it and has not requested the limit yet", async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    const [first] = await fillQueue(world.ctx, job, 1);
    const [next] = await fillQueue(here.ctx, job, 1);
    expect(await statusesOf([first ?? "", next ?? ""])).toEqual(["pending", "pending"]);
    expect((await claimSome(world.ctx, job, 10)).map((run) => run.run_id)).toEqual([first, next]);
  });

  it("when another transaction holds the counter for long, and is created all the same", async () => {
    const job = await makeJob(project, { max_concurrency: 5 });
    await complete(await started(job));
    const gate = await holdGate(world.connection, "select 1 from concurrency_counters where key = $1 for update", [
      keyOf(job),
    ]);
    const ids = await fillQueue(here.ctx, job, 1);
    await gate.open();
    expect(await statusesOf(ids)).toEqual(["pending"]);
    expect((await claimOne(world.ctx, job)).run_id).toBe(ids[0]);
  });

  async function started(job: TestJob): Promise<ClaimedRun> {
    await fillQueue(here.ctx, job, 1);
    const run = startedOf(job).at(-1);
    if (!run) throw new Error("it was not started");
    return run;
  }
});

describe("a new run of a limited job that gets no slot", () => {
  const blockedOn = async (run_id: string | undefined) => {
    const [row] = await runSql<{ blocked_on: string | null; granted_by: string | null }>(
      world.connection,
      "select blocked_on, granted_by from run_queue where run_id = $1",
      [run_id],
    );
    return row;
  };
  const WAITS = (job: TestJob) => ({ blocked_on: keyOf(job), granted_by: null });
  const IS_NEXT = (job: TestJob) => ({ blocked_on: null, granted_by: keyOf(job) });
  const CLAIMABLE = { blocked_on: null, granted_by: null };
  const holdCounter = (job: TestJob) =>
    holdGate(world.connection, "select 1 from concurrency_counters where key = $1 for update", [keyOf(job)]);

  it("R4 waits from its commit on: the next slot goes to the best rank, although no claim has seen it", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const [one, two] = [...(await fillQueue(here.ctx, job, 1)), ...(await fillQueue(here.ctx, job, 1))];
    const [urgent] = await fillQueue(here.ctx, job, [{ priority: 100 }]);
    expect(await blockedOn(urgent)).toEqual(WAITS(job));
    await complete(...startedOf(job));
    const order: string[] = [];
    for (let left = 3; left > 0; left--) {
      const run = await claimOne(world.ctx, job);
      order.push(run.run_id);
      await complete(run);
    }
    expect(order).toEqual([urgent, one, two]);
    expect(await activeOf(job)).toBe(0);
  });

  it("R4 waits behind a granted slot too, and is next when that run is canceled", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const [granted] = await fillQueue(here.ctx, job, 1);
    await complete(...startedOf(job));
    expect(await blockedOn(granted)).toEqual(IS_NEXT(job));
    const [next] = await fillQueue(here.ctx, job, 1);
    expect(await blockedOn(next)).toEqual(WAITS(job));
    expect((await project.api.post(`/v1/runs/${granted}/cancel`)).status).toBe(200);
    expect(await blockedOn(next)).toEqual(IS_NEXT(job));
  });

  it("R4 starts or is next, when the slot is released while the trigger waits for the counter", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const gate = await holdCounter(job);
    const completing = complete(...startedOf(job));
    await whenBlocked(world.connection);
    const filling = fillQueue(here.ctx, job, 1);
    await whenBlocked(world.connection, 2);
    await gate.open();
    await completing;
    const [id] = await filling;
    if ((await statusesOf([id ?? ""]))[0] === "pending") expect((await claimOne(world.ctx, job)).run_id).toBe(id);
    expect(await activeOf(job)).toBe(1);
  });

  /** A new run, chosen to start here, of a job whose only slot is taken by `holder`. */
  async function newRunOfFullJob() {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const [[holder], [run]] = [startedOf(job), await prepare(job, [{}])];
    if (!holder || !run) throw new Error("not started");
    return { job, holder, run, starts: { lease_token: randomUUID(), ids: new Set([run.id]) } };
  }

  it("R4 is next, when the slot is released while the trigger is being committed", async () => {
    const { job, holder, run, starts } = await newRunOfFullJob();
    const { completing } = await inTransaction(here.ctx, async (tx) => {
      await lockNewSlots(tx, newSlotsOf([run], starts));
      await enqueueRuns(tx, [run], { ...starts, slots: "locked" });
      const completing = complete(holder);
      await whenBlocked(world.connection);
      return { completing };
    });
    await completing;
    expect(await blockedOn(run.id)).toEqual(IS_NEXT(job));
  });

  it("R4 stays claimable if the counter is not locked: the slot may be released at that moment", async () => {
    const { run, starts } = await newRunOfFullJob();
    await enqueueRuns(here.ctx, [run], starts);
    expect(await blockedOn(run.id)).toEqual(CLAIMABLE);
  });

  it("R4 stays claimable while its job is being edited", async () => {
    const job = await makeJob(project, { max_concurrency: 1 });
    await fillQueue(here.ctx, job, 1);
    const editing = await holdGate(world.connection, "select 1 from jobs where id = $1 for no key update", [job.id]);
    const [id] = await fillQueue(here.ctx, job, 1);
    await editing.open();
    expect(await blockedOn(id)).toEqual(CLAIMABLE);
  });

  it("stays claimable while the limit has room for some of its batch", async () => {
    const job = await makeJob(project, { max_concurrency: 2 });
    await fillQueue(here.ctx, job, 1);
    const ids = await fillQueue(here.ctx, job, 2);
    expect(await Promise.all(ids.map(blockedOn))).toEqual([CLAIMABLE, CLAIMABLE]);
  });
});

/** From the start of each run, which is under its slot, to its end, which is before the release. */
const spansOf = (job: TestJob) =>
  runSql<{ from: number; to: number }>(
    world.connection,
    `select extract(epoch from started_at)::float8 as from, extract(epoch from finished_at)::float8 as to
     from runs where job_id = $1`,
    [job.id],
  );

describe("triggers of two instances at the same time", () => {
  it("R4 never exceed the limit at any instant, lose no run, and leave the counter at zero", async () => {
    const [max, random] = [4, randomFrom(testSeed("start-limited"))];
    const job = await makeJob(project, { max_concurrency: max });
    const instances = [await freeInstance(), await freeInstance()];
    const ids: string[] = [];
    let startedHere = 0;

    async function trigger(): Promise<void> {
      const batches = [...instances, ...instances].map(async ({ ctx }) => {
        await pause(random() * 3);
        ids.push(...(await fillQueue(ctx, job, 1 + Math.floor(random() * 2))));
      });
      await Promise.all(batches);
    }
    async function endStarted(): Promise<void> {
      const runs = instances.flatMap(({ started }) => started.splice(0));
      startedHere += runs.length;
      await Promise.all(runs.map((run) => complete(run)));
    }
    async function claimAndEnd(): Promise<void> {
      for (let empty = 0; empty < 2; ) {
        const claimed = await Promise.all(instances.map(({ ctx }) => claimSome(ctx, job, 3)));
        empty = claimed.flat().length === 0 ? empty + 1 : 0;
        await Promise.all(claimed.flat().map((run) => complete(run)));
      }
    }

    for (let round = 0; round < sizeOf(2, 50); round++) {
      await trigger();
      expect((await slotsOf(job)).length).toBe(await activeOf(job));
      expect(await activeOf(job)).toBeLessThanOrEqual(max);
      await Promise.all([trigger(), endStarted(), claimAndEnd()]);
      await endStarted();
      await claimAndEnd();
    }
    expect(new Set(await statusesOf(ids))).toEqual(new Set(["completed"]));
    expect(peak(await spansOf(job))).toBeLessThanOrEqual(max);
    expect(startedHere).toBeGreaterThan(0);
    expect(await activeOf(job)).toBe(0);
  });
});
