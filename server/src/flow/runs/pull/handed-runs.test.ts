import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { holdClaim, holdGate, whenBlocked } from "../../../../test/world/queue-world.ts";
import { testWorker } from "../../../../test/world/test-worker.ts";
import { until } from "../../../../test/world/until.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { LANES_TOPIC } from "../claim/lanes.ts";
import type { NewRun } from "../create/new-run.ts";
import { prepareRun } from "../create/prepare-run.ts";
import { chooseStarts } from "../create/start-locally.ts";
import { triggerRuns } from "../create/trigger-runs.ts";
import { findTriggerableJob } from "../create/triggerable-job.ts";
import { claimForWorker, type WorkerRequest } from "./claim-for-worker.ts";
import { lanesOf, type WorkerLanes } from "./worker-lanes.ts";

let world: World;
let project: TestProject;
let job_id: string;
let state: WorkerLanes;
let woken: string[];
beforeEach(async () => {
  world ??= await watchedWorld();
  project = await world.project();
  job_id = (await makeJob(project, { name: "Pulled", delivery: "pull", endpoint_url: null })).id;
  state = await lanesOf(world.ctx, project.id);
  woken = [];
});

async function watchedWorld(): Promise<World> {
  const made = await makeFlowWorld();
  made.ctx.wakeup.onWake(LANES_TOPIC, (detail) => void (detail?.startsWith(project.id) && woken.push(detail)));
  return made;
}

const serves = { queues: undefined, keyQueues: null, jobs: undefined, environments: undefined };

/** Waits, with the look-up for earlier runs behind it. */
async function poll(fields: Partial<WorkerRequest> = {}) {
  const found = claimForWorker(world.ctx, {
    ...{ project_id: project.id, worker_id: "w1", claim_id: randomUUID(), serves, max: 10, wait_secs: 20 },
    ...{ isClosed: () => false, onClose: () => {}, isAuthorized: async () => true, ...fields },
  });
  await until("the poll to wait", 20_000, () => state.polls.size() > 0);
  return { found: found.then((runs) => runs.map(({ run_id }) => run_id)) };
}

async function newRuns(count: number, fields: Partial<NewRun> = {}): Promise<NewRun[]> {
  const job = await findTriggerableJob(world.ctx, project.id, job_id);
  if (!job) throw new Error("no such job");
  const prepare = () => prepareRun(job, { created_by: "test", trigger_type: "api" });
  return Array.from({ length: count }, () => ({ ...prepare(), ...fields }));
}

async function trigger(runs: readonly NewRun[]): Promise<string[]> {
  await triggerRuns(world.ctx, runs);
  return runs.map(({ id }) => id);
}

const claimNext = () => testWorker(project.api).claim();

describe("runs that are triggered while a poll waits for them", () => {
  it("R21 are created running under its lease, and are never queued", async () => {
    const claim_id = randomUUID();
    const waiting = await poll({ claim_id });
    const ids = await trigger(await newRuns(3));
    expect([await waiting.found, woken]).toEqual([ids, []]);
    const worker = testWorker(project.api);
    const repeated = await worker.claim({ claim_id });
    expect(repeated.map(({ run_id }) => run_id)).toEqual(ids);
    const settled = await Promise.all(repeated.map((run) => worker.complete(run)));
    expect(settled.map(({ outcome }) => outcome)).toEqual(["settled", "settled", "settled"]);
    const { body } = await project.api.get(`/v1/runs/${ids[0]}`);
    expect(body).toMatchObject({ status: "completed", attempt: 1 });
  });

  it("R21 of several kinds, too", async () => {
    const waiting = await poll();
    const [one, other] = [...(await newRuns(1)), ...(await newRuns(1, { priority: 5, tags: { a: "b" } }))];
    const pushed = await makeJob(project, { name: "Pushed" });
    const ofPushed = await findTriggerableJob(world.ctx, project.id, pushed.id);
    if (!one || !other || !ofPushed) throw new Error("not prepared");
    const third = prepareRun(ofPushed, { created_by: "test", trigger_type: "api", delay_secs: 60 });
    const ids = await trigger([one, other, third]);
    expect((await waiting.found).toSorted()).toEqual(ids.slice(0, 2).toSorted());
    const held = await runSql<{ run_id: string; worker_id: string | null; instance_id: string | null }>(
      world.connection,
      "select run_id, worker_id, instance_id from run_queue where project_id = $1 order by worker_id, run_id",
      [project.id],
    );
    expect(held.map(({ worker_id, instance_id }) => [worker_id, instance_id])).toEqual([
      ["w1", null],
      ["w1", null],
      [null, null],
    ]);
  });

  it("R21 are no more than it asks for: the next claim gets the others", async () => {
    const waiting = await poll({ max: 2 });
    const ids = await trigger(await newRuns(3));
    const claimed = await waiting.found;
    expect(claimed).toHaveLength(2);
    expect([...claimed, ...(await claimNext()).map(({ run_id }) => run_id)].toSorted()).toEqual(ids.toSorted());
  });

  it("R21 wait behind runs that may be queued in their lane, unless a claim is taking all of those", async () => {
    const waiting = await poll();
    const [first, second] = [await newRuns(1), await newRuns(1)];
    const host = first[0]?.host ?? "";
    const queued = { bound: "2099-01-01T00:00:00.000Z", count: 1 };
    state.lanes.set(host, queued);
    await trigger(first);
    expect(woken).toHaveLength(1);
    expect(await waiting.found).toHaveLength(1);
    const next = await poll();
    state.lanes.set(host, queued);
    state.claiming = new Set([queued]);
    await trigger(second);
    expect([await next.found, woken.length]).toEqual([second.map(({ id }) => id), 1]);
    state.lanes.delete(host);
  });

  it("R20 are not handed to it if they have limits or a concurrency key, or are due later", async () => {
    const waiting = await poll();
    const held = [{ is_job_limited: true }, { is_job_paused: true }, { concurrency_key: "k" }, { delay_secs: 60 }];
    const prepared = (await Promise.all(held.map((fields) => newRuns(1, fields)))).flat();
    const [plain] = await newRuns(1);
    expect(chooseStarts(world.ctx, prepared).ids.size).toBe(0);
    expect(state.polls.size()).toBe(1);
    const ids = await trigger(plain ? [plain] : []);
    expect(await waiting.found).toEqual(ids);
  });

  it("R21 are handed to the poll that serves their queue now", async () => {
    expect((await project.api.post("/v1/queues", { name: "other" })).status).toBe(201);
    const ofDefault = await poll({ serves: { ...serves, queues: new Set(["default"]) } });
    const ofOther = await poll({ serves: { ...serves, queues: new Set(["other"]) } });
    await until("both to wait", 20_000, () => state.polls.size() === 2);
    expect((await project.api.patch(`/v1/jobs/${job_id}`, { queue: "other" })).status).toBe(200);
    const ids = await trigger(await newRuns(1));
    expect(await ofOther.found).toEqual(ids);
    const back = await project.api.patch(`/v1/jobs/${job_id}`, { queue: "default" });
    expect(back.status).toBe(200);
    const later = await trigger(await newRuns(1));
    expect(await ofDefault.found).toEqual(later);
  });

  it("R21 stay queued if its claim was repeated to another instance and has runs from there", async () => {
    const claim_id = randomUUID();
    const waiting = await poll({ claim_id });
    const [elsewhere] = await newRuns(1);
    const other = await world.anotherInstance();
    // Created without a wake-up, and claimed there: this instance does not know it.
    if (elsewhere) await triggerRuns({ ...other.ctx, wakeup: { ...other.ctx.wakeup, wake: () => {} } }, [elsewhere]);
    const request = { project_id: project.id, worker_id: "w1", claim_id, serves, max: 10, wait_secs: 0 };
    const never = { isClosed: () => false, onClose: () => {}, isAuthorized: async () => true };
    const there = await claimForWorker(other.ctx, { ...request, ...never });
    expect(there.map(({ run_id }) => run_id)).toEqual([elsewhere?.id]);
    const [later] = await trigger(await newRuns(1));
    expect(await waiting.found).toEqual([elsewhere?.id]);
    expect((await claimNext()).map(({ run_id }) => run_id)).toEqual([later]);
  });

  it("R21 are queued if another instance claims for the same request at that moment", async () => {
    const claim_id = randomUUID();
    const waiting = await poll({ claim_id });
    const [other] = await trigger(await newRuns(1, { delay_secs: 60 }));
    const elsewhere = await holdClaim(world.connection, project.id, claim_id);
    const triggered = trigger(await newRuns(1));
    await whenBlocked(world.connection);
    await elsewhere.open();
    const ids = await triggered;
    expect(await waiting.found).toEqual([other]);
    expect((await testWorker(project.api, "w2").claim({ wait_secs: 20 })).map(({ run_id }) => run_id)).toEqual(ids);
  });

  it("R21 are put back, without a try, if its key was revoked meanwhile", async () => {
    let isValid = true;
    const waiting = await poll({ isAuthorized: async () => isValid });
    isValid = false;
    const ids = await trigger(await newRuns(2));
    expect(await waiting.found).toEqual([]);
    const claimed = await claimNext();
    expect(claimed.map(({ run_id, tries_used }) => [run_id, tries_used])).toEqual(ids.map((id) => [id, 0]));
  });

  it("R21 are not created if their job has changed meanwhile: the poll goes on waiting", async () => {
    const waiting = await poll();
    const outdated = (await newRuns(1)).map((run) => ({ ...run, job_revision: run.job_revision - 1 }));
    await trigger(outdated);
    const ids = await trigger(await newRuns(1));
    expect(await waiting.found).toEqual(ids);
  });

  it("R21 run again if the service or the worker is gone before the answer: the lease expires, without a try", async () => {
    const waiting = await poll();
    const ids = await trigger(await newRuns(2));
    expect(await waiting.found).toEqual(ids);
    expect(await claimNext()).toEqual([]);
    for (const duration of ["16s", "60s"]) {
      await world.clock.pass(duration);
      await world.runUntilIdle();
    }
    const again = await testWorker(project.api, "w2").claim({ wait_secs: 20 });
    expect(again.map(({ run_id, attempt, tries_used }) => [run_id, attempt, tries_used])).toEqual(
      ids.map((id) => [id, 2, 0]),
    );
  });
});

describe("a client that goes away while its poll waits", () => {
  function closable() {
    const closing: (() => void)[] = [];
    let isClosed = false;
    return {
      request: { isClosed: () => isClosed, onClose: (fn: () => void) => void closing.push(fn) },
      close: () => {
        isClosed = true;
        for (const fn of closing) fn();
      },
    };
  }

  it("R21 is handed nothing more: the next poll is", async () => {
    const { request, close } = closable();
    const gone = await poll(request);
    const next = await poll();
    await until("both to wait", 20_000, () => state.polls.size() === 2);
    close();
    const ids = await trigger(await newRuns(1));
    expect([await gone.found, await next.found]).toEqual([[], ids]);
  });

  it("R21 gets by the same claim what was being created for it", async () => {
    const { request, close } = closable();
    const claim_id = randomUUID();
    const gone = await poll({ ...request, claim_id });
    const creating = await holdGate(world.connection, "lock table run_queue in share mode");
    const triggered = trigger(await newRuns(2));
    await whenBlocked(world.connection);
    close();
    const repeated = testWorker(project.api).claim({ claim_id, wait_secs: 20 });
    await creating.open();
    const ids = await triggered;
    expect((await repeated).map(({ run_id }) => run_id)).toEqual(ids);
    expect(await gone.found).toEqual(ids);
  });
});

describe("runs that are triggered over HTTP while a poll waits", () => {
  const triggerOne = async () => (await project.api.post(`/v1/jobs/${job_id}/trigger`, {})).body.id as string;

  it("R20 wait while their queue is paused, and start when it is resumed", async () => {
    const waiting = await poll();
    expect((await project.api.post("/v1/queues/default/pause", {})).status).toBe(200);
    const id = await triggerOne();
    expect((await project.api.get(`/v1/runs/${id}`)).body).toMatchObject({ status: "pending", attempt: 0 });
    expect((await project.api.post("/v1/queues/default/resume", {})).status).toBe(200);
    expect(await waiting.found).toEqual([id]);
  });

  it("R20 never exceed the limit of their queue", async () => {
    expect((await project.api.patch("/v1/queues/default", { max_concurrency: 2 })).status).toBe(200);
    const worker = testWorker(project.api);
    const polls = [1, 2, 3].map(() => worker.claim({ max: 2, wait_secs: 2 }));
    await until("the polls to wait", 20_000, () => state.polls.size() === 3);
    await Promise.all(Array.from({ length: 8 }, triggerOne));
    expect((await Promise.all(polls)).flat()).toHaveLength(2);
  });

  it("R20 are canceled at any moment: each ends once, and is gone from the queue", async () => {
    const worker = testWorker(project.api);
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const polling = worker.claim({ max: 1, wait_secs: 20 });
        const id = await triggerOne();
        const [runs] = await Promise.all([polling, project.api.post(`/v1/runs/${id}/cancel`, {})]);
        return Promise.all(runs.map((run) => worker.complete(run)));
      }),
    );
    expect(outcomes.flat().every(({ outcome }) => ["settled", "lost"].includes(outcome))).toBe(true);
    await world.runUntilIdle();
    const rows = await runSql<{ status: string; queued: number }>(
      world.connection,
      `select r.status, count(q.*)::int as queued from runs r left join run_queue q on q.project_id = r.project_id and q.run_id = r.id
       where r.project_id = $1 group by 1`,
      [project.id],
    );
    expect(rows.every(({ status, queued }) => ["canceled", "completed"].includes(status) && queued === 0)).toBe(true);
  });
});
