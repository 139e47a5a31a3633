import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import { leaseOf, testWorker } from "../../../../test/world/test-worker.ts";
import type { World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

/** A project of its own, so that a worker finds only the runs of the test. */
async function makeBench() {
  const project = await world.project();
  const { api } = project;
  const pulled = (fields: object = {}) =>
    makeJob(project, { name: "Pulled", delivery: "pull", endpoint_url: null, ...fields });
  const trigger = async (path: string, body: object = {}): Promise<string> => {
    const response = await api.post(`${path}/trigger`, body);
    expect(response.status, response.text).toBe(201);
    return response.body.id;
  };
  const run = async (id: string) => (await api.get(`/v1/runs/${id}`)).body;
  const workflowRun = async (id: string) => (await api.get(`/v1/workflow-runs/${id}`)).body;
  return { project, api, pulled, trigger, run, workflowRun, worker: testWorker(api) };
}

async function later(duration: string): Promise<void> {
  await world.clock.pass(duration);
  await world.runUntilIdle();
}

describe("a workflow with pulled steps", () => {
  it("starts the next step when a worker reports, with the outputs of the step before", async () => {
    const { project, pulled, trigger, workflowRun, worker } = await makeBench();
    const job = await pulled();
    const { path } = await makeWorkflow(project, {
      steps: [
        { step_ref: "first", type: "job", job_id: job.id, payload: { n: "{{payload.n}}" } },
        {
          step_ref: "then",
          type: "job",
          job_id: job.id,
          depends_on: ["first"],
          payload: { n: "{{parent_outputs.first.n}}" },
        },
      ],
    });
    const id = await trigger(path, { payload: { n: 1 } });
    await world.runUntilIdle();
    const first = await worker.claimOne();
    expect(first.payload).toEqual({ n: 1 });
    await worker.complete(first, { n: 2 });
    await world.runUntilIdle();
    const then = await worker.claimOne();
    expect(then.payload).toEqual({ n: 2 });
    await worker.complete(then, {});
    await world.runUntilIdle();
    expect(await workflowRun(id)).toMatchObject({ status: "completed" });
  });

  it("fails when a worker reports a failure that is not retried", async () => {
    const { project, pulled, trigger, workflowRun, worker } = await makeBench();
    const steps = [{ step_ref: "only", type: "job", job_id: (await pulled()).id }];
    const { path } = await makeWorkflow(project, { steps });
    const id = await trigger(path);
    await world.runUntilIdle();
    await worker.fail(await worker.claimOne(), { retryable: false });
    await world.runUntilIdle();
    expect(await workflowRun(id)).toMatchObject({ status: "failed" });
  });

  it("canceled in a map: queued items are never claimed, and a heartbeat names those that run", async () => {
    const { project, api, pulled, trigger, workflowRun, worker } = await makeBench();
    const job = await pulled();
    const items = [0, 1, 2, 3, 4];
    const { path } = await makeWorkflow(project, { steps: [{ step_ref: "m", type: "map", job_id: job.id, items }] });
    const id = await trigger(path);
    await world.runUntilIdle();
    const claimed = await worker.claim({ max: 2 });
    expect(claimed).toHaveLength(2);
    expect((await api.post(`/v1/workflow-runs/${id}/cancel`)).status).toBe(200);
    await world.runUntilIdle();
    expect(await worker.claim()).toEqual([]);
    const { extended, cancel } = await worker.heartbeat(claimed);
    expect([extended, cancel.sort()]).toEqual([0, claimed.map(({ run_id }) => run_id).sort()]);
    for (const run of claimed) expect(await worker.complete(run)).toMatchObject({ outcome: "lost" });
    expect(await workflowRun(id)).toMatchObject({ status: "canceled" });
    const { body } = await api.get(`/v1/runs?workflow_run_id=${id}`);
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(items.map(() => "canceled"));
  });

  it("compensates with pulled runs, in reverse order, and ends when the last one is reported", async () => {
    const { project, pulled, trigger, workflowRun, worker } = await makeBench();
    const [job, undo] = [await pulled(), await pulled({ name: "Undo" })];
    const steps = [
      { step_ref: "first", type: "job", job_id: job.id, compensate_job_id: undo.id },
      { step_ref: "second", type: "job", job_id: job.id, depends_on: ["first"], compensate_job_id: undo.id },
      { step_ref: "last", type: "job", job_id: job.id, depends_on: ["second"] },
    ];
    const { path } = await makeWorkflow(project, { steps });
    const id = await trigger(path);
    for (const n of [1, 2]) {
      await world.runUntilIdle();
      await worker.complete(await worker.claimOne(), { n });
    }
    await world.runUntilIdle();
    await worker.fail(await worker.claimOne(), { retryable: false });
    for (const step_ref of ["second:compensate", "first:compensate"]) {
      await world.runUntilIdle();
      expect((await workflowRun(id)).status).toBe("running");
      const undoing = await worker.claimOne();
      expect(undoing).toMatchObject({ job_id: undo.id, step_ref });
      await worker.complete(undoing);
    }
    await world.runUntilIdle();
    expect(await workflowRun(id)).toMatchObject({ status: "failed" });
  });

  it("can be the target of a canary whose source is pushed", async () => {
    const { project, api, pulled, trigger, workflowRun, worker } = await makeBench();
    const [pushed, job] = [await makeJob(project, { name: "Pushed" }), await pulled()];
    const stepOf = (job_id: string) => ({ steps: [{ step_ref: "only", type: "job", job_id }] });
    const { path } = await makeWorkflow(project, stepOf(pushed.id));
    expect((await api.patch(path, stepOf(job.id))).status).toBe(200);
    const canary = await api.post(`${path}/canary`, { source_version: 1, target_version: 2, traffic_pct: 100 });
    expect(canary.status, canary.text).toBe(201);
    const id = await trigger(path);
    await world.runUntilIdle();
    await worker.complete(await worker.claimOne(), { by: "worker" });
    await world.runUntilIdle();
    expect(await workflowRun(id)).toMatchObject({ status: "completed", version: 2 });
  });
});

describe("a pulled run", () => {
  it("keeps the delivery of the version it was created with", async () => {
    const { api, pulled, trigger, worker } = await makeBench();
    const job = await pulled();
    const id = await trigger(`/v1/jobs/${job.id}`);
    const pushed = { delivery: "push", endpoint_url: "https://jobs.example.com/" };
    const changed = await api.patch(`/v1/jobs/${job.id}`, pushed);
    expect(changed.status, changed.text).toBe(200);
    expect((await worker.claimOne()).run_id).toBe(id);
  });

  it("is retried with the delay of the job, becomes a dead letter, and is replayed to a worker", async () => {
    const { api, pulled, trigger, run, worker } = await makeBench();
    const job = await pulled({ max_attempts: 2 });
    const id = await trigger(`/v1/jobs/${job.id}`, { payload: { order: 7 } });
    expect(await worker.fail(await worker.claimOne(), { retry_after_secs: 120 })).toMatchObject({ status: "pending" });
    await later("110s");
    expect(await worker.claim()).toEqual([]);
    // Up to 20 % jitter is added.
    await later("40s");
    const second = await worker.claimOne();
    expect(second).toMatchObject({ run_id: id, attempt: 2, tries_used: 1 });
    expect(await worker.fail(second)).toMatchObject({ outcome: "settled", status: "failed" });
    expect(await run(id)).toMatchObject({ status: "failed", tries_used: 2 });
    const { body: dead } = await api.get("/v1/runs?dead_letter=true");
    expect(dead.data.map((each: { id: string }) => each.id)).toEqual([id]);

    const replay = await api.post(`/v1/runs/${id}/replay`);
    expect(replay.status, replay.text).toBe(201);
    const again = await worker.claimOne();
    expect(again).toMatchObject({ run_id: replay.body.id, attempt: 1, tries_used: 0, payload: { order: 7 } });
    await worker.complete(again, { done: true });
    expect(await run(replay.body.id)).toMatchObject({ status: "completed", result: { done: true } });
  });

  it("waits for an event: it is claimed again with its state and the event, and its old lease is void", async () => {
    const { api, pulled, trigger, run, worker } = await makeBench();
    const id = await trigger(`/v1/jobs/${(await pulled()).id}`);
    const waiting = await worker.claimOne();
    const sdk = world.as(waiting.run_token);
    expect((await sdk.post(`/sdk/v1/runs/${id}/checkpoint`, { state: { step: 1 } })).status).toBe(200);
    const opened = await sdk.post(`/sdk/v1/runs/${id}/wait-for-event`, { event_key: `paid-${id}` });
    expect(opened.status, opened.text).toBe(201);
    expect(await run(id)).toMatchObject({ status: "waiting" });
    // The worker's function has returned, but the wait has ended its attempt.
    expect(await worker.complete(waiting, { ignored: true })).toMatchObject({ outcome: "lost" });
    expect(await worker.heartbeat([waiting])).toMatchObject({ extended: 0, lost: [id] });
    await api.post(`/v1/events/paid-${id}/send`, { payload: { amount: 5 } });
    await world.runUntilIdle();
    const resumed = await worker.claimOne();
    const again = { run_id: id, attempt: 2, tries_used: 0, state: { step: 1 }, checkpoint: { amount: 5 } };
    expect(resumed).toMatchObject(again);
    expect(await worker.complete(resumed, 1)).toMatchObject({ outcome: "settled", status: "completed" });
  });
});

describe("keys bound to an environment or to queues", () => {
  it("claim only what they may serve, also under the name and claim of another worker", async () => {
    const { project, pulled, trigger, worker } = await makeBench();
    const job = await pulled();
    const bound = async (environment_id: string) =>
      testWorker((await project.newKey({ scopes: ["runs:work"], environment_id })).api);
    const [production, staging] = [await bound("production"), await bound("staging")];
    const ids: Record<string, string> = {};
    for (const environment_id of ["production", "staging", "development"])
      ids[environment_id] = await trigger(`/v1/jobs/${job.id}`, { environment_id });
    const claim_id = "0190f0c0-0000-4000-8000-000000000001";
    const own = await staging.claimOne({ claim_id });
    expect(own.run_id).toBe(ids.staging);
    expect((await production.claimOne({ claim_id })).run_id).toBe(ids.production);
    expect((await worker.claimOne()).run_id).toBe(ids.development);
    expect((await staging.claim({ claim_id })).map(leaseOf)).toEqual([leaseOf(own)]);
    expect(await production.claim()).toEqual([]);
    const elsewhere = await project.newKey({ scopes: ["runs:work"], queues: ["mail"] });
    expect(await testWorker(elsewhere.api).claim({ claim_id })).toEqual([]);
  });

  it("R21 claim runs of several environments, and of no other, also when the claim is repeated", async () => {
    const { project, pulled, trigger, worker } = await makeBench();
    const job = await pulled();
    const worker_environment_ids = ["staging", "development"];
    const { api } = await project.newKey({ scopes: ["runs:work"], worker_environment_ids });
    const both = testWorker(api);
    const of = async (environment_id: string) => trigger(`/v1/jobs/${job.id}`, { environment_id });
    const ids = [await of("production"), await of("staging"), await of("development")];
    const claim_id = "0190f0c0-0000-4000-8000-000000000002";
    const claimed = await both.claim({ claim_id });
    expect(claimed.map(({ run_id }) => run_id)).toEqual(ids.slice(1));
    expect((await both.claim({ claim_id })).map(leaseOf)).toEqual(claimed.map(leaseOf));
    const own = await worker.claimOne({ claim_id: "0190f0c0-0000-4000-8000-000000000003" });
    expect(own.run_id).toBe(ids[0]);
    expect(await both.claim({ claim_id: "0190f0c0-0000-4000-8000-000000000003" })).toEqual([]);
  });
});
